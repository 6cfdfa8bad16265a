#if SecretService
    internal import CredentialStorage

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

    /// A line beside the lock file that says with which provider this service's entries were made.
    ///
    /// Where another one answers, what it does not have is not proven absent: the entries live elsewhere. It is no secret,
    /// and without a place for it nothing is noted.
    struct ProviderRecord {
        private let directory: String
        private let fileSystem: any FileSystem

        init(_ directory: String, _ fileSystem: any FileSystem) {
            self.directory = directory
            self.fileSystem = fileSystem
        }

        private var path: String { directory + "/secret-service.provider" }

        /// What was noted.
        enum Note: Equatable {
            case none
            case kind(ProviderKind)
            /// Something that is not known here, perhaps by a newer version.
            case unknown
        }

        func read() -> Note {
            guard let file = try? fileSystem.open(path, .read) else { return .none }
            defer { fileSystem.close(file) }
            guard let bytes = try? fileSystem.read(file, count: 64, at: 0), !bytes.isEmpty else { return .none }
            let line = bytes.prefix { $0 != UInt8(ascii: "\n") }
            return ProviderKind.allCases.first { $0.rawValue.utf8.elementsEqual(line) }.map { .kind($0) } ?? .unknown
        }

        /// Notes a provider where none was noted before.
        func note(_ kind: ProviderKind) {
            try? PrivateDirectory.making(directory, fileSystem) { () throws(StorageFault) in
                try PrivateDirectory.check(directory, fileSystem)
                try faulting { () throws(SystemError) in
                    let file = try fileSystem.open(path, .createNew)
                    defer { fileSystem.close(file) }
                    try fileSystem.write(file, Array("\(kind.rawValue)\n".utf8), at: 0)
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

        /// Notes with which provider an entry was made.
        func noteBinding() {
            guard isRecorded, let kind = provider.kind, provider.binding != .here else { return }
            if let record = engine.providerRecord(), record.read() == .none { record.note(kind) }
            provider.binding = .here
        }

        private var isRecorded: Bool { search.target != .alias("session") }

        private func isBoundElsewhere() throws(BusFailure) -> Bool {
            guard isRecorded else { return false }
            if let known = provider.binding { return known == .elsewhere }
            guard let note = engine.providerRecord()?.read(), note != .none else { return false }
            // A provider that nothing is known of is not the one that was noted.
            let isHere = provider.kind.map { note == .kind($0) } ?? false
            provider.binding = isHere ? .here : .elsewhere
            return !isHere
        }
    }

    extension SecretServiceEngine {
        fileprivate func providerRecord() -> ProviderRecord? {
            guard let file = try? lockFile() else { return nil }
            return ProviderRecord(file.directory, options.fileSystem)
        }
    }
#endif
