internal import Glibc

/// Where the base directory specification puts a user's files.
package struct BaseDirectory: Sendable {
    let variable: String
    let underHome: String

    package static let data = BaseDirectory(variable: "XDG_DATA_HOME", underHome: ".local/share")
    package static let configuration = BaseDirectory(variable: "XDG_CONFIG_HOME", underHome: ".config")

    /// The directory, which may not exist yet.
    ///
    /// - Throws: `noStorageLocation` when neither the variable nor `HOME` names a directory that is this user's own.
    ///   A relative variable is ignored, as the specification demands; a relative `HOME` is an error.
    package func path(_ environment: Environment, _ fileSystem: any FileSystem) throws(StorageFault) -> String {
        if let named = try environment.place(variable), named.hasPrefix("/") {
            // It may be missing still; if it is there, somebody else's is a mistake, such as an environment kept by sudo.
            if let status = try status(named, fileSystem) { try check(status, fileSystem) }
            return named
        }
        guard let home = environment["HOME"], home.hasPrefix("/"), let status = try status(home, fileSystem) else {
            throw .unavailable(.noStorageLocation)
        }
        try check(status, fileSystem)
        return "\(home)/\(underHome)"
    }

    private func check(_ status: FileStatus, _ fileSystem: any FileSystem) throws(StorageFault) {
        guard status.kind == .directory, status.owner == fileSystem.user else {
            throw .unavailable(.noStorageLocation)
        }
    }
}

/// What stands at the path of a directory, links followed; `nil` when nothing does.
private func status(_ path: String, _ fileSystem: any FileSystem) throws(StorageFault) -> FileStatus? {
    do throws(SystemError) {
        return try fileSystem.status(at: path, followingLink: true)
    } catch {
        switch error.number {
        case ENOENT: return nil
        case ENOTDIR, ENAMETOOLONG, ELOOP: throw .unavailable(.noStorageLocation, .errno(error.number))
        default: throw error.fault
        }
    }
}

/// Directories that only this user can change.
package enum PrivateDirectory {
    /// Makes the directory, and what is missing above it, each with mode 0700, for something that may fail.
    ///
    /// Those that were made here go again where the body fails and nobody has put anything into them. A body whose
    /// directory another maker took away so begins again.
    package static func making<R: ~Copyable>(
        _ path: String,
        _ fileSystem: any FileSystem,
        _ body: () throws(StorageFault) -> R
    ) throws(StorageFault) -> R {
        for _ in 0..<16 {
            var made: [String] = []
            do throws(StorageFault) {
                try make(path, fileSystem, &made)
                return try body()
            } catch {
                let isGone = try? status(path, fileSystem) == nil
                for directory in made.reversed() { try? fileSystem.removeDirectory(directory) }
                guard isGone == true, case .unavailable(_, let code) = error, code == .errno(ENOENT) else {
                    throw error
                }
            }
        }
        throw .unavailable(.noStorageLocation, .errno(ENOENT))
    }

    private static func make(
        _ path: String,
        _ fileSystem: any FileSystem,
        _ made: inout [String]
    ) throws(StorageFault) {
        if let status = try status(path, fileSystem) {
            guard status.kind == .directory else { throw .unavailable(.noStorageLocation) }
            return
        }
        let parent = parentDirectory(of: path)
        guard parent != path else { throw .unavailable(.noStorageLocation) }
        try make(parent, fileSystem, &made)
        do throws(SystemError) {
            try fileSystem.makeDirectory(path)
            made.append(path)
            try syncDirectory(parent, fileSystem)
        } catch {
            // Another process made it meanwhile.
            guard error.number == EEXIST else { throw error.fault }
        }
    }

    /// Throws unless the directory is ours and nobody else can write to it.
    package static func check(_ path: String, _ fileSystem: any FileSystem) throws(StorageFault) {
        guard let status = try status(path, fileSystem), status.kind == .directory else {
            throw .unavailable(.noStorageLocation)
        }
        guard status.owner == fileSystem.user, status.mode & 0o022 == 0 else {
            throw .unavailable(.insecurePermissions)
        }
    }

    /// Throws where a directory is missing because a link on the way leads nowhere, as to a disk that is not mounted:
    /// what is behind it is out of reach, not absent.
    package static func checkReachable(_ path: String, _ fileSystem: any FileSystem) throws(StorageFault) {
        var path = path
        while try status(path, fileSystem) == nil {
            if let present = try? fileSystem.status(at: path, followingLink: false), present.kind == .symbolicLink {
                throw .unavailable(.noStorageLocation)
            }
            let parent = parentDirectory(of: path)
            guard parent != path else { return }
            path = parent
        }
    }
}

/// The part of a path before its last component: `.` where there is none.
package func parentDirectory(of path: String) -> String {
    let bytes = Array(path.utf8)
    guard let slash = bytes.lastIndex(of: UInt8(ascii: "/")) else { return "." }
    return slash == 0 ? "/" : String(decoding: bytes[..<slash], as: UTF8.self)
}

/// Makes a directory's entries survive a power cut.
///
/// File systems that cannot sync a directory say `EINVAL`.
package func syncDirectory(_ path: String, _ fileSystem: any FileSystem) throws(SystemError) {
    let directory = try fileSystem.open(path, .directory)
    defer { fileSystem.close(directory) }
    do throws(SystemError) {
        try fileSystem.sync(directory)
    } catch {
        guard error.number == EINVAL else { throw error }
    }
}
