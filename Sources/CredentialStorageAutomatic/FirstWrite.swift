internal import CredentialStorage

/// A choice with the write that relies on it.
///
/// As long as it goes on nobody takes the note away, so that simultaneous first starts stay with one store.
package struct FirstWrite: Sendable {
    let chosen: Chosen
    /// `nil` where more than the note speaks for the choice.
    let note: HeldNote?

    /// What is used from now on.
    package var selection: AutomaticSelection { chosen.selection }

    /// Makes the write; where it fails and no vault stands, the note that was made for it goes again.
    ///
    /// - Parameter body: The write.
    /// - Returns: What the body returns.
    /// - Throws: What the body throws.
    package func run<R>(_ body: () throws -> R) throws -> R {
        defer { withExtendedLifetime(note) {} }
        do {
            return try body()
        } catch {
            note?.takeBack()
            throw error
        }
    }
}

/// A note that was made by a store object which has seen no vault since.
struct MadeNote: Sendable {
    let status: FileStatus
    /// What was made for it, the innermost directory first.
    let directories: [String]
}

/// An open note, locked against its being taken back by others.
final class HeldNote: Sendable {
    /// How long others may take over a first write of theirs before a failed one leaves its note to them.
    private static let patience = Duration.seconds(1)

    private let record: ChoiceRecord
    private let file: FileHandle
    /// What this store object made; the note is another's unless it is that.
    private let made: Locked<MadeNote?>

    init(_ record: ChoiceRecord, _ file: FileHandle, made: Locked<MadeNote?>) {
        self.record = record
        self.file = file
        self.made = made
    }

    deinit { record.fileSystem.close(file) }

    /// Whether the open file is the one at the path of the note.
    var isInPlace: Bool {
        guard let mine = try? record.fileSystem.status(of: file),
            let present = try? record.fileSystem.status(at: record.path, followingLink: false)
        else { return false }
        return present.isSameFile(as: mine)
    }

    /// Removes the note if it was made here, no vault stands and nobody else is about to make one.
    func takeBack() {
        guard let made = made.withLock({ $0 }), let status = try? record.fileSystem.status(of: file),
            status.isSameFile(as: made.status), isLockedAlone, isInPlace, !record.isVaultThere
        else { return }
        guard (try? record.fileSystem.remove(record.path)) != nil else { return }
        self.made.withLock { $0 = nil }
        for directory in made.directories { try? record.fileSystem.removeDirectory(directory) }
    }

    private var isLockedAlone: Bool {
        do throws(StorageFault) {
            try FileLock.wait(until: .now + Self.patience) { () throws(SystemError) in
                try record.fileSystem.tryLock(file, shared: false)
            }
            return true
        } catch {
            return false
        }
    }
}
