internal import CredentialStorage

#if SecretService
    internal import CredentialStorageSecretService

    extension Backend {
        /// The desktop's keyring.
        static let secretService = Backend(
            name: secretServiceName, open: { try openKeyring($0) }, diagnose: { diagnoseKeyring($0) },
            openForKey: { try openKeyring(forKeyOf: $0) })

        /// How long a person may take to answer a dialog.
        private static let patience = Duration.seconds(120)
        /// How long each half of a diagnosis may take.
        private static let look = Duration.milliseconds(900)

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
            if options.isLook { builder = builder.deadline(look) }
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
                let store = try builder(options.looking).build()
                let probe = store.probe()
                var diagnosis = Diagnosis(failure: probe.reason.map { Failure($0) }, isReadable: probe.isReadable)
                if let isLocked = probe.isLocked {
                    diagnosis.keyring = Diagnosis.Keyring(
                        isLocked: isLocked, isEncrypted: try? store.isSessionEncrypted)
                } else if probe.isReachable {
                    // It is installed, and would be started; a look does not do that.
                    diagnosis.isRunning = false
                }
                if probe.isReachable { diagnosis.protection = try store.protection }
                return diagnosis
            } catch {
                return Diagnosis(failure: Failure(error))
            }
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
}

/// A store that a person can lock and unlock for all programs.
protocol LockableStorage {
    func lock() throws
    func unlock() throws
}
