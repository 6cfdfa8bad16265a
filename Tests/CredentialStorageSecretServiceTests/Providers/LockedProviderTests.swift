#if SecretService
    import CredentialStorage
    import CredentialStorageSecretService
    import Foundation
    import SecretServiceTestSupport
    import Testing

    @Suite("Providers that are locked", .serialized, .timeLimit(.minutes(10)))
    struct LockedProviderTests {
        private func expectLocked(_ store: SecretServiceStorage, sourceLocation: SourceLocation = #_sourceLocation)
            throws
        {
            for operation in Operation.allCases {
                let answer = try within(.seconds(30)) { operation.run(store) }
                #expect(answer == .unavailable(.locked), "\(operation)", sourceLocation: sourceLocation)
            }
            #expect(
                Answer(of: .read, within: .seconds(30)) { _ = try store.keys() } == .unavailable(.locked),
                sourceLocation: sourceLocation)
            let probe = try within(.seconds(30)) { store.probe() }
            #expect(probe.isLocked == true && !probe.isReadable, sourceLocation: sourceLocation)
        }

        @Test("a locked gnome-keyring is locked for every operation, and nothing is written anywhere")
        func gnomeKeyring() throws {
            let keyring = try GnomeKeyring()
            let store = keyring.bus.store
            try store.set("value", forKey: "present")
            try store.lock()
            #expect(try store.isLocked)
            try expectLocked(store)
            try expectLocked(keyring.bus.store)
            try keyring.unlockDefault()
            #expect(try !store.isLocked)
            for operation in Operation.allCases {
                #expect(operation.run(store) == operation.fine || operation == .readAll)
            }
            #expect(try keyring.bus.items(["service": service]).count == 1)
        }

        @Test("a daemon that was killed and starts locked is locked, then open, through one store")
        func restartedLocked() throws {
            let keyring = try GnomeKeyring()
            let store = keyring.bus.store
            try store.set("value", forKey: "present")
            try keyring.kill()
            #expect(try within(patience(.seconds(5))) { Operation.get.run(store) } == .unavailable(.noProvider))
            try keyring.start(.locked)
            try expectLocked(store)
            try keyring.unlockDefault()
            for operation in [Operation.get, .getAbsent, .readAll, .replace] {
                #expect(try within(.seconds(30)) { operation.run(store) } == operation.fine, "\(operation)")
            }
            try keyring.restart(.unlocked("password"))
            #expect(try within(.seconds(30)) { Operation.get.run(store) } == .value("another"))
        }

        @Test("a keyring without a password is open to every operation after each start")
        func passwordless() throws {
            let keyring = try GnomeKeyring(.passwordless)
            let store = keyring.bus.store
            try store.set("value", forKey: "present")
            for _ in 0..<3 {
                try keyring.restart(.passwordless)
                for operation in [Operation.get, .getAbsent, .readAll] {
                    #expect(try within(.seconds(30)) { operation.run(store) } == operation.fine, "\(operation)")
                }
            }
            try store.lock()
            #expect(Operation.get.run(store) == .value("value"))
        }

        @Test("a stopped daemon is timed out of, and answers when it goes on")
        func stopped() throws {
            let keyring = try GnomeKeyring()
            let store = keyring.bus.builder().deadline(.milliseconds(500)).build()
            try store.set("value", forKey: "present")
            try keyring.setStopped(true)
            let answer = Result { try within(patience(.milliseconds(500))) { Operation.get.run(store) } }
            try keyring.setStopped(false)
            #expect(try answer.get() == .unavailable(.timedOut))
            #expect(try within(.seconds(30)) { Operation.get.run(keyring.bus.store) } == .value("value"))
            #expect(try within(.seconds(30)) { Operation.get.run(store) } == .value("value"))
        }

        @Test("without any keyring there is no default collection, and none is made")
        func noCollection() throws {
            let keyring = try GnomeKeyring(.locked)
            for operation in Operation.allCases {
                #expect(operation.run(keyring.bus.store) == .unavailable(.noDefaultCollection), "\(operation)")
            }
            #expect(try keyring.bus.collections().values.filter { !$0.isEmpty } == [])
        }

        @Test("a group is the collection of its name; without one it is unusable, and nothing is written elsewhere")
        func group() throws {
            let keyring = try GnomeKeyring()
            let store = keyring.bus.builder().accessGroup("example-suite").build()
            let other = keyring.bus.builder("org.example.other").accessGroup("example-suite").build()
            for operation in Operation.allCases {
                #expect(operation.run(store) == .unavailable(.groupUnusable), "\(operation)")
            }
            #expect(try keyring.bus.items(["service": service]).isEmpty)
            let path = try keyring.makeCollection("example-suite")
            try store.set("value", forKey: "present")
            #expect(Operation.get.run(other) == .value("value"))
            #expect(try keyring.bus.items(attributes("present")).allSatisfy { $0.path.hasPrefix(path) })
            #expect(Operation.get.run(keyring.bus.store) == .value(nil))
            try keyring.bus.lock(path)
            for operation in Operation.allCases {
                #expect(operation.run(store) == .unavailable(.groupUnusable), "\(operation)")
            }
            #expect(try keyring.bus.items(["service": service]).count == 1)
        }

        @Test("a named collection is used, and its neighbours are not")
        func labelled() throws {
            let keyring = try GnomeKeyring()
            let path = try keyring.makeCollection("Second one")
            let store = keyring.bus.builder().collection(.labelled("Second one")).build()
            try store.set("value", forKey: "present")
            #expect(try keyring.bus.items(attributes("present")).map { $0.path.hasPrefix(path) } == [true])
            #expect(Operation.get.run(keyring.bus.store) == .value(nil))
            let session = keyring.bus.builder().collection(.session).build()
            try session.set("passing", forKey: "present")
            #expect(Operation.get.run(store) == .value("value"))
            #expect(Operation.get.run(session) == .value("passing"))
        }

        @Test(
            "a locked KeePassXC is locked, though its search finds nothing or does not return",
            .enabled(if: triesAllProviders, "all providers: make providers"), arguments: [false, true])
        func keePassXC(_ unlocksBeforeSearch: Bool) throws {
            let program = try KeePassXC(.init(unlocksBeforeSearch: unlocksBeforeSearch))
            let store = program.bus.builder().deadline(.seconds(3)).build()
            try store.set("value", forKey: "present")
            try store.lock()
            for operation in Operation.allCases {
                let answer = try within(.seconds(30)) { operation.run(store) }
                #expect(answer == .unavailable(.locked), "\(operation)")
            }
            try program.restart()
            #expect(try within(.seconds(30)) { Operation.get.run(store) } == .value("value"))
        }

        @Test(
            "items that KeePassXC guards are named as locked",
            .enabled(if: triesAllProviders, "all providers: make providers"))
        func guarded() throws {
            let program = try KeePassXC(.init(confirmsAccess: true))
            try program.bus.createItem(attributes("present"), value: Data("value".utf8))
            let store = program.bus.builder().deadline(.seconds(3)).build()
            let answer = try within(.seconds(30)) { Operation.get.run(store) }
            #expect([.refused(.undecryptable(.locked)), .unavailable(.locked)].contains(answer), "\(answer)")
            let all = try within(.seconds(30)) { Operation.readAll.run(store) }
            #expect(all == .read([], omitted: ["present": .locked], lost: 0))
            let unlocking = Answer(of: .read, within: .seconds(30)) { try store.unlock() }
            #expect(unlocking == .refused(.undecryptable(.locked)))
        }

        @Test(
            "a KWallet with a password is locked until it is open, and never an empty value",
            .enabled(if: triesAllProviders, "all providers: make providers"))
        func kWallet() throws {
            let wallet = try KWallet(password: "password")
            let store = wallet.bus.builder().deadline(.seconds(3)).build()
            try expectLocked(store)
            try wallet.open()
            try store.set("value", forKey: "present")
            try store.lock()
            for operation in Operation.allCases {
                #expect(try within(.seconds(30)) { operation.run(store) } == .unavailable(.locked), "\(operation)")
            }
            try wallet.open()
            #expect(try within(.seconds(30)) { Operation.get.run(store) } == .value("value"))
        }
    }
#endif
