#if SecretService
    import CredentialStorage
    import CredentialStorageSecretService
    import Foundation
    import SecretServiceTestSupport
    import Testing

    @Suite("Where no provider can be reached", .serialized, .timeLimit(.minutes(5)))
    struct NoProviderTests {
        private func check(
            _ environment: Environment, _ category: UnavailableCategory, deadline: Duration = .seconds(5),
            isInstalled: Bool = false,
            sourceLocation: SourceLocation = #_sourceLocation
        ) throws {
            let store = StorageBuilder.SecretService(service: service).environment(environment).log(.silent)
                .deadline(deadline).lookingAhead(false).build()
            for operation in Operation.allCases {
                let answer = try within(patience(deadline)) { operation.run(store) }
                #expect(answer == .unavailable(category), "\(operation)", sourceLocation: sourceLocation)
            }
            let probe = try within(patience(deadline)) { store.probe() }
            // A look starts nothing, so it can only say that something is installed.
            guard !isInstalled else { return }
            #expect(!probe.isReadable && !probe.isWritable, sourceLocation: sourceLocation)
            #expect(probe.reason?.category == category, sourceLocation: sourceLocation)
        }

        private func environment(_ variables: [String: String]) -> Environment { Environment { variables[$0] } }

        @Test("without an address there is no session bus")
        func noAddress() throws {
            try check(environment([:]), .noSessionBus)
            try check(environment(["XDG_RUNTIME_DIR": "/nowhere", "DISPLAY": ":0"]), .noSessionBus)
            try check(environment(["DBUS_SESSION_BUS_ADDRESS": "autolaunch:"]), .noSessionBus)
            try check(environment(["DBUS_SESSION_BUS_ADDRESS": "unixexec:path=/bin/false"]), .noSessionBus)
        }

        @Test("an address at which nothing stands is that of no session bus")
        func noSocket() throws {
            for address in ["unix:path=/nowhere/at/all", "unix:path=/dev/null/bus", "unix:path=/nowhere%2Fbus,guid=1"] {
                try check(environment(["DBUS_SESSION_BUS_ADDRESS": address]), .noSessionBus)
            }
        }

        @Test("of several addresses those at which nothing stands are left out")
        func severalAddresses() throws {
            let provider = try ScriptedProvider()
            try provider.begin("normal")
            var variables = provider.bus.variables
            let own = provider.bus.address.replacingOccurrences(of: "/bus", with: "/%62us")
            variables["DBUS_SESSION_BUS_ADDRESS"] = "unix:path=/nowhere;\(own);unix:path=/nowhere/else"
            let store = StorageBuilder.SecretService(service: service).environment(environment(variables))
                .log(.silent).lookingAhead(false).build()
            #expect(Operation.get.run(store) == .value("value"))
        }

        @Test("an address that nobody listens at, or that means nothing, is a refusal")
        func refused() throws {
            let bus = try PrivateBus()
            let closed = bus.directory + "/closed"
            try FileManager.default.copyItem(atPath: "/dev/null", toPath: closed)
            try bus.endDaemon()
            for address in [bus.address, "unix:path=\(closed)", "unix:", "tcp:host=localhost"] {
                try check(environment(["DBUS_SESSION_BUS_ADDRESS": address]), .busRefused)
            }
        }

        @Test("a bus that accepts and says nothing is timed out of")
        func silentBus() throws {
            let bus = try PrivateBus()
            let path = bus.directory + "/silent"
            let socket = try makeSocket(at: path)
            defer { close(socket) }
            #expect(listen(socket, 64) == 0)
            let silent = environment(["DBUS_SESSION_BUS_ADDRESS": "unix:path=\(path)"])
            try check(silent, .timedOut, deadline: .milliseconds(300))
        }

        @Test("a bus that wants another proof than the kernel's word is a refusal, and nothing is written for it")
        func cookies() throws {
            let bus = try PrivateBus(BusPolicy(mechanism: "DBUS_COOKIE_SHA1"))
            let result = try bus.subject("everything")
            #expect(result.status == 0)
            #expect(result.lines.count == 4 && result.lines.allSatisfy { $0.contains("busRefused") }, "\(result.lines)")
            let home = try #require(bus.variables["HOME"])
            #expect(try FileManager.default.contentsOfDirectory(atPath: home).isEmpty)
        }

        @Test("a bus that refuses this user is a refusal")
        func refusedByBus() throws {
            let bus = try PrivateBus(BusPolicy(refusesConnections: true))
            try check(bus.environment, .busRefused)
            #expect(FileManager.default.fileExists(atPath: bus.directory + "/bus"))
        }

        @Test("the bus in the runtime directory is found without an address")
        func runtimeDirectory() throws {
            let provider = try ScriptedProvider()
            try provider.begin("normal")
            let runtime = provider.bus.directory
            let store = StorageBuilder.SecretService(service: service)
                .environment(environment(["XDG_RUNTIME_DIR": runtime, "XDG_DATA_HOME": provider.bus.dataHome]))
                .log(.silent).build()
            #expect(try store.get("present") == Data("value".utf8))
        }

        @Test("a bus without a provider says so at once")
        func noProvider() throws {
            let bus = try PrivateBus()
            try check(bus.environment, .noProvider)
            let answers = try within(.seconds(20)) { (0..<200).map { _ in Operation.get.run(bus.store) } }
            #expect(answers.allSatisfy { $0 == .unavailable(.noProvider) })
        }

        @Test(
            "a provider that ends, cannot be started, or never takes its name failed to start, under the deadline",
            arguments: ["/bin/false", "/nowhere/provider", "/bin/true", "/bin/sleep 3600"])
        func failsToStart(_ command: String) throws {
            let bus = try PrivateBus(BusPolicy(services: [.init(command: command)]))
            try check(bus.environment, .providerFailedToStart, deadline: .seconds(1), isInstalled: true)
        }

        @Test("an installed provider is started by the first call")
        func starts() throws {
            let bus = try PrivateBus(
                BusPolicy(services: [.init(command: "/usr/bin/python3 -B '\(Tool.scriptedProvider.path)'")]))
            let store = bus.builder().deadline(.seconds(60)).build()
            #expect(try store.get("present") == nil)
            try store.set("value", forKey: "present")
            #expect(try store.get("present") == Data("value".utf8))
        }

        @Test("a filter between us and the provider is a policy, with GLib's own criticals fatal or not")
        func denied() throws {
            let bus = try PrivateBus(BusPolicy(denied: ["org.freedesktop.secrets"]))
            let provider = try ScriptedProvider(on: bus)
            try check(bus.environment, .deniedByPolicy)
            let result = try bus.subject("everything", variables: ["G_DEBUG": "fatal-criticals"])
            #expect(result.status == 0)
            #expect(result.lines.count == 4 && result.lines.allSatisfy { $0.contains("deniedByPolicy") })
            _ = provider
        }

        @Test("no process is started and nothing is said where there is no bus")
        func noLaunch() throws {
            let bus = try PrivateBus()
            let trace = bus.directory + "/trace"
            let result = try bus.subject(
                "everything",
                prefix: [
                    "env", "-u", "DBUS_SESSION_BUS_ADDRESS", "-u", "XDG_RUNTIME_DIR", "-u", "WAYLAND_DISPLAY",
                    "DISPLAY=:77", "ASAN_OPTIONS=detect_leaks=0", "strace", "-f", "-e", "trace=execve", "-o", trace,
                ])
            #expect(result.status == 0)
            #expect(result.lines.count == 4 && result.lines.allSatisfy { $0.contains("noSessionBus") })
            let started = try String(contentsOfFile: trace, encoding: .utf8).split(separator: "\n")
                .filter { $0.contains("execve(") && $0.hasSuffix("= 0") }
            #expect(started.count == 1, "\(started)")
        }

        @Test("the name of the desktop makes no difference")
        func desktop() throws {
            let provider = try ScriptedProvider()
            for name in ["i3", "GNOME", "KDE", "", "sway:wlroots"] {
                try provider.begin("normal")
                let result = try provider.bus.subject(
                    "everything", variables: ["XDG_CURRENT_DESKTOP": name, "DISPLAY": ":77"])
                #expect(result.lines == ["value", "set", "deleted", "BulkRead(1 entries, 0 omitted, 0 lost)"])
            }
        }

        @Test("a store is built at once whatever the bus does, and one warning follows")
        func building() throws {
            let silent = try ScriptedProvider("silent")
            let starting = try PrivateBus(BusPolicy(services: [.init(command: "/bin/sleep 3600")]))
            for (environment, warnings) in [
                (silent.bus.environment, 1), (self.environment([:]), 1), (starting.environment, 0),
            ] {
                let records = Locked(0)
                let log = StorageLog(minimumLevel: .debug) { _ in records.notify { $0 += 1 } }
                let store = try within(.seconds(5)) {
                    StorageBuilder.SecretService(service: service).environment(environment).log(log).build()
                }
                // Nothing more can follow when the look, which takes two seconds at most, has come to its end.
                _ = records.wait(until: .now + (warnings == 0 ? .seconds(3) : .seconds(20))) { $0 > 0 ? $0 : nil }
                #expect(records.withLock { $0 } == warnings)
                store.close()
            }
        }
    }
#endif
