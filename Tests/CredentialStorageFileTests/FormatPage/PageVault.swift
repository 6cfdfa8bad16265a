import CredentialStorage
import CredentialStorageFile
import CredentialStorageSealing
import CredentialTestSupport
import Foundation

/// A private directory with a key file and a place for a vault.
struct PageVault {
    let directory: String
    let vault: String
    let keyFile: String

    init(key: [UInt8] = Array(0xA0...0xBF)) throws {
        directory = try TemporaryDirectory().path
        vault = "\(directory)/credentials.vault"
        keyFile = "\(directory)/key"
        try Self.write(key, to: keyFile)
    }

    var builder: StorageBuilder.EncryptedFile {
        StorageBuilder.EncryptedFile(service: "page").path(vault).keySource(.keyFile(keyFile)).log(.silent)
            .fileSystem(FaultyFileSystem(syncs: false))
    }

    var bytes: [UInt8] {
        get throws { try Self.read(vault) }
    }

    var companion: [UInt8] {
        get throws { try Self.read("\(vault).lock") }
    }

    static func read(_ path: String) throws -> [UInt8] {
        try Array(Data(contentsOf: URL(filePath: path)))
    }

    static func write(_ bytes: [UInt8], to path: String) throws {
        guard
            FileManager.default.createFile(
                atPath: path, contents: Data(bytes), attributes: [.posixPermissions: 0o600])
        else { throw CocoaError(.fileWriteUnknown) }
    }
}

/// What a reader makes of a vault.
enum Verdict: Equatable, Sendable {
    case refused(String)
    case read(entries: [Entry], omitted: [OmittedEntry], lost: Int)

    /// The library's own.
    init(reading storage: EncryptedFileStorage) throws {
        do throws(StorageError) {
            let all = try storage.readAll()
            self = .read(entries: all.entries, omitted: all.omitted, lost: all.lost)
        } catch {
            self = .refused(try Self.word(for: error))
        }
    }

    var lost: Int? { if case .read(_, _, let lost) = self { lost } else { nil } }

    private static func word(for error: StorageError) throws -> String {
        switch error.cause {
        case .wrongKey: "wrongKey"
        case .damaged: "damaged"
        case .notAStore: "notAStore"
        case .unsupportedVersion: "unsupportedVersion"
        case .parametersOutOfRange: "parametersOutOfRange"
        case .unavailable(_, .keySourceUnavailable, _): "keySourceUnavailable"
        default: throw error
        }
    }
}
