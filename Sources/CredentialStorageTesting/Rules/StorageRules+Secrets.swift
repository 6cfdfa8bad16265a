internal import CredentialStorage
internal import FoundationEssentials

extension StorageRules {
    static let text: [Rule] = [
        Rule("text is stored as its UTF-8 bytes") { context in
            let store = context.store
            for text in ["", "plain", "two\nlines\n", "nul\u{0}inside", "\u{1F511} \u{E9}", Samples.decomposed] {
                try store.set(text, forKey: "text")
                try requireValue(Data(text.utf8), in: store, "text", "for text")
                let found = try store.string(forKey: "text")
                try require(found.map { sameBytes([$0], [text]) } == true, "string(forKey:) changed a text")
            }
            try require(store.string(forKey: "absent") == nil, "string(forKey:) found an absent entry")
        },
        Rule("a value that is not UTF-8 is refused as text, never repaired") { context in
            let store = context.store
            for value in [
                Data([0xFF]), Data([0xC3]), Data([0x61, 0x80]), Data([0xED, 0xA0, 0x80]), Data([0xC0, 0x80]),
            ] {
                try store.set(value, forKey: "value")
                try requireError(.readError(cause: .undecryptable(.notText)), from: "string(forKey:)") {
                    try store.string(forKey: "value")
                }
                try requireValue(value, in: store, "value", "after it was refused as text")
            }
        },
    ]

    static let secrets: [Rule] = [
        Rule("withSecret gives the bytes and returns what its body returns") { context in
            let store = context.store
            for count in [0, 1, 32, 8193] {
                let value = Samples.bytes(count)
                try store.set(value, forKey: "secret")
                let (found, number) = try store.withSecret(forKey: "secret") { (copied($0), 7) }
                try require(found == value, "withSecret gave other bytes for a value of \(count) bytes")
                try require(number == 7, "withSecret lost the result of its body")
            }
        },
        Rule("withSecret runs its body with nil for an absent entry") { context in
            let wasAbsent = try context.store.withSecret(forKey: "absent") { bytes in
                if case nil = bytes { true } else { false }
            }
            try require(wasAbsent, "withSecret gave bytes for an absent entry")
        },
        Rule("withSecret passes its body's own error on") { context in
            let store = context.store
            try store.set(Data([1]), forKey: "secret")
            try requirePassing(1, through: "withSecret") {
                try store.withSecret(forKey: "secret") { _ in throw Passing(number: 1) }
            }
            try requirePassing(2, through: "withSecret of an absent entry") {
                try store.withSecret(forKey: "absent") { _ in throw Passing(number: 2) }
            }
            try requireValue(Data([1]), in: store, "secret", "after a body threw")
        },
        Rule("withSecret runs its body once, and the body may use the same store") { context in
            let store = context.store
            try store.set(Data([1, 2]), forKey: "secret")
            var runs = 0
            let found = try store.withSecret(forKey: "secret") { bytes in
                runs += 1
                try store.set(Data([9, 9]), forKey: "secret")
                try store.set(Data([3]), forKey: "other")
                try requireValue(Data([9, 9]), in: store, "secret", "inside the body of withSecret")
                try require(store.withSecret(forKey: "other") { copied($0) } == Data([3]), "a nested withSecret failed")
                try require(store.delete("other"), "delete inside the body of withSecret answered false")
                _ = try store.keys()
                _ = try store.readAll()
                return copied(bytes)
            }
            try require(runs == 1, "withSecret ran its body \(runs) times")
            try require(found == Data([1, 2]), "a change inside the body changed the bytes that the body holds")
            try requireValue(Data([9, 9]), in: store, "secret", "after the body of withSecret changed it")
        },
        Rule("setSecret stores the bytes of a span") { context in
            let store = context.store
            for value in [Data(), Data([0]), Data(0...255), Samples.bytes(8193)] {
                try store.setSecret(value.span, forKey: "secret")
                try requireValue(value, in: store, "secret", "after setSecret of \(value.count) bytes")
            }
            let buffer = SecureBuffer(copying: Data([4, 5]).span)
            try buffer.withBytes { try store.setSecret($0, forKey: "secret") }
            try requireValue(Data([4, 5]), in: store, "secret", "after setSecret from a secure buffer")
        },
    ]
}
