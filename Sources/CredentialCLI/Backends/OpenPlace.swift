internal import CCredentialShims
internal import CredentialStorage
internal import Glibc

/// A file or directory that is not as private as a store wants it, and how it was found.
///
/// Only `doctor` names paths, to the person whose paths they are.
struct OpenPlace: Sendable {
    let path: String
    let finding: String

    static func all(of files: [String], key: String?) -> [OpenPlace] {
        let directories = (files.prefix(1) + [key].compactMap { $0 }).map(parentDirectory)
        return (files + [key].compactMap { $0 }).compactMap { look($0, forbidden: 0o077) }
            + directories.compactMap { look($0, forbidden: 0o022) }
    }

    private static func look(_ path: String, forbidden: UInt32) -> OpenPlace? {
        var status = ccs_status()
        guard unsafe ccs_status_at(path, 0, &status) == 0 else { return nil }
        let isDirectory = forbidden == 0o022
        if status.mode & S_IFMT == S_IFLNK {
            return isDirectory ? nil : OpenPlace(path: path, finding: "a symbolic link")
        }
        if status.owner != geteuid(), !(isDirectory && status.owner == 0) {
            return OpenPlace(path: path, finding: "owner \(status.owner)")
        }
        guard status.mode & forbidden != 0 else { return nil }
        return OpenPlace(path: path, finding: "mode \(FileMode.digits(of: status))")
    }
}

/// The mode of a file or directory of a store.
struct FileMode: Sendable {
    let what: String
    let digits: String

    /// The modes of what is there.
    static func all(of files: [String], key: String?) -> [FileMode] {
        let directory = files.first.map(parentDirectory)
        let places = zip(["vault", "lock", "directory", "key"], [files.first, files.last, directory, key])
        return places.compactMap { what, path in
            var status = ccs_status()
            guard let path, unsafe ccs_status_at(path, 1, &status) == 0 else { return nil }
            return FileMode(what: what, digits: digits(of: status))
        }
    }

    fileprivate static func digits(of status: ccs_status) -> String {
        let digits = String(status.mode & 0o7777, radix: 8)
        return String(repeating: "0", count: max(0, 4 - digits.count)) + digits
    }
}
