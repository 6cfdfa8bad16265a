#if SecretService
    import CredentialStorage
    import CredentialStorageSecretService
    import CredentialStorageTesting
    import Foundation
    import SecretServiceTestSupport
    import Testing

    @Suite("Errors and logs over the bus", .serialized, .timeLimit(.minutes(5)))
    struct LeakTests {
        private static let provider = Shared { try ScriptedProvider() }

        @Test(
            "no value, no name, no path and no remote text in any error or log",
            arguments: [
                "normal", "locked item", "dismissed writes", "denies by policy", "replies of wrong types",
                "gone in mid-call", "plain only", "dangling path",
            ])
        func canary(_ behaviour: String) throws {
            let provider = try Self.provider.get()
            let canary = Canary()
            let remote = Canary()
            try provider.behave(behaviour)
            // Whatever the provider says in its own words, it says this.
            if behaviour == "normal" {
                try provider.adjust([
                    "errors": [
                        "Item.GetSecret": ["org.example.\(remote.name)", remote.text],
                        "Service.GetSecrets": ["org.example.\(remote.name)", remote.text],
                    ]
                ])
            }
            try provider.add(
                attributes(canary.name), value: canary.value, ["label": "\(service): \(canary.name)"])
            let records = Locked<[String]>([])
            let log = StorageLog(minimumLevel: .debug) { record in
                records.withLock { $0.append(contentsOf: Canary.renderings(of: record.message)) }
            }
            let store = provider.bus.builder().deadline(.milliseconds(500)).log(log).build()
            var texts: [String] = []
            func attempt(_ body: () throws -> Any) {
                do { texts += Canary.renderings(of: try body()) } catch { texts += Canary.renderings(of: error) }
            }
            attempt { try store.set(canary.value, forKey: canary.name) }
            attempt { try store.set(canary.value, forKey: canary.name + "2") }
            attempt { try store.readAll() }
            attempt { try store.compareAndSet(canary.name, expected: nil, new: canary.value) }
            attempt { try store.delete(canary.name) }
            do { _ = try store.get(canary.name) } catch { texts += Canary.renderings(of: error) }
            attempt { store.probe() }
            attempt { store }
            let all = (texts + records.withLock { $0 }).joined(separator: "\n")
            #expect(canary.leaks(in: all) == [])
            #expect(remote.leaks(in: all) == [])
            for foreign in ["AppArmor", "/secret/place", "4711", "remote text", "/org/freedesktop", "unix:path"] {
                #expect(!all.contains(foreign))
            }
        }
    }
#endif
