import CredentialStorage
import CredentialStorageFile
import Foundation
import Testing

@Suite("Concurrency: writes that share a sync", .timeLimit(.minutes(5)))
struct ConcurrencyGroupTests {
    @Test("writes that share a sync each get their own answer")
    func groups() throws {
        let vault = try TestVault()
        let disk = FaultyFileSystem()
        let store = vault.builder.fileSystem(disk).valueLimit(5000).build()
        try store.set("present", forKey: "present")
        // While one write is in its sync, all others gather behind it.
        let (gate, waiting) = (Locked(false), Locked(0))
        disk.restart { number, call in
            if call == .syncData, number < 4 { _ = gate.wait(until: .now + .seconds(20)) { $0 ? true : nil } }
            return nil
        }
        startThread { try? store.set("first", forKey: "first") }
        while !disk.trace.contains(.syncData) { usleep(1000) }
        let results = Locked<[Int: String]>([:])
        func start(_ index: Int, _ body: @escaping @Sendable () throws -> String) {
            startThread {
                waiting.withLock { $0 += 1 }
                let answer: String
                do { answer = try body() } catch {
                    answer = (error as? StorageError).map { "\($0.cause)" } ?? "foreign"
                }
                results.notify { $0[index] = answer }
            }
        }
        for index in 0..<20 {
            switch index % 5 {
            case 0:
                start(index) {
                    try store.set("value \(index)", forKey: "name \(index)")
                    return "set"
                }
            case 1:
                start(index) {
                    try store.set(Data(count: 5001), forKey: "large \(index)")
                    return "set"
                }
            case 2:
                start(index) {
                    try store.compareAndSet("present", expected: Data("wrong".utf8), new: Data()) ? "true" : "false"
                }
            case 3: start(index) { try store.delete("never \(index)") ? "true" : "false" }
            default:
                start(index) {
                    try store.compareAndSet("cas \(index)", expected: nil, new: Data([1])) ? "true" : "false"
                }
            }
        }
        while waiting.withLock({ $0 }) < 20 { usleep(1000) }
        gate.notify { $0 = true }
        let answers = results.wait(until: .now + .seconds(30)) { $0.count == 20 ? $0 : nil }
        for index in 0..<20 {
            let expected = ["set", "valueTooLarge(limit: 5000)", "false", "false", "true"][index % 5]
            #expect(answers?[index] == expected, "\(index)")
        }
        let syncs = disk.trace.count { $0 == .syncData }
        #expect(syncs < 10, "\(syncs) syncs for nine changes")
        for reader in [store, vault.store] {
            #expect(try reader.keys().count == 2 + 4 + 4)
            #expect(try reader.string(forKey: "present") == "present")
        }
    }

    @Test("one write that finds no room fails alone, and a removal beside it does not")
    func roomInGroups() throws {
        let vault = try TestVault()
        let disk = FaultyFileSystem()
        let store = vault.builder.fileSystem(disk).build()
        for index in 0..<4 { try store.set("value", forKey: "name \(index)") }
        let gate = Locked(false)
        let size = try vault.bytes().count
        disk.restart { number, call in
            if call == .syncData, number < 4 { _ = gate.wait(until: .now + .seconds(20)) { $0 ? true : nil } }
            guard case .write(let offset, let count) = call, offset >= 0, offset + count > size else { return nil }
            return .fails(ENOSPC)
        }
        startThread { try? store.set("first", forKey: "first") }
        while !disk.trace.contains(.syncData) { usleep(1000) }
        let results = Locked<[String: UnavailableCategory?]>([:])
        for (what, body): (String, @Sendable () throws -> Void) in [
            ("large", { try store.set(Data(count: 100_000), forKey: "large") }),
            ("small", { try store.set("small", forKey: "small") }),
            ("delete", { try store.delete("name 0") }),
        ] {
            startThread {
                let category = failure(body)?.category
                results.notify { $0[what] = .some(category) }
            }
        }
        usleep(50_000)
        gate.notify { $0 = true }
        let answers = try #require(results.wait(until: .now + .seconds(30)) { $0.count == 3 ? $0 : nil })
        #expect(answers["large"] == .some(.noSpace))
        #expect(answers["small"] == .some(nil))
        #expect(answers["delete"] == .some(nil))
        #expect(try vault.store.keys() == ["first", "name 1", "name 2", "name 3", "small"])
    }

    @Test("more at once than one commit holds is written all the same")
    func largeGroups() throws {
        let vault = try TestVault()
        let store = vault.builder.valueLimit(.max).build()
        try onThreads(7) { index in try store.set(Data(repeating: UInt8(index), count: 12 << 20), forKey: "\(index)") }
        let reader = vault.store
        for index in 0..<7 { #expect(try reader.get("\(index)") == Data(repeating: UInt8(index), count: 12 << 20)) }
    }
}
