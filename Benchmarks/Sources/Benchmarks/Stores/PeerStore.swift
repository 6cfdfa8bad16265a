internal import CBenchmarkPeers
internal import FoundationEssentials

/// A store of `CBenchmarkPeers`.
///
/// LMDB's writes may come from several threads; all else is called by one thread at a time.
final class PeerStore: @unchecked Sendable {
    let subject: Subject
    private let calls: peer_calls
    private let store: OpaquePointer
    /// Where values are read to.
    ///
    /// One for all: none is read by two threads.
    nonisolated(unsafe) private static let room = UnsafeMutableRawPointer.allocate(byteCount: 1 << 20, alignment: 16)

    static let all: [Subject] = [.lmdb, .sqlite, .sqlcipher, .blob]

    /// Those that can take the workload: the blob is written whole at each change.
    static func all(for workload: Workload) -> [Subject] {
        all.filter { $0 != .blob || workload.entries * workload.valueBytes <= 64 << 20 }
    }

    init(_ subject: Subject, in directory: String) throws {
        self.subject = subject
        calls = try Self.calls(of: subject)
        guard let store = calls.open(directory) else { throw Failure("\(subject.rawValue) does not open") }
        self.store = store
    }

    deinit { calls.close(store) }

    /// Loads the library, as a program that links it has it when it starts.
    static func load(_ subject: Subject) throws {
        try check(calls(of: subject).load() == 0, "the library of \(subject.rawValue) is missing")
    }

    private static func calls(of subject: Subject) throws -> peer_calls {
        switch subject {
        case .lmdb: peer_lmdb
        case .sqlite: peer_sqlite
        case .sqlcipher: peer_sqlcipher
        case .blob: peer_blob
        default: throw Failure("\(subject.rawValue) keeps no files")
        }
    }

    func set(_ value: Data, forKey name: String) throws {
        let status = withName(name) { name, length in
            value.withUnsafeBytes { calls.set(store, name, length, $0.baseAddress, $0.count) }
        }
        try check(status == 0, "\(subject.rawValue) does not write")
    }

    /// Reads an entry.
    func get(_ name: String, expecting length: Int) throws {
        let read = withName(name) { calls.get(store, $0, $1, Self.room, 1 << 20) }
        try check(read == length, "\(subject.rawValue) reads \(read) bytes, not \(length)")
    }

    func delete(_ name: String) throws {
        try check(withName(name) { calls.remove(store, $0, $1) } == 0, "\(subject.rawValue) does not delete")
    }

    func batch(_ body: () throws -> Void) throws {
        try check(calls.begin(store) == 0, "\(subject.rawValue) begins no batch")
        try body()
        try check(calls.commit(store) == 0, "\(subject.rawValue) does not commit")
    }

    func readAll(expecting count: Int) throws {
        let read = calls.read_all(store)
        try check(read == count, "\(subject.rawValue) reads \(read) entries, not \(count)")
    }

    /// The bytes of a native string, without a copy.
    private func withName<R>(_ name: String, _ body: (UnsafePointer<CChar>?, Int) -> R) -> R {
        var name = name
        return name.withUTF8 { bytes in
            bytes.withMemoryRebound(to: CChar.self) { body($0.baseAddress, $0.count) }
        }
    }
}
