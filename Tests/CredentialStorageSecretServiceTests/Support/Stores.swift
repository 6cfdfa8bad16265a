#if SecretService
    import CredentialStorage
    import CredentialStorageSecretService
    import CredentialStorageTesting
    import Foundation
    import SecretServiceTestSupport
    import Testing

    let service = "org.example.tests"

    /// The attributes with which an entry is stored.
    func attributes(_ name: String, service: String = service) -> [String: String] {
        ["xdg:schema": "org.swift-credential-storage.Entry", "service": service, "account": name]
    }

    extension PrivateBus {
        /// A store on this bus, before its options are set.
        func builder(_ name: String = service) -> StorageBuilder.SecretService {
            StorageBuilder.SecretService(service: name).environment(environment).log(.silent).lookingAhead(false)
        }

        var store: SecretServiceStorage { builder().build() }

        /// Forgets where entries were made: what comes next is another provider.
        func removeNotes() throws {
            for name in try FileManager.default.contentsOfDirectory(atPath: dataHome) {
                let note = dataHome + "/\(name)/locks/secret-service.provider"
                if FileManager.default.fileExists(atPath: note) { try FileManager.default.removeItem(atPath: note) }
            }
        }
    }

    extension ScriptedProvider {
        /// Takes on a behaviour, with one entry that was there before.
        func begin(_ behaviour: String, _ changes: [String: Any] = [:]) throws {
            try bus.removeNotes()
            try behave(behaviour, changes)
            try add(attributes("present"), value: Data("value".utf8), ["label": "\(service): present"])
        }
    }

    /// The attributes by which a suite may share one provider, started when it is first wanted.
    final class Shared<Provider: Sendable>: Sendable {
        private let made = Locked<Result<Provider, any Error>?>(nil)
        private let make: @Sendable () throws -> Provider

        init(_ make: @escaping @Sendable () throws -> Provider) { self.make = make }

        func get() throws -> Provider {
            try made.withLock { made in
                let result = made ?? Result { try make() }
                made = result
                return try result.get()
            }
        }
    }
#endif
