#if SecretService
    internal import CredentialStorage

    /// Why a call had no answer, or had an error as its answer; nothing of the peer's text is kept.
    struct BusFailure: Error, Sendable, Equatable {
        enum Kind: Sendable {
            /// The object, its interface or its method is not there: each provider spells it in its own way.
            case noSuchObject
            case noSession
            case isLocked
            case notSupported
            case invalidArguments
            /// No program has the name, and none is installed that would take it.
            case noProvider
            /// One is installed and not running, and was not to be started.
            case startable
            case failedToStart
            /// The program that was asked went away.
            case providerLost
            case denied
            case busRefused
            case timedOut
            case cancelled
            case malformed
            /// The bus holds no more open calls of this program now.
            case limited
            /// Any other error of the peer.
            case failed
        }

        var kind: Kind
        var code: StatusCode = .none
        /// What the store answers, where that was decided already.
        var decided: StorageFault?
        /// Whether a prompt stands that could not be taken back.
        var leavesPrompt = false

        init(kind: Kind, code: StatusCode = .none) {
            self.kind = kind
            self.code = code
        }

        init(_ fault: StorageFault) {
            kind = .failed
            decided = fault
        }

        static func store(_ fault: StorageFault) -> BusFailure { BusFailure(fault) }
        static func unavailable(_ category: UnavailableCategory, _ code: StatusCode = .none) -> BusFailure {
            BusFailure(.unavailable(category, code))
        }
    }

    /// Runs something that speaks the language of the store, among things that speak that of the bus.
    func raising<R: ~Copyable>(_ body: () throws(StorageFault) -> R) throws(BusFailure) -> R {
        do {
            return try body()
        } catch {
            throw BusFailure(error)
        }
    }

    extension BusFailure {
        /// An error that a peer answered with.
        ///
        /// - Parameter name: The name of the error.
        init(errorName name: String) {
            if let row = Self.table[name] {
                self.init(kind: row.kind, code: StatusCode(domain: row.domain, number: row.number))
            } else if name.hasPrefix(Self.bus + "Spawn.") {
                self.init(kind: .failedToStart, code: StatusCode(domain: .dbus, number: 27))
            } else {
                self.init(kind: .failed, code: StatusCode(domain: .dbus, number: 0))
            }
        }

        static let malformed = BusFailure(kind: .malformed)

        /// What it means where nobody knows better.
        var fault: StorageFault {
            if let decided { return decided }
            return switch kind {
            case .noSuchObject, .noSession, .malformed, .invalidArguments, .notSupported, .limited:
                .unavailable(.protocolViolation, code)
            case .isLocked: .unavailable(.locked, code)
            // It is the provider's own trouble, and it does not say which: its disk, mostly.
            case .failed: .unavailable(.ioError, code)
            case .noProvider, .startable: .unavailable(.noProvider, code)
            case .failedToStart: .unavailable(.providerFailedToStart, code)
            case .providerLost: .unavailable(.providerLost, code)
            case .denied: .unavailable(.deniedByPolicy, code)
            case .busRefused: .unavailable(.busRefused, code)
            case .timedOut: .unavailable(.timedOut, code)
            case .cancelled: .unavailable(.cancelled, code)
            }
        }

        /// Whether the provider may have done what it was asked, although it did not say so.
        var leavesOutcomeOpen: Bool {
            guard decided == nil else { return leavesPrompt }
            return switch kind {
            // A provider whose disk is full says that something has failed, and no more.
            case .timedOut, .providerLost, .cancelled, .malformed, .failed: true
            default: false
            }
        }

        private struct Row {
            let kind: Kind
            let domain: StatusCode.Domain
            let number: Int32
        }

        private static let bus = "org.freedesktop.DBus.Error."
        private static let secret = "org.freedesktop.Secret.Error."

        /// The numbers are GLib's own for the names of the bus, and libsecret's for those of the Secret Service.
        private static let table: [String: Row] = {
            var table: [String: Row] = [:]
            func add(_ prefix: String, _ name: String, _ kind: Kind, _ number: Int32) {
                let domain: StatusCode.Domain = prefix == secret ? .secret : .dbus
                table[prefix + name] = Row(kind: kind, domain: domain, number: number)
            }
            add(bus, "ServiceUnknown", .noProvider, 2)
            add(bus, "NameHasNoOwner", .noProvider, 3)
            add(bus, "NoReply", .providerLost, 4)
            add(bus, "NotSupported", .notSupported, 7)
            add(bus, "LimitsExceeded", .limited, 8)
            add(bus, "AccessDenied", .denied, 9)
            add(bus, "AuthFailed", .denied, 10)
            add(bus, "Timeout", .timedOut, 12)
            add(bus, "Disconnected", .providerLost, 15)
            add(bus, "InvalidArgs", .invalidArguments, 16)
            add(bus, "UnknownMethod", .noSuchObject, 19)
            add(bus, "TimedOut", .timedOut, 20)
            add(bus, "Spawn.ExecFailed", .failedToStart, 23)
            add(bus, "Spawn.ForkFailed", .failedToStart, 24)
            add(bus, "Spawn.ChildExited", .failedToStart, 25)
            add(bus, "Spawn.ChildSignaled", .failedToStart, 26)
            add(bus, "UnknownObject", .noSuchObject, 41)
            add(bus, "UnknownInterface", .noSuchObject, 42)
            add(bus, "AppArmorSecurityContextUnknown", .denied, 9)
            add(secret, "IsLocked", .isLocked, 2)
            add(secret, "NoSuchObject", .noSuchObject, 3)
            add(secret, "NoSession", .noSession, 3)
            return table
        }()
    }
#endif
