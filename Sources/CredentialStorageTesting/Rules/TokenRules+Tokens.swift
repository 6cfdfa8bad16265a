internal import CredentialStorage
internal import FoundationEssentials
internal import Synchronization

extension TokenRules {
    /// Tokens whose parts some stores lose or change.
    private static let samples: [(token: SDKInstallToken, what: String)] = [
        (SDKInstallToken(value: "plain"), "a token with a value only"),
        (SDKInstallToken(value: "with installation", installID: "install-1"), "a token with an installation"),
        (SDKInstallToken(value: "expiring", expiresAt: date(1_900_000_000)), "a token that expires"),
        (SDKInstallToken(value: "whole", expiresAt: date(1_900_000_000), installID: "install-2"), "a whole token"),
        (SDKInstallToken(value: "fraction", expiresAt: date(1_900_000_000.123456)), "a token with a fractional date"),
        (SDKInstallToken(value: "early", expiresAt: date(-1)), "a token from before 1970"),
        (SDKInstallToken(value: "zero", expiresAt: date(0)), "a token that expires in 1970"),
        (SDKInstallToken(value: "far", expiresAt: .distantFuture), "a token that expires in the far future"),
        (SDKInstallToken(value: ""), "a token with an empty value"),
        (SDKInstallToken(value: "x", installID: ""), "a token with an empty installation"),
        (SDKInstallToken(value: "quote\" back\\slash /slash \u{7F}"), "a token with quotes"),
        (SDKInstallToken(value: "line\nbreak\r\n\ttab\u{0}nul\u{1F}"), "a token with control characters"),
        (
            SDKInstallToken(value: "\u{1F511}\u{10FFFF}\u{FEFF}", installID: "\u{1F511}"),
            "a token beyond the basic plane"
        ),
        (SDKInstallToken(value: Samples.composed, installID: Samples.decomposed), "a token with a composed letter"),
        (SDKInstallToken(value: Samples.decomposed, installID: Samples.composed), "a token with a decomposed letter"),
        (SDKInstallToken(value: String(repeating: "t", count: 65_536)), "a token of 64 KiB"),
    ]

    static let tokens: [Rule] = [
        Rule("an empty store answers nil") { context in
            try requireToken(nil, in: context.store, "in an empty store")
        },
        Rule("a token that was saved is loaded with all its parts") { context in
            for (token, what) in samples {
                try context.store.save(token)
                try requireToken(token, in: context.store, "for \(what)")
                try requireToken(token, in: context.store, "for \(what), the second time")
            }
        },
        Rule("saving again replaces the token with all its parts") { context in
            try context.store.save(
                SDKInstallToken(value: "first", expiresAt: date(1_900_000_000), installID: "install"))
            try context.store.save(SDKInstallToken(value: "second"))
            try requireToken(SDKInstallToken(value: "second"), in: context.store, "after a replacement")
        },
        Rule("clear removes the token, and clearing an empty store is harmless") { context in
            let store = context.store
            try store.clear()
            try requireToken(nil, in: store, "after an empty store was cleared")
            try store.save(SDKInstallToken(value: "token"))
            try store.clear()
            try requireToken(nil, in: store, "after clear")
            try store.clear()
            try requireToken(nil, in: store, "after the second clear")
            try store.save(SDKInstallToken(value: "again"))
            try requireToken(SDKInstallToken(value: "again"), in: store, "when saved again after clear")
        },
        Rule("two stores share nothing", stores: 2) { context in
            try context.stores[0].save(SDKInstallToken(value: "mine"))
            try requireToken(nil, in: context.stores[1], "after another store was given a token")
            try context.stores[1].save(SDKInstallToken(value: "theirs"))
            try context.stores[1].clear()
            try requireToken(SDKInstallToken(value: "mine"), in: context.stores[0], "after another store was cleared")
        },
        Rule("readers beside a writer load one of its tokens, never anything else") { context in
            let store = context.store
            let tokens = ["1", "2"].map { SDKInstallToken(value: String(repeating: $0, count: 4096), installID: $0) }
            let rounds = context.settings.rounds
            try store.save(tokens[0])
            let isOver = Atomic(false)
            try onThreads(4) { index in
                if index == 0 {
                    defer { isOver.store(true, ordering: .releasing) }
                    for round in 0..<rounds { try store.save(tokens[round % 2]) }
                    return
                }
                while !isOver.load(ordering: .acquiring) {
                    guard let token = try store.load() else {
                        throw ContractViolation("a reader beside a writer loaded no token")
                    }
                    try require(tokens.contains(token), "a reader loaded a token that was never saved")
                }
            }
        },
    ]

    static func date(_ seconds: Double) -> Date { Date(timeIntervalSince1970: seconds) }

    static func requireToken(_ expected: SDKInstallToken?, in store: any TokenStore, _ when: String) throws {
        let found = try store.load()
        switch (found, expected) {
        case (nil, nil): return
        case (nil, _?): throw ContractViolation("load answered nil \(when)")
        case (_?, nil): throw ContractViolation("load answered a token \(when)")
        case (let found?, let expected?): try require(found == expected, "load answered another token \(when)")
        }
    }
}
