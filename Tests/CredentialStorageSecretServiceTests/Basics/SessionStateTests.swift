#if SecretService
    import CredentialStorage
    import CredentialStorageSecretService
    import Foundation
    import SecretServiceTestSupport
    import Testing

    @Suite("Whether the user's session is locked", .serialized, .timeLimit(.minutes(2)))
    struct SessionStateTests {
        private func category(_ body: () throws -> Void) -> UnavailableCategory? {
            do { try body() } catch { return (error as? StorageError)?.category }
            return nil
        }

        @Test("the hint of the own session, by its name or without one, closes and opens a store")
        func hint() throws {
            let keyring = try GnomeKeyring()
            let bus = keyring.bus
            let manager = try LoginManager(on: bus)
            for session in [nil, "c7"] {
                let state = LogindSession(environment: manager.environment(session: session))
                let store = StorageBuilder.SecretService(service: "org.example.state")
                    .environment(bus.environment).lookingAhead(false)
                    .accessibility(.whenUnlockedThisDeviceOnly).sessionState(state).build()
                try manager.setLocked(false)
                #expect(try !state.isLocked())
                try store.set("value", forKey: "name")
                try manager.setLocked(true)
                #expect(try state.isLocked())
                #expect(category { _ = try store.get("name") } == .sessionLocked)
                #expect(category { try store.set("value", forKey: "name") } == .sessionLocked)
                #expect(category { try store.unlock() } == .sessionLocked)
                #expect(store.probe().reason?.category == .sessionLocked)
                try manager.setLocked(false)
                #expect(try store.string(forKey: "name") == "value")
                #expect(try store.protection.accessibility == .whenUnlockedThisDeviceOnly)
            }
        }

        @Test("without a system bus, a login manager or a session the state is not known")
        func unknown() throws {
            let bus = try PrivateBus()
            for address in [bus.address, "unix:path=\(bus.directory)/nothing"] {
                let variables = bus.variables.merging(["DBUS_SYSTEM_BUS_ADDRESS": address]) { $1 }
                let state = LogindSession(environment: Environment { variables[$0] })
                #expect(category { _ = try state.isLocked() } == .sessionStateUnknown)
                let store = StorageBuilder.SecretService(service: "org.example.state")
                    .environment(bus.environment).lookingAhead(false)
                    .accessibility(.whenUnlockedThisDeviceOnly).sessionState(state).build()
                #expect(category { _ = try store.get("name") } == .sessionStateUnknown)
            }
        }

        @Test("a session that is not there, and a login manager that is silent or gone, leave the state unknown")
        func silent() throws {
            let manager = try LoginManager(on: try PrivateBus())
            let known = LogindSession(environment: manager.environment(), deadline: .milliseconds(300))
            let unknown = LogindSession(environment: manager.environment(session: "gone"))
            #expect(category { _ = try unknown.isLocked() } == .sessionStateUnknown)
            #expect(try !known.isLocked())
            try manager.stop()
            let silence = try within(patience(.milliseconds(300))) { category { _ = try known.isLocked() } }
            #expect(silence == .sessionStateUnknown)
            try manager.kill()
            #expect(category { _ = try known.isLocked() } == .sessionStateUnknown)
        }

        @Test(
            "the machine's own login manager says the same as loginctl",
            .enabled(if: Self.realHint != nil, "this process is in no session of a login manager"))
        func real() throws {
            #expect(try LogindSession().isLocked() == Self.realHint)
        }

        /// What loginctl says of this process's session; `nil` where there is none.
        private static let realHint: Bool? = {
            guard let session = ProcessInfo.processInfo.environment["XDG_SESSION_ID"] else { return nil }
            let (process, pipe) = (Process(), Pipe())
            process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
            process.arguments = ["loginctl", "show-session", session, "--property=LockedHint", "--value"]
            process.standardOutput = pipe
            process.standardError = FileHandle.nullDevice
            guard (try? process.run()) != nil else { return nil }
            let answer = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
            process.waitUntilExit()
            return ["yes\n": true, "no\n": false][answer]
        }()
    }
#endif
