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
    /// What another one has is not what was put there, and what it does not have is not proven absent: the entries live
    /// elsewhere. It is no secret, and without a place for it nothing is noted.
    struct ProviderRecord {
        private let place: LockFile
        private var fileSystem: any FileSystem { place.fileSystem }

        init(_ place: LockFile) { self.place = place }

        private var path: String { place.directory + "/secret-service.provider" }

        /// A path of the bus has no limit; one beyond this is not noted.
        private static let longest = 4_096

        /// What was noted.
        struct Note: Equatable {
            enum Program: Equatable {
                case none
                case kind(ProviderKind)
                /// One that had none of the names above. A version that knows more names writes another word for what it
                /// does not know: under this one may stand whatever it has learnt since.
                case nameless
                /// A word that is not known here, perhaps of a newer version.
                case unknown

                init(_ kind: ProviderKind?) { self = kind.map { .kind($0) } ?? .nameless }

                fileprivate init(word: some Sequence<UInt8>) {
                    let kind = ProviderKind.allCases.first { $0.rawValue.utf8.elementsEqual(word) }
                    let isNameless = Self.namelessWord.utf8.elementsEqual(word)
                    self = kind.map { .kind($0) } ?? (isNameless ? .nameless : .unknown)
                }

                private static var namelessWord: String { "other" }

                fileprivate var word: String? {
                    switch self {
                    case .kind(let kind): kind.rawValue
                    case .nameless: Self.namelessWord
                    case .none, .unknown: nil
                    }
                }
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
                try place.checkDirectory()
                guard error.isAbsence else { throw error.fault }
                return Note()
            }
            defer { fileSystem.close(file) }
            let bytes = try faulting { () throws(SystemError) in
                guard try fileSystem.status(of: file).kind == .regular else { throw SystemError(ELOOP) }
                return try fileSystem.read(file, count: 2 * Self.longest, at: 0)
            }
            let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
            // An empty one said something before its disk was full.
            guard !lines[0].isEmpty else { throw .damaged }
            let collection = lines.dropFirst().first { !$0.isEmpty }
            return Note(
                program: Note.Program(word: lines[0]),
                collection: collection.map { ObjectPath(text: String(decoding: $0, as: UTF8.self)) })
        }

        /// Notes what was not noted before.
        ///
        /// - Throws: Why that cannot be done; an earlier note is as it was.
        func note(_ kind: ProviderKind?, _ collection: ObjectPath?) throws(StorageFault) {
            let present = try read()
            var note = Note(program: Note.Program(kind), collection: present.collection)
            if let collection, note.collection == nil, collection.text.utf8.count <= Self.longest {
                note.collection = collection
            }
            let isOurs = [.none, .nameless, note.program].contains(present.program)
            guard isOurs, note != present else { return }
            let text = [note.program.word, note.collection?.text].compactMap(\.self).map { "\($0)\n" }.joined()
            try PrivateDirectory.making(place.directory, fileSystem) { () throws(StorageFault) in
                try PrivateDirectory.check(place.directory, fileSystem)
                try replace(with: Array(text.utf8))
            }
        }

        /// Puts a whole file in the place of what is there.
        private func replace(with bytes: [UInt8]) throws(StorageFault) {
            let suffix = try SystemRandomness().bytes(8).map { String($0, radix: 16) }.joined()
            let unfinished = "\(path).\(suffix)"
            try faulting { () throws(SystemError) in
                let file = try fileSystem.open(unfinished, .createNew)
                do throws(SystemError) {
                    defer { fileSystem.close(file) }
                    try fileSystem.write(file, bytes, at: 0)
                    try fileSystem.syncData(file)
                    try fileSystem.rename(unfinished, to: path)
                } catch {
                    try? fileSystem.remove(unfinished)
                    throw error
                }
            }
        }
    }

    extension SecretServiceEngine.Context {
        /// Refuses a provider that is another one than the one that was noted, whatever it holds.
        ///
        /// - Returns: What is noted of this service, until it was compared; `nil` afterwards, and where there is no place for
        ///   a note.
        /// - Throws: `boundToAnotherProvider`; why the note cannot be read.
        func checkProvider() throws(BusFailure) -> ProviderRecord.Note? {
            guard isRecorded, provider.binding == nil, let note = try note() else { return nil }
            switch note.program {
            case .none: break
            // That it has a name now is no proof of another one: it may have been given it since.
            case .nameless: break
            case .kind(let kind) where kind == provider.kind: provider.binding = .here
            // A provider that nothing is known of is not the one that was noted.
            case .kind, .unknown: throw .unavailable(.boundToAnotherProvider)
            }
            return note
        }

        /// Of a provider without a name the collection is all that is known; another one is that of another provider.
        func checkNameless(_ note: ProviderRecord.Note?, _ collection: ObjectPath) throws(BusFailure) {
            guard let note, note.program == .nameless else { return }
            if search.target == .default, let noted = note.collection, noted != collection {
                throw .unavailable(.boundToAnotherProvider)
            }
            provider.binding = .here
        }

        /// Notes with which provider, and in which collection, an entry was made.
        func noteBinding(in collection: ObjectPath?) {
            guard isRecorded, provider.binding != .noted, let record = engine.providerRecord() else { return }
            do throws(StorageFault) {
                try record.note(provider.kind, search.target == .default ? collection : nil)
                provider.binding = .noted
            } catch {
                engine.options.log.warning("it could not be noted with which provider the entries were made")
            }
        }

        /// What is noted of this service; `nil` where there is no place for a note.
        func note() throws(BusFailure) -> ProviderRecord.Note? {
            guard let record = engine.providerRecord() else { return nil }
            return try raising { () throws(StorageFault) in try record.read() }
        }

        private var isRecorded: Bool { search.target != .alias("session") }
    }

    extension SecretServiceEngine {
        func providerRecord() -> ProviderRecord? { (try? lockFile()).map { ProviderRecord($0) } }
    }
#endif
