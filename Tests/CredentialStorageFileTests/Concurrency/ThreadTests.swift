import CredentialStorage
import CredentialStorageFile
import Foundation
import Testing

@Suite("Concurrency: threads on one vault", .timeLimit(.minutes(5)))
struct ConcurrencyThreadTests {
    @Test("eight threads and two objects write and read, and everything is there")
    func threads() throws {
        let vault = try TestVault()
        let stores = [vault.store, vault.store]
        try onThreads(8) { thread in
            let store = stores[thread % 2]
            for round in 0..<40 {
                let (name, value) = ("\(thread) \(round % 10)", Data("\(thread) \(round)".utf8))
                try store.set(value, forKey: name)
                #expect(try store.get(name) == value)
                #expect(try stores[1 - thread % 2].get(name) == value, "the other object sees it at once")
                if round % 10 == 9 { #expect(try store.delete(name)) }
            }
        }
        for reader in stores + [vault.store] {
            let bulk = try reader.readAll()
            #expect(bulk.isComplete)
            #expect(bulk.entries.count == 8 * 9)
            for entry in bulk.entries {
                let words = entry.key.split(separator: " ")
                #expect(entry.value == Data("\(words[0]) \(30 + (Int(words[1]) ?? 0))".utf8))
            }
        }
        #expect(try vault.store.verify()?.isSound == true)
    }

    @Test("a reader beside a writer sees one of two values, whole")
    func alternating() throws {
        let vault = try TestVault()
        let values = [Data(repeating: 0xAA, count: 8192), Data(repeating: 0x55, count: 8192)]
        let (writer, reader) = (vault.store, vault.store)
        try writer.set(values[0], forKey: "name")
        let isOver = Locked(false)
        try onThreads(4) { thread in
            if thread == 0 {
                for round in 1...150 { try writer.set(values[round % 2], forKey: "name") }
                isOver.withLock { $0 = true }
            } else {
                let store = thread == 1 ? writer : reader
                while !isOver.withLock({ $0 }) {
                    let value = try store.get("name")
                    #expect(value.map(values.contains) == true)
                    let bulk = try store.readAll()
                    #expect(bulk.isComplete && bulk.entries.count == 1 && values.contains(bulk.entries[0].value))
                }
            }
        }
    }

    @Test("a batch is seen whole or not at all")
    func batches() throws {
        let vault = try TestVault()
        let (writer, reader) = (vault.store, vault.store)
        let names = (0..<5).map { "name \($0)" }
        try writer.update { batch in for name in names { try batch.set("0", forKey: name) } }
        let isOver = Locked(false)
        try onThreads(3) { thread in
            if thread == 0 {
                for round in 1...100 {
                    try writer.update { batch in for name in names { try batch.set("\(round)", forKey: name) } }
                }
                isOver.withLock { $0 = true }
            } else {
                while !isOver.withLock({ $0 }) {
                    let bulk = try reader.readAll()
                    #expect(Set(bulk.entries.map(\.value)).count == 1 && bulk.entries.count == 5)
                }
            }
        }
    }

    @Test("counting with compare-and-set and with batches loses no step")
    func counting() throws {
        let vault = try TestVault()
        let stores = [vault.store, vault.store]
        try stores[0].set("0", forKey: "count")
        try onThreads(6) { thread in
            let store = stores[thread % 2]
            for _ in 0..<10 {
                if thread < 3 {
                    while true {
                        let present = try store.get("count")
                        let number = present.flatMap { Int(String(decoding: $0, as: UTF8.self)) } ?? -1
                        if try store.compareAndSet("count", expected: present, new: Data("\(number + 1)".utf8)) {
                            break
                        }
                    }
                } else {
                    try store.update { batch in
                        let number = try batch.get("count").flatMap { Int(String(decoding: $0, as: UTF8.self)) } ?? -1
                        try batch.set("\(number + 1)", forKey: "count")
                    }
                }
            }
        }
        #expect(try vault.store.string(forKey: "count") == "60")
    }

    @Test("ten first starts at once in one process make one vault, and every write is there")
    func firstStarts() throws {
        for _ in 0..<5 {
            let vault = try TestVault(isMade: false)
            let root = vault.root
            let builder = StorageBuilder.EncryptedFile(service: "test").log(.silent)
                .environment(Environment { $0 == "HOME" ? root : nil })
            try onThreads(10) { index in try builder.build().set("value \(index)", forKey: "name \(index)") }
            let store = builder.build()
            #expect(try store.keys().count == 10)
            for index in 0..<10 { #expect(try store.string(forKey: "name \(index)") == "value \(index)") }
            let directory = root + "/.local/share/test"
            let files = try FileManager.default.contentsOfDirectory(atPath: directory).sorted()
            #expect(files == ["credentials.vault", "credentials.vault.lock"])
            #expect(try FileManager.default.contentsOfDirectory(atPath: root + "/.config/test") == ["vault.key"])
        }
    }

    @Test("another object's extension of the file is never written over")
    func extensions() throws {
        let vault = try TestVault()
        let (left, right) = (vault.store, vault.store)
        try left.set("first", forKey: "first")
        try right.set(Data(repeating: 7, count: 300_000), forKey: "large")
        // A read brings the left one up to date before it writes.
        #expect(try left.get("large")?.count == 300_000)
        for round in 0..<40 {
            try left.set(Data(repeating: 1, count: 20_000), forKey: "left \(round)")
            #expect(try right.get("left \(round)")?.count == 20_000)
            try right.set(Data(repeating: 2, count: 20_000), forKey: "right \(round)")
            #expect(try left.keys().count == 4 + 2 * round)
        }
        let bulk = try vault.store.readAll()
        #expect(bulk.isComplete && bulk.entries.count == 82)
        #expect(bulk[key: "large"] == Data(repeating: 7, count: 300_000))
        #expect(try vault.store.verify()?.isSound == true)
    }

    @Test("a write inside a batch of the same store is a conflict, a read is not")
    func nested() throws {
        let vault = try TestVault()
        let store = vault.store
        try store.set("value", forKey: "name")
        try store.update { batch in
            #expect(failure { try store.set("x", forKey: "x") } == .writeError(cause: .conflict))
            #expect(failure { try store.delete("name") } == .deleteError(cause: .conflict))
            #expect(failure { try store.update { _ in } } == .writeError(cause: .conflict))
            #expect(
                failure { try store.compareAndSet("x", expected: nil, new: Data()) } == .writeError(cause: .conflict))
            #expect(try store.string(forKey: "name") == "value")
            try batch.set("new", forKey: "name")
            #expect(try store.string(forKey: "name") == "value")
        }
        #expect(try store.string(forKey: "name") == "new")
        struct Refusal: Error {}
        #expect(throws: Refusal.self) {
            try store.update { batch in
                try batch.set("x", forKey: "name")
                throw Refusal()
            }
        }
        #expect(try store.string(forKey: "name") == "new")
    }

