extension ErrorTable {
    package static func row(for category: UnavailableCategory) -> ErrorRow {
        let (exit, sentence, remedy): (Int32, String, String) =
            switch category {
            case .locked:
                (4, "The keyring is locked.", "Unlock it and try again, or allow a dialog.")
            case .promptNeeded:
                (
                    4, "A person has to be asked, and no question is allowed.",
                    "Allow the dialog, or give the answer in a file or a pipe."
                )
            case .promptDismissed:
                (4, "The question was dismissed.", "Try again and answer it.")
            case .promptTimedOut:
                (9, "Nobody answered the dialog in time.", "Try again while somebody is at the screen.")
            case .sessionLocked:
                (4, "The session is locked, and this store is closed while it is.", "Unlock the session and try again.")
            case .sessionStateUnknown:
                (
                    4, "Whether the session is locked cannot be learnt, and this store needs to know.",
                    "Give the store a session state, or choose the protection level that needs none."
                )
            case .noSessionBus:
                (5, "There is no session bus.", "Choose the file backend, or start a session bus.")
            case .busRefused:
                (5, "The session bus refused the connection.", "Check that the bus belongs to this user.")
            case .noProvider:
                (
                    5, "No Secret Service provider is running.",
                    "Choose the file backend, or install and start a provider."
                )
            case .providerFailedToStart:
                (5, "The Secret Service provider failed to start.", "Look at the provider's own log.")
            case .providerLost:
                (5, "The Secret Service provider went away.", "Try again; if it goes on, look at the provider's log.")
            case .timedOut:
                (9, "No answer came in time.", "Try again; if it goes on, look for a program that hangs.")
            case .lockTimedOut:
                (
                    9, "Another holder kept the store or the lock for too long.",
                    "Try again; if it goes on, look for a stopped program, or for a lock that is taken twice."
                )
            case .protocolViolation:
                (5, "The Secret Service provider gave an answer that makes no sense.", "Update the provider.")
            case .noDefaultCollection:
                (5, "The Secret Service provider has no default collection.", "Create one with the provider's tool.")
            case .groupUnusable:
                (
                    5, "The access group cannot be used.",
                    "Create or unlock it and make it writable; no other place was used."
                )
            case .boundToAnotherProvider:
                (
                    5, "The data of this service lives with another provider, or in another collection of it.",
                    "Start that provider, make that collection the default again, or move the data."
                )
            case .accessDenied:
                (6, "The system denied access to the store.", "Check the owner and the mode of the store's directory.")
            case .deniedByPolicy:
                (6, "A sandbox policy denied access.", "Grant the sandbox access to the Secret Service or the portal.")
            case .insecurePermissions:
                (
                    6, "A file or directory of the store is not private, or is a symbolic link.",
                    "It must be a real file owned by this user, mode 0600, in a directory that others cannot write."
                )
            case .noStorageLocation:
                (
                    5, "There is no usable place for the store.",
                    "Set HOME to this user's own directory, or name a path."
                )
            case .noSpace:
                (11, "There is no space left for the store.", "Free some space and try again; nothing was changed.")
            case .readOnly:
                (11, "The store is on a read-only file system.", "Mount it writable and try again.")
            case .ioError:
                (
                    5, "The system reported an input or output error, or has no memory left.",
                    "Check the disk, the memory limit and the system log."
                )
            case .notConfirmed:
                (
                    5, "Whether the write happened is unknown.",
                    "Read the entry back to see; check the disk and the system log."
                )
            case .unsupportedFileSystem:
                (5, "The store cannot be kept on this kind of file system.", "Name a path on a local disk.")
            case .keySourceMissing:
                (
                    5, "The key of the store is missing.",
                    "Run doctor to see which file is looked for, and put it back or name the right key; none was made."
                )
            case .keySourceUnavailable:
                (5, "The key of the store cannot be used.", "Check the key source that was named; nothing was changed.")
            case .memoryNotLocked:
                (5, "Locked memory was demanded and the system refuses it.", "Raise the limit of locked memory.")
            case .cancelled:
                (9, "The operation was cancelled.", "Try again when it is wanted.")
            case .closed:
                (5, "The store was closed.", "Make a new store object.")
            case .forkedProcess:
                (5, "This process was forked and cannot use its parent's store.", "Make a new store object after exec.")
            case .foreign:
                (5, "A store of another kind failed.", "Look at that store's own log.")
            }
        let name = category.rawValue
        return ErrorRow(name, notation: "unavailable(\(name))", exit: exit, sentence, remedy)
    }
}
