internal import CredentialStorage
internal import FoundationEssentials

extension AtomicRules {
    static let compareAndSet: [Rule] = [
        Rule("compareAndSet creates an entry only where none is") { context in
            let store = context.store
            try require(store.compareAndSet("name", expected: nil, new: Data([1])), "create-if-absent answered false")
            try requireValue(Data([1]), in: store, "name", "after create-if-absent")
            try require(
                !store.compareAndSet("name", expected: nil, new: Data([2])), "a present entry was created again")
            try requireValue(Data([1]), in: store, "name", "after create-if-absent found an entry")
        },
        Rule("compareAndSet replaces an entry only if it has the expected value") { context in
            let store = context.store
            let old = Samples.bytes(100)
            try store.set(old, forKey: "name")
            var near = old
            near[99] ^= 1
            for wrong in [Data(), Data([1]), near, old.prefix(99), old + Data([0])] {
                try require(
                    !store.compareAndSet("name", expected: wrong, new: Data([2])), "a wrong expectation was taken")
                try requireValue(old, in: store, "name", "after a wrong expectation")
            }
            try require(
                store.compareAndSet("name", expected: old, new: Data([2])), "the right value was not recognised")
            try requireValue(Data([2]), in: store, "name", "after a replacement")
            try require(
                store.compareAndSet("name", expected: Data([2]), new: Data([2])), "the same value again was refused")
            try requireValue(Data([2]), in: store, "name", "after it was replaced by itself")
        },
        Rule("compareAndSet removes an entry only if it has the expected value") { context in
            let store = context.store
            try store.set(Data([1]), forKey: "name")
            try require(!store.compareAndSet("name", expected: Data([2]), new: nil), "a wrong expectation removed")
            try requireValue(Data([1]), in: store, "name", "after a removal with a wrong expectation")
            try require(store.compareAndSet("name", expected: Data([1]), new: nil), "a removal answered false")
            try requireValue(nil, in: store, "name", "after a removal")
            try require(store.keys().isEmpty, "keys lists a removed entry")
        },
        Rule("compareAndSet of an absent entry succeeds only when absence is expected") { context in
            let store = context.store
            try require(!store.compareAndSet("name", expected: Data([1]), new: Data([2])), "an absent entry matched")
            try require(!store.compareAndSet("name", expected: Data([1]), new: nil), "an absent entry was removed")
            try requireValue(nil, in: store, "name", "after a comparison with an absent entry")
            try require(store.compareAndSet("name", expected: nil, new: nil), "absent to absent answered false")
            try requireValue(nil, in: store, "name", "after absent to absent")
        },
        Rule("compareAndSet tells an empty value from an absent entry") { context in
            let store = context.store
            try require(!store.compareAndSet("name", expected: Data(), new: Data([1])), "absent passed for empty")
            try require(store.compareAndSet("name", expected: nil, new: Data()), "an empty value could not be created")
            try requireValue(Data(), in: store, "name", "after an empty value was created")
            try require(!store.compareAndSet("name", expected: nil, new: Data([1])), "empty passed for absent")
            try require(!store.compareAndSet("name", expected: Data([0]), new: Data([1])), "one NUL passed for empty")
            try require(store.compareAndSet("name", expected: Data(), new: Data([1])), "empty was not recognised")
            try requireValue(Data([1]), in: store, "name", "after an empty value was replaced")
        },
        Rule("compareAndSet refuses an invalid name and a value over the limit as a write") { context in
            let store = context.store
            for (name, why) in Samples.invalidNames {
                try requireError(.writeError(cause: .invalidEntryKey), from: "compareAndSet of \(why)") {
                    try store.compareAndSet(name, expected: nil, new: Data())
                }
            }
            guard let limit = context.settings.valueLimit else { return }
            try store.set(Data([1]), forKey: "name")
            try requireError(.writeError(cause: .valueTooLarge(limit: limit)), from: "compareAndSet of a large value") {
                try store.compareAndSet("name", expected: Data([1]), new: Data(count: limit + 1))
            }
            try requireValue(Data([1]), in: store, "name", "after a larger value was refused")
        },
        Rule("compareAndSet keeps composed and decomposed forms apart") { context in
            let store = context.store
            try store.set(Data([1]), forKey: Samples.composed)
            try require(
                store.compareAndSet(Samples.decomposed, expected: nil, new: Data([2])),
                "the other form counts as present")
            try requireValue(Data([1]), in: store, Samples.composed, "after its other form was created")
            try requireValue(Data([2]), in: store, Samples.decomposed, "after it was created")
        },
        Rule("eight threads that count by compareAndSet lose nothing") { context in
            let store = context.store
            let rounds = max(context.settings.rounds / 4, 1)
            try onThreads(8) { _ in
                for _ in 0..<rounds {
                    var isDone = false
                    while !isDone {
                        let old = try store.get("counter")
                        isDone = try store.compareAndSet("counter", expected: old, new: next(old))
                    }
                }
            }
            try requireValue(Data("\(8 * rounds)".utf8), in: store, "counter", "after eight threads counted")
        },
        Rule("of eight threads that create one entry exactly one succeeds") { context in
            let store = context.store
            let wins = Locked<[Int]>([])
            try onThreads(8) { index in
                if try store.compareAndSet("name", expected: nil, new: Data([UInt8(index)])) {
                    wins.withLock { $0.append(index) }
                }
            }
            let winners = wins.withLock { $0 }
            try require(winners.count == 1, "\(winners.count) threads created the same entry")
            try requireValue(Data([UInt8(winners[0])]), in: store, "name", "after a race to create it")
        },
    ]
}

/// The number after the one that is written in a value; absent counts as zero.
func next(_ value: Data?) -> Data {
    let number = value.flatMap { String(validating: $0, as: UTF8.self) }.flatMap { Int($0) } ?? 0
    return Data("\(number + 1)".utf8)
}
