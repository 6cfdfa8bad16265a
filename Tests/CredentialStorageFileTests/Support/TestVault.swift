import CredentialStorage
import CredentialStorageFile
import CredentialStorageSealing
import CredentialTestSupport
import Foundation
import Glibc

/// A vault in a private directory, its key file beside that directory, and its bytes.
struct TestVault: Sendable {
    let root: String
    let directory: String
    let path: String
    let keyPath: String

    var companionPath: String { path + ".lock" }

    /// Makes the directory, and the vault unless told otherwise.
    init(isMade: Bool = true) throws {
        root = try TemporaryDirectory().path
        directory = root + "/data"
        path = directory + "/credentials.vault"
        keyPath = root + "/vault.key"
        mkdir(directory, 0o700)
        if isMade { try builder.build().create() }
    }

    /// The same key for another file.
    private init(sharing other: TestVault, number: Int) {
        root = other.root
        keyPath = other.keyPath
        directory = other.root + "/copy\(number)"
        path = directory + "/credentials.vault"
    }

    var builder: StorageBuilder.EncryptedFile {
        StorageBuilder.EncryptedFile(service: "test").path(path).keySource(.keyFile(keyPath)).log(.silent)
    }

    var store: EncryptedFileStorage { builder.build() }

    /// A store that spares the disk its syncs, for tests of what is in the file.
    var quickStore: EncryptedFileStorage { builder.fileSystem(FaultyFileSystem(syncs: false)).build() }

    /// A fresh place for changed bytes, opened by the same key.
    func copy(_ number: Int, vault: [UInt8], companion: [UInt8]? = nil) throws -> TestVault {
        let copy = TestVault(sharing: self, number: number)
        mkdir(copy.directory, 0o700)
        unlink(copy.companionPath)
        try writeFile(copy.path, vault, replacing: true)
        if let companion { try writeFile(copy.companionPath, companion) }
        return copy
    }

    func bytes() throws -> [UInt8] { try readFile(path) }
    func companionBytes() throws -> [UInt8] { try readFile(companionPath) }

    /// Changes the file in place, as a program that knows nothing of locks would.
    func edit(_ change: (inout [UInt8]) -> Void) throws {
        var content = try bytes()
        change(&content)
        try writeFile(path, content)
    }

    /// Changes both header copies and makes their plain hashes hold again, as an attacker would.
    func editHeaders(copies: [Int] = [0, 1], _ change: (inout [UInt8]) -> Void) throws {
        try edit { content in
            for copy in copies {
                let start = copy * 8192
                let used = Int(content[start + 12]) | Int(content[start + 13]) << 8
                var header = Array(content[start..<start + used])
                change(&header)
                let noKey: [UInt8] = []
                var hash = Blake2b(length: 32, key: noKey.span)
                let covered = Array(header.prefix(header.count - 32))
                hash.update(covered.span)
                content.replaceSubrange(start..<start + used, with: covered + hash.finish())
            }
        }
    }

    /// Files in the directory, apart from the two that belong there.
    func litter() -> [String] {
        let present = (try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []
        return present.filter { $0 != "credentials.vault" && $0 != "credentials.vault.lock" }.sorted()
    }
}

/// One frame as it stands in a file, read without any key.
struct RawFrame: Sendable, Equatable {
    let offset: Int
    let length: Int
    let isDelete: Bool

    var range: Range<Int> { offset..<offset + length }

    /// The frames of a sound log.
    static func all(in bytes: [UInt8]) -> [RawFrame] {
        var frames: [RawFrame] = []
        var offset = 16384
        while offset + 128 <= bytes.count, Array(bytes[offset..<offset + 4]) == Array("SCF1".utf8) {
            let body = (0..<4).reversed().reduce(0) { $0 << 8 | Int(bytes[offset + 8 + $1]) }
            frames.append(RawFrame(offset: offset, length: 128 + body, isDelete: bytes[offset + 4] == 2))
            offset += 128 + body
        }
        return frames
    }
}

struct FileProblem: Error, CustomStringConvertible {
    let description: String
}

func readFile(_ path: String) throws -> [UInt8] {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw FileProblem(description: "open for reading: \(errno)") }
    defer { close(descriptor) }
    let size = Int(lseek(descriptor, 0, SEEK_END))
    var bytes = [UInt8](repeating: 0, count: size)
    var done = 0
    while done < size {
        let got = bytes.withUnsafeMutableBytes { pread(descriptor, $0.baseAddress! + done, size - done, off_t(done)) }
        guard got > 0 else { throw FileProblem(description: "read: \(errno)") }
        done += got
    }
    return bytes
}

/// Writes into the file that is there, or makes one with mode 0600.
func writeFile(_ path: String, _ bytes: [UInt8], replacing: Bool = false) throws {
    if replacing { unlink(path) }
    let descriptor = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw FileProblem(description: "open for writing: \(errno)") }
    defer { close(descriptor) }
    guard ftruncate(descriptor, bytes.count) == 0, pwrite(descriptor, bytes, bytes.count, 0) == bytes.count else {
        throw FileProblem(description: "write: \(errno)")
    }
}

/// Keeps every record of a log.
final class RecordedLog: Sendable {
    private let records = Locked<[StorageLog.Record]>([])

    var log: StorageLog {
        StorageLog(minimumLevel: .debug) { [records] record in records.withLock { $0.append(record) } }
    }
    var messages: [String] { records.withLock { $0.map(\.message) } }
    var omissions: [String] { records.withLock { $0.compactMap(\.entry) } }
}

/// The error that a body throws, as the store's own type; `nil` when it throws none.
func failure<R>(_ body: () throws -> R) -> StorageError? {
    do {
        _ = try body()
        return nil
    } catch {
        return error as? StorageError
    }
}

/// Whether the long jobs run; `make long` asks for them.
let runsLongTests: Bool = {
    let isLong = Environment.process["CREDENTIAL_LONG_TESTS"] == "1"
    if isLong { print("long tests: every bit and every length") }
    return isLong
}()
