#if SecretService
    import CredentialStorage
    import CredentialStorageSecretService
    import Foundation
    import SecretServiceTestSupport
    import Testing

    @Suite("States of a store over the Secret Service", .serialized, .timeLimit(.minutes(5)))
    struct StateTests {
        private static let provider = Shared { try ScriptedProvider() }
        private let person = BehaviourRow.Prompts.allowed(deadline: .seconds(10))

        private func begin(_ behaviour: String = "normal") throws -> ScriptedProvider {
            let provider = try Self.provider.get()
            try provider.begin(behaviour)
            return provider
        }

        @Test("unlocking throws unless the collection is open afterwards")
        func unlocking() throws {
            for (behaviour, prompts, answer) in [
                ("locked collection", person, Answer.done), ("normal", .silent, .done),
                ("locked collection that opens by itself", .silent, .done),
                ("locked collection", .silent, .unavailable(.locked)),
                ("dismissed", person, .unavailable(.promptDismissed)),
                ("completed but locked", person, .unavailable(.locked)),
                ("unlock without effect", .silent, .unavailable(.locked)),
                ("locked item", .silent, .refused(.undecryptable(.locked))), ("locked item", person, .done),
                ("alias absent", .silent, .unavailable(.noDefaultCollection)),
            ] {
                let provider = try begin(behaviour)
                let store = provider.bus.builder().prompts(prompts).build()
                #expect(Answer(of: .read, within: .seconds(30)) { try store.unlock() } == answer, "\(behaviour)")
                if answer == .done { #expect(try !store.isLocked) }
            }
        }

        @Test("a prompt that has come to its end with another client is no fault where that one has opened it")
        func sharedPrompt() throws {
            let provider = try begin("locked collection")
            try provider.adjust(["errors": ["Prompt.Prompt": ["org.freedesktop.DBus.Error.UnknownObject", ""]]])
            let store = provider.bus.builder().prompts(person).deadline(.seconds(60)).build()
            let answer = Locked<Answer?>(nil)
            onThread {
                let result = Operation.get.run(store)
                answer.notify { $0 = result }
            }
            while try provider.counts()["Prompt.Prompt", default: 0] < 1 { pause(for: .milliseconds(1)) }
            try provider.setLocked(false)
            #expect(answer.wait(until: .now + .seconds(60)) { $0 } == .value("value"))
            try provider.setLocked(true)
            let alone = provider.bus.builder().prompts(person).build()
            #expect(Operation.get.run(alone) == .unavailable(.protocolViolation))
        }

        @Test(
            "locking locks, also where the provider does it by a prompt",
            arguments: ["normal", "self-completing prompts"])
        func locking(_ behaviour: String) throws {
            let provider = try begin(behaviour)
            let store = provider.bus.store
            try store.lock()
            #expect(try store.isLocked)
            #expect(Operation.get.run(store) == .unavailable(.locked))
            try store.lock()
        }

        @Test("waiting ends when somebody unlocks, and asks nobody")
        func waiting() async throws {
            let provider = try begin("locked collection")
            let store = provider.bus.store
            let task = Task { try await store.waitUntilAvailable() }
            while try provider.counts().isEmpty { try await Task.sleep(for: .milliseconds(5)) }
            try provider.setLocked(false)
            try await task.value
            #expect(try await store.get("present") == Data("value".utf8))
            #expect(try provider.counts()["Prompt.Prompt"] == nil)
        }

        @Test("waiting for what is not a lock ends with its error")
        func waitingForNothing() async throws {
            let provider = try begin("alias absent")
            await #expect(throws: (any Error).self) { try await provider.bus.store.waitUntilAvailable() }
        }

        @Test("a closed store answers nothing, and another over the same keyring is not closed")
        func closing() throws {
            let provider = try begin()
            let store = provider.bus.store
            #expect(Operation.get.run(store) == .value("value"))
            store.close()
            store.close()
            for operation in Operation.allCases { #expect(operation.run(store) == .unavailable(.closed)) }
            #expect(Operation.get.run(provider.bus.store) == .value("value"))
        }

        @Test("an unencrypted session is refused where encryption is required, and warned about where it is not")
        func encryption() throws {
            let provider = try begin("plain only")
            let required = provider.bus.builder().sessionEncryption(.required).build()
            for operation in [Operation.get, .set, .replace, .readAll] {
                #expect(operation.run(required) == .refused(.unsupported), "\(operation)")
            }
            let warnings = Locked(0)
            let log = StorageLog(minimumLevel: .warning) { _ in warnings.withLock { $0 += 1 } }
            let preferred = provider.bus.builder().log(log).build()
            #expect(Operation.get.run(preferred) == .value("value"))
            #expect(try !preferred.isSessionEncrypted)
            #expect(warnings.withLock { $0 } == 1)
            try provider.begin("DH only")
            let encrypted = provider.bus.builder().sessionEncryption(.required).build()
            #expect(Operation.get.run(encrypted) == .value("value"))
            #expect(try encrypted.isSessionEncrypted)
        }

        @Test("a provider that confirms a change and does not make it is believed, and what it has is told afterwards")
        func lostWrites() throws {
            let provider = try begin("loses writes")
            let store = provider.bus.store
            #expect(Operation.set.run(store) == .done)
            #expect(try store.get("fresh") == nil)
            #expect(Operation.replace.run(store) == .done)
            #expect(Operation.get.run(store) == .value("value"))
            #expect(Operation.delete.run(store) == .deleted(true))
            #expect(Operation.readAll.run(store) == Operation.readAll.fine)
        }

        @Test("a provider without any session is told as such")
        func noSession() throws {
            let provider = try begin("no session algorithm")
            let answer = Operation.get.run(provider.bus.store)
            #expect([.refused(.unsupported), .unavailable(.protocolViolation)].contains(answer), "\(answer)")
        }

        @Test(
            "every value comes back from providers that change or refuse bytes",
            arguments: [
                "mangles bytes", "mangles newlines", "rejects bytes", "plain only", "self-completing prompts",
            ])
        func values(_ behaviour: String) throws {
            let provider = try begin(behaviour)
            let store = provider.bus.store
            for (name, value) in Samples.all where value.count < 100_000 {
                try store.set(value, forKey: "entry")
                #expect(try store.get("entry") == value, "\(name)")
            }
        }

        private struct Session: SessionState {
            let answer: Result<Bool, CancellationError>
            func isLocked() throws -> Bool { try answer.get() }
        }

        @Test(
            "the stricter level refuses while the session is locked, or where that is not known, and asks no provider")
        func accessibility() throws {
            let provider = try begin()
            for (answer, expected) in [
                (Result<Bool, CancellationError>.success(true), UnavailableCategory.sessionLocked),
                (.failure(CancellationError()), .sessionStateUnknown),
            ] {
                let store = provider.bus.builder().accessibility(.whenUnlockedThisDeviceOnly)
                    .sessionState(Session(answer: answer)).build()
                for operation in Operation.allCases { #expect(operation.run(store) == .unavailable(expected)) }
            }
            #expect(try provider.counts() == [:])
            let open = provider.bus.builder().accessibility(.whenUnlockedThisDeviceOnly)
                .sessionState(Session(answer: .success(false))).build()
            #expect(Operation.get.run(open) == .value("value"))
        }
    }
#endif