    @Test("a waiting write of a cancelled task is taken back, and nothing of it is written")
    func cancellation() async throws {
        let vault = try TestVault()
        let (holder, waiter) = (vault.store, vault.builder.deadline(.seconds(60)).build())
        let (isHeld, mayEnd) = (Locked(false), Locked(false))
        startThread {
            try? holder.update { batch in
                isHeld.notify { $0 = true }
                _ = mayEnd.wait(until: .now + .seconds(40)) { $0 ? true : nil }
                try batch.set("held", forKey: "held")
            }
        }
        _ = isHeld.wait(until: .now + .seconds(20)) { $0 ? true : nil }
        // One waits for the other object's lock, the others for their turn behind it.
        let tasks = (0..<3).map { index in
            Task { try await waiter.set("x", forKey: "waiting \(index)") }
        }
        for task in tasks.reversed() { task.cancel() }
        for task in tasks {
            let result = await task.result
            #expect(
                throws: StorageError.writeError(
                    cause: .unavailable(operation: .write, category: .cancelled, code: .none))
            ) {
                try result.get()
            }
        }
        mayEnd.notify { $0 = true }
        try await waiter.set("y", forKey: "after")
        #expect(try await vault.store.keys() == ["after", "held"])
    }

    @Test("a closed store answers that it is closed, also while others use it")
    func closing() throws {
        let vault = try TestVault()
        let store = vault.store
        try store.set("value", forKey: "name")
        try onThreads(5) { thread in
            if thread == 0 {
                usleep(2000)
                store.close()
            } else {
                for round in 0..<50 {
                    let error = failure {
                        if thread % 2 == 0 {
                            try store.set("\(round)", forKey: "\(thread)")
                        } else {
                            _ = try store.get("name")
                        }
                    }
                    #expect(error == nil || error?.category == .closed)
                }
            }
        }
        #expect(failure { try store.get("name") }?.category == .closed)
        #expect(failure { try store.set("x", forKey: "x") }?.category == .closed)
        #expect(failure { try store.acquireLock("x", timeout: .zero) }?.category == .closed)
        #expect(failure { try store.create() }?.category == .closed)
        #expect(try vault.store.string(forKey: "name") == "value")
    }
}
