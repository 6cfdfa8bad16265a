internal import CredentialStorage
internal import Glibc

/// A credential that systemd hands to a service, in a file of its credentials directory.
struct SystemdCredentialSource: KeyProvider {
    let name: String

    /// As many bytes as a key has at least, so that nothing short enough to be guessed is taken for one.
    private static let shortest = Box.keyLength
    /// The most that systemd hands over.
    private static let longest = 1 << 20

    var kind: KeySlotKind { .systemdCredential }
    var isImmediate: Bool { true }

    func key(for purpose: KeyPurpose, _ request: KeyRequest) throws(StorageFault) -> KeyMaterial {
        let directory = try directory(request.environment)
        try KeyDirectory.check(directory, request.fileSystem)
        let content = try read("\(directory)/\(try fileName())", in: directory, request.fileSystem)
        return KeyMaterial(
            try content.withBytes { (bytes) throws(StorageFault) in
                try KeyDerivation.key(hashing: bytes, "scv1 credential")
            })
    }

    func place(_ request: KeyRequest) -> String? {
        guard let directory = try? directory(request.environment), let name = try? fileName() else { return nil }
        return "\(directory)/\(name)"
    }

    private func directory(_ environment: Environment) throws(StorageFault) -> String {
        guard let directory = environment["CREDENTIALS_DIRECTORY"] else { throw .unavailable(.keySourceMissing) }
        guard directory.utf8.first == UInt8(ascii: "/") else { throw .unavailable(.keySourceUnavailable) }
        return directory
    }

    private func fileName() throws(StorageFault) -> String {
        guard !name.isEmpty, name != ".", name != "..", !name.utf8.contains(UInt8(ascii: "/")), !name.utf8.contains(0)
        else { throw .unavailable(.keySourceUnavailable) }
        return name
    }

    private func read(
        _ path: String,
        in directory: String,
        _ fileSystem: any FileSystem
    ) throws(StorageFault) -> SecureBuffer {
        let file: FileHandle
        do throws(SystemError) {
            file = try fileSystem.open(path, .read)
        } catch {
            throw Self.meaning(of: error, in: directory, fileSystem)
        }
        defer { fileSystem.close(file) }
        let status = try faulting { () throws(SystemError) in try fileSystem.status(of: file) }
        guard status.kind == .regular else { throw .unavailable(.keySourceUnavailable) }
        // Root owns what systemd lends by an access list, which shows as the rights of the group.
        guard [0, fileSystem.user].contains(status.owner), status.mode & 0o027 == 0 else {
            throw .unavailable(.insecurePermissions)
        }
        guard status.size >= Self.shortest else {
            throw .unavailable(.keySourceUnavailable, status.size == 0 ? .errno(ENODATA) : .none)
        }
        guard status.size <= Self.longest else { throw .unavailable(.keySourceUnavailable, .errno(EFBIG)) }
        let content = try SecureBuffer(count: Int(status.size), in: .shared)
        let target = unsafe content.address
        let count = try faulting { () throws(SystemError) in
            unsafe try fileSystem.read(file, into: target, count: content.count, at: 0)
        }
        guard count == content.count else { throw .unavailable(.keySourceUnavailable) }
        return content
    }

    private static func meaning(
        of error: SystemError,
        in directory: String,
        _ fileSystem: any FileSystem
    ) -> StorageFault {
        switch error.number {
        case ENOENT:
            // Without its directory nothing is proven about the credential.
            let isThere = (try? fileSystem.status(at: directory, followingLink: true)) != nil
            return .unavailable(isThere ? .keySourceMissing : .keySourceUnavailable, .errno(ENOENT))
        case ENOTDIR, EISDIR, ENAMETOOLONG, ENXIO, ENODEV:
            return .unavailable(.keySourceUnavailable, .errno(error.number))
        default: return error.fault
        }
    }
}
