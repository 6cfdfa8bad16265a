internal import CCredentialShims
internal import CredentialStorage
internal import CredentialStorageSealing
internal import Glibc

/// A passphrase that is fetched when it is first wanted, and kept for the further openings of one run: a pipe can be
/// read only once.
final class Passphrase: Sendable {
    private let kept = Locked<SharedSecret?>(nil)
    private let fetch: @Sendable () throws -> SharedSecret

    private init(_ fetch: @escaping @Sendable () throws -> SharedSecret) { self.fetch = fetch }

    var source: KeySource {
        KeySource.passphrase { () throws -> SecureBuffer in
            let secret = try self.kept.withLock { (kept: inout SharedSecret?) throws -> SharedSecret in
                if let kept { return kept }
                let fresh = try self.fetch()
                guard fresh.bytes.count > 0 else { throw StorageFault.unavailable(.keySourceUnavailable, Self.empty) }
                kept = fresh
                return fresh
            }
            return try secret.bytes.withCopy()
        }
    }

    static let limit = 1 << 20

    /// The codes of passphrases that can be read and cannot be used.
    static let empty = StatusCode.errno(ENODATA)
    static let tooLong = StatusCode.errno(EFBIG)

    /// How to go about a passphrase that a person types.
    enum Asking {
        /// That of a vault which is there.
        case present
        /// That of a new vault, typed twice.
        case new
        /// Nobody may be asked, or for nothing.
        case nobody
    }

    /// What an option names, or `nil` where it names no passphrase; on a terminal it is asked for at once.
    static func named(by key: Options.Key, asking: Asking = .present) throws -> Passphrase? {
        switch key {
        case .standard, .file, .entry, .systemdCredential, .kernelKeyring: nil
        case .passphraseFile(let path):
            if let terminal = Terminal.at(path) { try typed(on: terminal, asking) } else { inFile(path) }
        case .passphraseDescriptor(let number):
            if let terminal = Terminal.behind(number) {
                try typed(on: terminal, asking)
            } else {
                try fromDescriptor(number)
            }
        }
    }

    private static func typed(on terminal: Terminal, _ asking: Asking) throws -> Passphrase {
        switch asking {
        case .present: try askedOn(terminal)
        case .new: try newOn(terminal, "Passphrase: ")
        case .nobody: Passphrase { throw StorageFault.unavailable(.promptNeeded) }
        }
    }

    /// The content of a file, without one newline at its end.
    static func inFile(_ path: String) -> Passphrase {
        Passphrase {
            let descriptor = unsafe ccs_open(path, O_RDONLY | O_NOCTTY, 0)
            guard descriptor >= 0 else {
                throw switch errno {
                case ENOENT, ENOTDIR: StorageFault.unavailable(.keySourceMissing, .errno(errno))
                case EACCES, EPERM: StorageFault.unavailable(.accessDenied, .errno(errno))
                default: StorageFault.unavailable(.keySourceUnavailable, .errno(errno))
                }
            }
            defer { close(descriptor) }
            var status = ccs_status()
            guard unsafe ccs_status_of(descriptor, &status) == 0 else {
                throw StorageFault.unavailable(.keySourceUnavailable, .errno(errno))
            }
            // What others can read protects nothing; whoever names a pipe has seen to that.
            guard status.mode & S_IFMT != S_IFREG || status.mode & 0o077 == 0 else {
                throw StorageFault.unavailable(.insecurePermissions)
            }
            return try read(descriptor)
        }
    }

    /// What comes from an open descriptor, without one newline at its end.
    ///
    /// - Throws: `keySourceUnavailable` unless it is open now: later the number could be a file of the store's own.
    static func fromDescriptor(_ descriptor: Int32) throws -> Passphrase {
        guard fcntl(descriptor, F_GETFD) >= 0 else {
            throw StorageFault.unavailable(.keySourceUnavailable, .errno(errno))
        }
        return Passphrase { try read(descriptor) }
    }

    /// What a person types, asked for at once.
    static func askedOn(_ terminal: Terminal, _ question: StaticString = "Passphrase: ") throws -> Passphrase {
        let answer = SharedSecret(try terminal.ask(question))
        return Passphrase { answer }
    }

    /// A new passphrase, typed twice.
    static func newOn(_ terminal: Terminal, _ question: StaticString = "New passphrase: ") throws -> Passphrase {
        let first = SharedSecret(try terminal.ask(question))
        let second = SharedSecret(try terminal.ask("The same again: "))
        guard second.bytes.withBytes({ first.bytes.isEqual(to: $0) }) else {
            throw Failure.usage("The two passphrases differ.").saying(
                "The two passphrases differ.", "Try again; nothing was changed.")
        }
        return Passphrase { first }
    }

    private static func read(_ descriptor: Int32) throws -> SharedSecret {
        let bytes: SecureBuffer
        do {
            // One more for the newline, which is no part of it.
            bytes = try Input.readAll(from: descriptor, limit: limit + 1)
        } catch {
            throw switch error {
            case .noMemory: StorageFault.noMemory
            case .tooLong: StorageFault.unavailable(.keySourceUnavailable, Self.tooLong)
            case .system(let number): StorageFault.unavailable(.keySourceUnavailable, .errno(number))
            }
        }
        let endsLine = bytes.withBytes { !$0.isEmpty && $0[$0.count - 1] == UInt8(ascii: "\n") }
        let length = endsLine ? bytes.count - 1 : bytes.count
        guard length <= limit else { throw StorageFault.unavailable(.keySourceUnavailable, .errno(EFBIG)) }
        return SharedSecret(try bytes.prefix(length))
    }
}

extension SecureBuffer {
    fileprivate borrowing func withCopy() throws(StorageFault) -> SecureBuffer {
        let copy = try SecureBuffer(count: count, in: .shared)
        unsafe copy.address.copyMemory(from: address, byteCount: count)
        return copy
    }
}
