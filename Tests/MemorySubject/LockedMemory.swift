internal import CredentialStorage
internal import FoundationEssentials
internal import Glibc

/// The memory store of an ordinary user under a small limit of locked memory.
enum LockedMemory {
    struct Unfit: Error, CustomStringConvertible { let description: String }
    struct Wrong: Error, CustomStringConvertible { let description: String }

    /// Fills a store, reads all of it back, and prints what was locked.
    static func fill(count: Int, size: Int) throws {
        try requireOrdinaryUser()
        let storage = StorageBuilder.InMemory().build()
        for index in 0..<count { try storage.set(value(index, size), forKey: "entry \(index)") }
        for index in 0..<count {
            guard try storage.get("entry \(index)") == value(index, size) else {
                throw Wrong(description: "entry \(index) is not what was set")
            }
        }
        guard try storage.keys().count == count else { throw Wrong(description: "entries are missing") }
        print("\(storage.protection.memory.rawValue) \(try lockedKilobytes())")
    }

    /// Demands locked memory and prints how that was answered.
    static func demand() throws {
        try requireOrdinaryUser()
        let storage = StorageBuilder.InMemory().lockedMemory(.required).build()
        do {
            try storage.set(value(0, 64), forKey: "entry")
            print("taken")
        } catch {
            print("\(error), \(try storage.keys().count) entries")
        }
        let lenient = StorageBuilder.InMemory().build()
        try lenient.set(value(0, 64), forKey: "entry")
        print("\(lenient.protection.memory.rawValue)")
    }

    private static func value(_ index: Int, _ size: Int) -> Data {
        let start = Data("\(index):".utf8)
        return start + Data(repeating: UInt8(truncatingIfNeeded: index), count: max(size - start.count, 0))
    }

    private static func requireOrdinaryUser() throws {
        guard geteuid() != 0 else { throw Unfit(description: "root may lock anything, so this shows nothing") }
        guard let line = try status("CapEff"), Int(line, radix: 16).map({ $0 & (1 << 14) == 0 }) == true else {
            throw Unfit(description: "this process may lock memory beyond the limit")
        }
    }

    private static func lockedKilobytes() throws -> Int {
        guard let line = try status("VmLck"), let kilobytes = line.split(separator: " ").first.flatMap({ Int($0) })
        else { throw Unfit(description: "the kernel does not tell how much is locked") }
        return kilobytes
    }

    private static func status(_ name: String) throws -> String? {
        let text = try String(contentsOf: URL(filePath: "/proc/self/status"), encoding: .utf8)
        let line = text.split(separator: "\n").first { $0.hasPrefix(name + ":") }
        return line.map { $0.dropFirst(name.count + 1).filter { $0 != "\t" } }
    }
}
