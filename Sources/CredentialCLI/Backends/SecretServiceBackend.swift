internal import CredentialStorage

#if SecretService
    internal import CredentialStorageSecretService

    extension Backend {
        /// The desktop's keyring.
        static let secretService = Backend(
            name: secretServiceName, open: { try openKeyring($0) }, diagnose: { diagnoseKeyring($0) },
            openForKey: { try openKeyring(forKeyOf: $0) })

        private static func openKeyring(_ options: Options) throws -> SecretServiceStorage {
            try builder(options).build()
        }

        /// The vault of a group has its key where all who share it look: under the group's name, and in no collection of its own.
        private static func openKeyring(forKeyOf vault: Options) throws -> SecretServiceStorage {
            var options = vault
            options.service = vault.group ?? vault.service
            options.group = nil
            return try builder(options).build()
        }

        private static func builder(_ options: Options) throws -> StorageBuilder.SecretService {
            for name in [options.service, options.group].compactMap(\.self) { _ = try ServiceName(checking: name) }
            var builder = StorageBuilder.SecretService(service: options.service).accessGroup(options.group)
                .prompts(prompts(options)).lookingAhead(false)
            if let limit = options.lookLimit { builder = builder.deadline(limit) }
            return options.collection.map { builder.collection(.labelled($0)) } ?? builder
        }

        private static func prompts(_ options: Options) -> StorageBuilder.SecretService.Prompts {
            switch options.prompts {
            case .silent: .silent
            case .allowed: .allowed(deadline: patience)
            case .never: .never
            }
        }

        private static func diagnoseKeyring(_ options: Options) -> Diagnosis {
            do {
                let store = try builder(options).build()
                let report = store.report(within: options.lookLimit ?? .seconds(1))
                let probe = report.probe
                var diagnosis = Diagnosis(
                    failure: probe.reason.map { Failure($0).saidOfProviderNote }, isReadable: probe.isReadable)
                diagnosis.keyring = Diagnosis.Keyring(report)
                // It is installed, and would be started; a look does not do that.
                diagnosis.isRunning = !probe.isReachable || probe.isLocked != nil
                if probe.isReachable { diagnosis.protection = try store.protection }
                return diagnosis
            } catch {
                return Diagnosis(failure: Failure(error))
            }
        }
    }

    extension Diagnosis.Keyring {
        fileprivate init(_ report: KeyringReport) {
            bus = report.bus.rawValue
            provider = report.owner.map { owner in
                Provider(
                    busName: owner.busName, process: owner.process, program: owner.program, kind: owner.kind,
                    version: owner.version)
            }
            collections = report.collections.map { Collection(label: $0.label, isLocked: $0.isLocked) }
            isLocked = report.probe.isLocked
            algorithm = report.algorithm
            isEncrypted = report.isEncrypted
            probe = report.probe
        }
    }

    extension SecretServiceStorage: LockableStorage {}
#else
    extension Backend {
        /// The desktop's keyring, whose module is not in this build.
        static let secretService = Backend(
            name: secretServiceName,
            open: nil,
            diagnose: { _ in Diagnosis(failure: .backendNotInThisBuild) })
    }
#endif

extension Backend {
    static let secretServiceName = "secret-service"

    /// How long a person may take to answer a dialog.
    static let patience = Duration.seconds(120)
}

/// A store that a person can lock and unlock for all programs.
protocol LockableStorage {
    func lock() throws
    func unlock() throws
}
