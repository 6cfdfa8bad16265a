internal import CredentialStorage
internal import FoundationEssentials
internal import Synchronization

extension StorageRules {
    static let threads: [Rule] = [
        Rule("eight threads on names of their own do not disturb each other") { context in
            let store = context.store
            let rounds = context.settings.rounds
            try onThreads(8) { index in
                let name = "thread \(index)"
                for round in 0..<rounds {
                    let value = Data("\(index).\(round)".utf8)
                    try store.set(value, forKey: name)
                    try requireValue(value, in: store, name, "on a thread of its own")
                    if round.isMultiple(of: 10) {
                        try require(store.delete(name), "delete on a thread of its own answered false")
                        try requireValue(nil, in: store, name, "after delete on a thread of its own")
                    }
                }
                try store.set(Data([UInt8(index)]), forKey: name)
            }
            try require(sameBytes(store.keys(), (0..<8).map { "thread \($0)" }), "keys is wrong after eight threads")
            for index in 0..<8 {
                try requireValue(Data([UInt8(index)]), in: store, "thread \(index)", "after eight threads")
            }
        },
        Rule("readers beside a writer see one of its values, never anything else") { context in
            let store = context.store
            let values = [Samples.bytes(8192, seed: 1), Samples.bytes(8192, seed: 2)]
            let rounds = context.settings.rounds * 2
            try store.set(values[0], forKey: "shared")
            let isOver = Atomic(false)
            try onThreads(8) { index in
                if index == 0 {
                    defer { isOver.store(true, ordering: .releasing) }
                    for round in 0..<rounds { try store.set(values[round % 2], forKey: "shared") }
                    return
                }
                while !isOver.load(ordering: .acquiring) {
                    let found: Data? =
                        switch index % 4 {
                        case 0: try store.readAll()[key: "shared"]
                        case 1: try store.withSecret(forKey: "shared") { copied($0) }
                        default: try store.get("shared")
                        }
                    guard let found else { throw ContractViolation("a reader beside a writer saw no value") }
                    try require(values.contains(found), "a reader beside a writer saw a value that was never written")
                }
            }
        },
        Rule("keys and readAll beside a writer hold every entry that stays") { context in
            let store = context.store
            let rounds = context.settings.rounds
            let staying = ["a", "m", "z"]
            for name in staying { try store.set(Data(name.utf8), forKey: name) }
            let isOver = Atomic(false)
            try onThreads(4) { index in
                if index == 0 {
                    defer { isOver.store(true, ordering: .releasing) }
                    for round in 0..<rounds {
                        try store.set(Data([1]), forKey: "passing \(round % 5)")
                        try store.delete("passing \((round + 2) % 5)")
                    }
                    return
                }
                while !isOver.load(ordering: .acquiring) {
                    let names = try store.keys()
                    let bulk = try store.readAll()
                    try require(bulk.isComplete, "readAll beside a writer omits entries")
                    for name in staying {
                        try require(names.contains(name), "keys beside a writer lacks an entry that stays")
                        try require(
                            bulk[key: name] == Data(name.utf8), "readAll beside a writer lacks an entry that stays")
                    }
                }
            }
        },
    ]
}
