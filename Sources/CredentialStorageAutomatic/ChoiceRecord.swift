internal import CredentialStorage
internal import Glibc

/// A small file beside the data that says what the service's first write chose.
///
/// It is no secret.
struct ChoiceRecord: Sendable {
    enum Note: Sendable, Equatable {
        case none
        case choice(AutomaticChoice)
        case unsupportedVersion(Int)
        case damaged
    }

    private static let magic = "credential-storage choice"
    private static let version = 1
    private static let longest = 256

    let path: String
    let fileSystem: any FileSystem

    private var directory: String { parentDirectory(of: path) }

    init(besideVault vault: String, _ fileSystem: any FileSystem) {
        path = "\(parentDirectory(of: vault))/credentials.choice"
        self.fileSystem = fileSystem
    }

    /// What is noted.
    ///
    /// - Throws: Why that cannot be learnt; a file that others may write proves nothing.
    func read() throws(StorageFault) -> Note {
        try PrivateDirectory.checkReachable(directory, fileSystem)
        let file: FileHandle
        do throws(SystemError) {
            file = try fileSystem.open(path, .read)
        } catch {
            guard error.isAbsence else { throw error.fault }
            return .none
        }
        defer { fileSystem.close(file) }
        let status = try faulting { () throws(SystemError) in try fileSystem.status(of: file) }
        guard status.kind == .regular, status.size <= Self.longest else { return .damaged }
        guard status.owner == fileSystem.user, status.mode & 0o022 == 0 else {
            throw .unavailable(.insecurePermissions)
        }
        let bytes = try faulting { () throws(SystemError) in
            try fileSystem.read(file, count: status.size, at: 0)
        }
        return Self.note(in: bytes)
    }

    static func note(in bytes: [UInt8]) -> Note {
        guard let text = String(validating: bytes, as: UTF8.self), text.utf8.last == UInt8(ascii: "\n") else {
            return .damaged
        }
        let words = text.dropLast().split(separator: " ", omittingEmptySubsequences: false).map(String.init)
        let start = magic.split(separator: " ").map(String.init)
        guard words.count > start.count, Array(words.prefix(start.count)) == start,
            let number = Int(words[start.count]), number > 0
        else { return .damaged }
        guard number == version else { return .unsupportedVersion(number) }
        guard words.count == start.count + 2, let choice = AutomaticChoice(rawValue: words[start.count + 1]) else {
            return .damaged
        }
        return .choice(choice)
    }

    /// Notes a choice where none is noted yet, so that of several first starts one wins.
    ///
    /// The file is on the disk before it has its name, and its name is before this returns.
    ///
    /// - Returns: What is noted now: this choice, or that of whoever was faster.
    func note(_ choice: AutomaticChoice) throws(StorageFault) -> Note {
        try PrivateDirectory.making(directory, fileSystem) { () throws(StorageFault) in
            try PrivateDirectory.check(directory, fileSystem)
            do throws(SystemError) {
                try write("\(Self.magic) \(Self.version) \(choice.rawValue)\n")
            } catch {
                guard error.isPresence else { throw error.fault }
            }
            return try read()
        }
    }

    private func write(_ line: String) throws(SystemError) {
        let bytes = Array(line.utf8)
        do throws(SystemError) {
            let file = try fileSystem.openUnnamed(in: directory)
            defer { fileSystem.close(file) }
            try fileSystem.write(file, bytes, at: 0)
            try fileSystem.sync(file)
            try fileSystem.link(file, to: path)
        } catch {
            guard [EOPNOTSUPP, EISDIR, EINVAL, ENOSYS, ENOENT, EPERM, EXDEV].contains(error.number) else { throw error }
            try writeNamed(bytes)
        }
        try syncDirectory(directory, fileSystem)
    }

    /// For file systems that know no files without a name.
    private func writeNamed(_ bytes: [UInt8]) throws(SystemError) {
        let unfinished = "\(path).\(getpid()).new"
        let file = try fileSystem.open(unfinished, .create)
        defer { fileSystem.close(file) }
        do throws(SystemError) {
            try fileSystem.setSize(0, of: file)
            try fileSystem.write(file, bytes, at: 0)
            try fileSystem.sync(file)
            try fileSystem.renameExclusively(unfinished, to: path)
        } catch {
            try? fileSystem.remove(unfinished)
            throw error
        }
    }
}
