#if SecretService
    internal import CredentialStorage

    /// Which program a provider is, as far as other names that it has on the bus tell.
    enum ProviderKind: String, Sendable, CaseIterable {
        case gnomeKeyring = "gnome-keyring"
        case keePassXC = "keepassxc"
        case kWallet = "kwallet"

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

        /// What was noted; `nil` where nothing was, or nothing that is known here.
        func read() -> ProviderKind? {
            guard let file = try? fileSystem.open(path, .read) else { return nil }
            defer { fileSystem.close(file) }
            guard let bytes = try? fileSystem.read(file, count: 64, at: 0) else { return nil }
            let line = bytes.prefix { $0 != UInt8(ascii: "\n") }
            return ProviderKind.allCases.first { $0.rawValue.utf8.elementsEqual(line) }
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
            if let record = engine.providerRecord(), record.read() == nil { record.note(kind) }
            provider.binding = .here
        }

        private var isRecorded: Bool { search.target != .alias("session") }

        private func isBoundElsewhere() throws(BusFailure) -> Bool {
            guard isRecorded, let kind = provider.kind else { return false }
            if let known = provider.binding { return known == .elsewhere }
            guard let noted = engine.providerRecord()?.read() else { return false }
            provider.binding = noted == kind ? .here : .elsewhere
            return noted != kind
        }
    }

    extension SecretServiceEngine {
        fileprivate func providerRecord() -> ProviderRecord? {
            guard let file = try? lockFile() else { return nil }
            return ProviderRecord(file.directory, options.fileSystem)
        }
    }
#endif
