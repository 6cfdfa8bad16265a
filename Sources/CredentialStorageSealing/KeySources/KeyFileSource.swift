internal import CredentialStorage
internal import Glibc

/// A file of 32 random bytes.
struct KeyFileSource: KeyProvider {
    enum Place: Sendable {
        case named(String)
        case standard
    }

    let place: Place

    var kind: KeySlotKind { .keyFile }

    func key(for purpose: KeyPurpose, _ request: KeyRequest) throws(StorageFault) -> KeyMaterial {
        let path = try path(request)
        try checkApart(path, request)
        if case .standard = place { try checkOutside(path, request) }
        try KeyDirectory.check(parentDirectory(of: path), request.fileSystem)
        do {
            return KeyMaterial(try read(path, request.fileSystem))
        } catch StorageFault.unavailable(.keySourceMissing, _) where mayMake(for: purpose) {
            let made = try make(path, request)
            request.made.withLock { $0 = made }
            do throws(StorageFault) { return KeyMaterial(try read(path, request.fileSystem)) } catch {
                discard(request)
                throw error
            }
        }
    }

    func place(_ request: KeyRequest) -> String? { try? path(request) }

    var isImmediate: Bool { true }

    func discard(_ request: KeyRequest) {
        guard request.made.withLock({ $0 }) != nil, let path = try? path(request) else { return }
        try? request.fileSystem.remove(path)
    }

    private func mayMake(for purpose: KeyPurpose) -> Bool {
        switch (purpose, place) {
        case (.create, _), (.firstWrite, .standard): true
        case (.firstWrite, .named), (.open, _): false
        }
    }

    private func path(_ request: KeyRequest) throws(StorageFault) -> String {
        switch place {
        case .named(let path):
            guard !path.isEmpty, !path.utf8.contains(0) else { throw .unavailable(.keySourceMissing) }
            return path
        case .standard:
            let directory = try BaseDirectory.configuration.path(request.environment, request.fileSystem)
            return "\(directory)/\(request.service.text)/vault.key"
        }
    }

    private func read(_ path: String, _ fileSystem: any FileSystem) throws(StorageFault) -> SecureBuffer {
        let file: FileHandle
        do throws(SystemError) {
            file = try fileSystem.open(path, .read)
        } catch {
            switch error.number {
            case ENOENT: throw .unavailable(.keySourceMissing, .errno(error.number))
            case ENOTDIR, EISDIR, ENAMETOOLONG: throw .unavailable(.keySourceUnavailable, .errno(error.number))
            default: throw error.fault
            }
        }
        defer { fileSystem.close(file) }
        let status = try faulting { () throws(SystemError) in try fileSystem.status(of: file) }
        guard status.kind == .regular else { throw .unavailable(.keySourceUnavailable) }
        guard status.owner == fileSystem.user, status.mode & 0o077 == 0 else {
            throw .unavailable(.insecurePermissions)
        }
        guard status.size == Box.keyLength else { throw .unavailable(.keySourceUnavailable) }
        let key = try SecureBuffer(count: Box.keyLength, in: .shared)
        let target = unsafe key.address
        let count = try faulting { () throws(SystemError) in
            unsafe try fileSystem.read(file, into: target, count: Box.keyLength, at: 0)
        }
        guard count == Box.keyLength else { throw .unavailable(.keySourceUnavailable) }
        return key
    }

    private func make(_ path: String, _ request: KeyRequest) throws(StorageFault) -> SharedSecret? {
        let maker = KeyFileMaker(path: path, request: request)
        guard case .standard = place else { return try maker.make() }
        return try PrivateDirectory.making(parentDirectory(of: path), request.fileSystem) { () throws(StorageFault) in
            // It may not have been there before.
            try checkOutside(path, request)
            return try maker.make()
        }
    }

    /// Beside the vault a key would go wherever a copy of the vault goes; nobody asked for that by naming a place.
    private func checkOutside(_ path: String, _ request: KeyRequest) throws(StorageFault) {
        guard try !isSamePlace(parentDirectory(of: path), request.dataDirectory, request.fileSystem) else {
            throw .unavailable(.keySourceUnavailable)
        }
    }

    /// The store would write over a key that stands where one of its own files belongs.
    private func checkApart(_ path: String, _ request: KeyRequest) throws(StorageFault) {
        for own in request.ownFiles where lastComponent(of: own) == lastComponent(of: path) {
            guard try !isSamePlace(parentDirectory(of: own), parentDirectory(of: path), request.fileSystem) else {
                throw .unavailable(.keySourceUnavailable)
            }
        }
    }

    private func lastComponent(of path: String) -> [UInt8] {
        path.utf8.split(separator: UInt8(ascii: "/")).last.map { Array($0) } ?? []
    }

    private func isSamePlace(_ left: String, _ right: String, _ fileSystem: any FileSystem) throws(StorageFault) -> Bool
    {
        do throws(SystemError) {
            let left = try fileSystem.status(at: left, followingLink: true)
            return try left.isSameFile(as: fileSystem.status(at: right, followingLink: true))
        } catch {
            // The data directory may not exist yet; then it is not the one that was just made.
            if error.number == ENOENT { return false }
            throw error.fault
        }
    }
}
