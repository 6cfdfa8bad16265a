#if SecretService
    internal import CredentialStorage
    internal import Glibc

    /// Which program a provider is, as far as other names that it has on the bus tell.
    enum ProviderKind: String, Sendable, CaseIterable {
        case gnomeKeyring = "gnome-keyring"
        case keePassXC = "keepassxc"
        case kWallet = "kwallet"

        /// Whether it says by a signal, and before it answers anything else, that the attributes of an item are others.
        ///
        /// What the others do is not known for every version; they answer at once whatever they hold.
        var tellsEveryChange: Bool { self == .gnomeKeyring }

        /// The names of the program itself.
        var names: [String] {
            switch self {
            case .gnomeKeyring: ["org.gnome.keyring"]
            case .keePassXC: ["org.keepassxc.KeePassXC.MainWindow"]
            case .kWallet: WalletService.all.map(\.name)
            }
        }
    }

    /// Lines beside the lock file that say where this service's entries were made: with which provider, and in which
    /// collection where that was the default one.
    ///
    /// What another one does not have is not proven absent: the entries live elsewhere. It is no secret, and without a
    /// place for it nothing is noted.
    struct ProviderRecord {
        private let directory: String
        private let fileSystem: any FileSystem

        init(_ directory: String, _ fileSystem: any FileSystem) {
            self.directory = directory
            self.fileSystem = fileSystem
        }

        private var path: String { directory + "/secret-service.provider" }

        /// A path of the bus has no limit; one beyond this is not noted.
        private static let longest = 4_096

        /// What was noted.
        struct Note: Equatable {
            enum Program: Equatable {
                case none
                case kind(ProviderKind)
                /// Something that is not known here, perhaps by a newer version.
                case unknown
            }

            var program = Program.none
            var collection: ObjectPath?
        }

        /// What is noted; nothing where no note stands.
        ///
        /// - Throws: Why a note that stands there cannot be read. It may say that the entries are elsewhere.
        func read() throws(StorageFault) -> Note {
            let file: FileHandle
            do throws(SystemError) {
                file = try fileSystem.open(path, .read)
            } catch {
                guard error.isAbsence else { throw error.fault }
                return Note()
            }
            defer { fileSystem.close(file) }
            let bytes = try faulting { () throws(SystemError) in
                guard try fileSystem.status(of: file).kind == .regular else { throw SystemError(ELOOP) }
                return try fileSystem.read(file, count: 2 * Self.longest, at: 0)
            }
            guard !bytes.isEmpty else { return Note() }
            let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
            let kind = ProviderKind.allCases.first { $0.rawValue.utf8.elementsEqual(lines[0]) }
            let collection = lines.dropFirst().first { !$0.isEmpty }
            return Note(
                program: kind.map { .kind($0) } ?? .unknown,
                collection: collection.map { ObjectPath(text: String(decoding: $0, as: UTF8.self)) })
        }

        /// Notes what was not noted before.
        func note(_ kind: ProviderKind, _ collection: ObjectPath?) {
            guard let present = try? read() else { return }
            var note = Note(program: .kind(kind), collection: present.collection)
            if let collection, note.collection == nil, collection.text.utf8.count <= Self.longest {
                note.collection = collection
            }
            guard present.program == .none || present.program == note.program, note != present else { return }
            let lines = [kind.rawValue, note.collection?.text].compactMap(\.self)
            let text = lines.map { "\($0)\n" }.joined()
            try? PrivateDirectory.making(directory, fileSystem) { () throws(StorageFault) in
                try PrivateDirectory.check(directory, fileSystem)
                try faulting { () throws(SystemError) in
                    let file = try fileSystem.open(path, .create)
                    defer { fileSystem.close(file) }
                    try fileSystem.write(file, Array(text.utf8), at: 0)
                }
            }
        }
    }

    extension SecretServiceEngine.Context {
        /// Refuses to call something absent that was made with another provider.
        func checkBinding() throws(BusFailure) {
            guard try isBoundElsewhere() else { return }
            throw .unavailable(.boundToAnotherProvider)
        }

        /// Notes with which provider, and in which collection, an entry was made.
        func noteBinding(in collection: ObjectPath?) {
            guard isRecorded, let kind = provider.kind, provider.binding != .noted else { return }
            engine.providerRecord()?.note(kind, search.target == .default ? collection : nil)
            provider.binding = .noted
        }

        /// What is noted of this service; `nil` where there is no place for a note.
        func note() throws(BusFailure) -> ProviderRecord.Note? {
            guard let record = engine.providerRecord() else { return nil }
            return try raising { () throws(StorageFault) in try record.read() }
        }

        private var isRecorded: Bool { search.target != .alias("session") }

        private func isBoundElsewhere() throws(BusFailure) -> Bool {
            guard isRecorded else { return false }
            if let known = provider.binding { return known == .elsewhere }
            guard let note = try note(), note.program != .none else { return false }
            // A provider that nothing is known of is not the one that was noted.
            let isHere = provider.kind.map { note.program == .kind($0) } ?? false
            provider.binding = isHere ? .here : .elsewhere
            return !isHere
        }
    }

    extension SecretServiceEngine {
        func providerRecord() -> ProviderRecord? {
            guard let file = try? lockFile() else { return nil }
            return ProviderRecord(file.directory, options.fileSystem)
        }
    }
#endif
