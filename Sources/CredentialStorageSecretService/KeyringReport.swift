#if SecretService
    package import CredentialStorage

    /// What a look at the bus and at the provider tells, as far as each of them answers in time.
    package struct KeyringReport: Sendable {
        package enum Bus: String, Sendable {
            case absent = "none"
            /// It cannot be connected to.
            case refused
            /// It takes the connection, or not even that, and then says nothing.
            case silent = "no answer"
            case connected
        }

        /// The program that has the Secret Service's name.
        package struct Owner: Sendable {
            /// Its own name on the bus.
            package let busName: String
            package var process: Int32?
            /// What it was started as, without its arguments.
            package var program: String?
            /// Which provider that is, where other names of it tell.
            package let kind: String?
            /// The protocol has none; some say it elsewhere.
            package var version: String?
        }

        package struct Collection: Sendable {
            package let label: String
            /// `nil` where it did not say.
            package let isLocked: Bool?
        }

        package var bus: Bus
        package var owner: Owner?
        package var collections: [Collection] = []
        /// How secrets travel over the bus; `nil` where no session could be opened.
        package var algorithm: String?
        package let probe: StorageProbe

        package var isEncrypted: Bool { algorithm == SecretSession.encryptedAlgorithm }
    }

    extension SecretServiceStorage {
        /// Looks without a dialog, without a write, and without starting a provider.
        ///
        /// - Parameter limit: How long all of it may take, but for a moment.
        /// - Returns: What was learnt by then.
        package func report(within limit: Duration) -> KeyringReport {
            let deadline = Deadline(after: limit)
            let probe = probe()
            var report = KeyringReport(bus: .connected, probe: probe)
            let provider: Provider
            do throws(BusFailure) {
                provider = try engine.link.provider(until: deadline, mayStart: false)
            } catch {
                switch error.fault {
                case .unavailable(.noSessionBus, _): report.bus = .absent
                case .unavailable(.busRefused, _): report.bus = .refused
                case .unavailable(.timedOut, _): report.bus = .silent
                default: break
                }
                return report
            }
            report.owner = owner(provider)
            // One that said nothing to a look is not asked again.
            guard probe.isReachable || probe.reason?.category != .timedOut else { return report }
            report.owner?.version = version(provider, deadline)
            report.collections = (try? collections(provider, deadline)) ?? []
            report.algorithm = (try? engine.link.session(with: provider, until: deadline))?.algorithm
            return report
        }

        /// What the bus and the system know about the program.
        private func owner(_ provider: Provider) -> KeyringReport.Owner {
            var owner = KeyringReport.Owner(busName: provider.name, kind: provider.kind?.rawValue)
            let question = BusCall(
                destination: "org.freedesktop.DBus", path: .bus, interface: "org.freedesktop.DBus",
                member: "GetConnectionUnixProcessID", arguments: [.string(provider.name)])
            // This one goes to the bus, which has just answered.
            let answer = try? provider.connection.call(question, until: Deadline(after: .milliseconds(200)))
            guard case .unsigned32(let number)? = answer?.first, let process = Int32(exactly: number) else {
                return owner
            }
            owner.process = process
            owner.program = program(of: process)
            return owner
        }

        private func program(of process: Int32) -> String? {
            let fileSystem = engine.options.fileSystem
            guard let file = try? fileSystem.open("/proc/\(process)/cmdline", .read) else { return nil }
            defer { fileSystem.close(file) }
            guard let bytes = try? fileSystem.read(file, count: 4096, at: 0) else { return nil }
            let name = bytes.prefix { $0 != 0 }.split(separator: UInt8(ascii: "/")).last ?? []
            return name.isEmpty ? nil : String(decoding: name, as: UTF8.self)
        }

        /// What programs made with Qt say about themselves.
        private func version(_ provider: Provider, _ deadline: Deadline) -> String? {
            let question = BusCall(
                destination: provider.name, path: ObjectPath(text: "/MainApplication"),
                interface: "org.freedesktop.DBus.Properties", member: "Get",
                arguments: [.string("org.qtproject.Qt.QCoreApplication"), .string("applicationVersion")])
            return (try? provider.answer(question, until: deadline))?.first?.inside?.string
        }

        private func collections(
            _ provider: Provider, _ deadline: Deadline
        ) throws(BusFailure) -> [KeyringReport.Collection] {
            let reply = try provider.answer(
                provider.property("Collections", of: "Service", on: .service), until: deadline)
            guard let paths = reply.first?.inside?.paths else { throw .malformed }
            let calls = ["Label", "Locked"].flatMap { name in
                paths.map { provider.property(name, of: "Collection", on: $0) }
            }
            let answers = try provider.exchange(calls, until: deadline).map { try? $0.get().first?.inside }
            return paths.indices.compactMap { index in
                guard let label = answers[index]?.string, !label.isEmpty else { return nil }
                return KeyringReport.Collection(label: label, isLocked: answers[paths.count + index]?.boolean)
            }
        }
    }

    extension SecretSession {
        fileprivate var algorithm: String { isEncrypted ? Self.encryptedAlgorithm : Self.plainAlgorithm }
    }
#endif
