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

    /// How long a note may be about to be taken back before something else must be wrong.
    private static let patience = Duration.seconds(1)

    let path: String
    let fileSystem: any FileSystem
    private let vault: String

    private var directory: String { parentDirectory(of: path) }

    init(besideVault vault: String, _ fileSystem: any FileSystem) {
        path = "\(parentDirectory(of: vault))/credentials.choice"
        self.vault = vault
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
    /// - Parameters:
    ///   - choice: The choice.
    ///   - made: Is told of the note where it was made here.
    /// - Returns: What is noted now: this choice, or that of whoever was faster.
    /// - Throws: Why nothing could be noted.
    func note(_ choice: AutomaticChoice, made: Locked<MadeNote?> = Locked(nil)) throws(StorageFault) -> Note {
        let missing = missingDirectories
        return try PrivateDirectory.making(directory, fileSystem) { () throws(StorageFault) in
            try PrivateDirectory.check(directory, fileSystem)
            do throws(SystemError) {
                let status = try write("\(Self.magic) \(Self.version) \(choice.rawValue)\n")
                made.withLock { $0 = MadeNote(status: status, directories: missing) }
                try sync(or: made)
            } catch {
                guard error.isPresence else { throw error.fault }
            }
            return try read()
        }
    }

    /// The note, kept in its place until it is let go; `nil` where it is gone or says something else by now.
    func hold(_ choice: AutomaticChoice, made: Locked<MadeNote?>) throws(StorageFault) -> HeldNote? {
        let file: FileHandle
        do throws(SystemError) { file = try fileSystem.open(path, .read) } catch {
            guard error.isAbsence else { throw error.fault }
            return nil
        }
        let held = HeldNote(self, file, made: made)
        try FileLock.wait(until: .now + Self.patience) { () throws(SystemError) in
            try fileSystem.tryLock(file, shared: true)
        }
        guard held.isInPlace, try read() == .choice(choice) else { return nil }
        return held
    }

    /// Whether a vault stands beside the note, or something that may be one.
    var isVaultThere: Bool {
        do throws(SystemError) {
            _ = try fileSystem.status(at: vault, followingLink: false)
            return true
        } catch {
            return !error.isAbsence
        }
    }

    private var missingDirectories: [String] {
        var (path, missing): (String, [String]) = (directory, [])
        while (try? fileSystem.status(at: path, followingLink: true)) == nil, parentDirectory(of: path) != path {
            missing.append(path)
            path = parentDirectory(of: path)
        }
        return missing
    }

    /// Syncs the directory, so that the note outlives a power cut; one that may not goes again.
    private func sync(or made: Locked<MadeNote?>) throws(SystemError) {
        do throws(SystemError) { try syncDirectory(directory, fileSystem) } catch {
            try? fileSystem.remove(path)
            made.withLock { $0 = nil }
            throw error
        }
    }

    private func write(_ line: String) throws(SystemError) -> FileStatus {
        let bytes = Array(line.utf8)
        do throws(SystemError) {
            let file = try fileSystem.openUnnamed(in: directory)
            defer { fileSystem.close(file) }
            try fileSystem.write(file, bytes, at: 0)
            try fileSystem.sync(file)
            let status = try fileSystem.status(of: file)
            try fileSystem.link(file, to: path)
            return status
        } catch {
            guard [EOPNOTSUPP, EISDIR, EINVAL, ENOSYS, ENOENT, EPERM, EXDEV].contains(error.number) else { throw error }
            return try writeNamed(bytes)
        }
    }

    /// For file systems that know no files without a name.
    private func writeNamed(_ bytes: [UInt8]) throws(SystemError) -> FileStatus {
        let unfinished = "\(path).\(getpid()).new"
        let file = try fileSystem.open(unfinished, .create)
        defer { fileSystem.close(file) }
        do throws(SystemError) {
            try fileSystem.setSize(0, of: file)
            try fileSystem.write(file, bytes, at: 0)
            try fileSystem.sync(file)
            let status = try fileSystem.status(of: file)
            try fileSystem.renameExclusively(unfinished, to: path)
            return status
        } catch {
            try? fileSystem.remove(unfinished)
            throw error
        }
    }
}
