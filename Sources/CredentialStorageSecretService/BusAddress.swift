#if SecretService
    internal import CredentialStorage
    internal import Glibc

    /// Where the session bus is, decided before GLib is called, which would try to start a bus of its own.
    enum BusAddress {
        static func session(
            _ environment: Environment, _ fileSystem: any FileSystem = PosixFileSystem()
        ) throws(StorageFault) -> String {
            if let named = environment["DBUS_SESSION_BUS_ADDRESS"] {
                // Several are tried in turn. Those that would start a program are no addresses of a bus that is there, and
                // no more are those of sockets that are not.
                let usable = named.split(separator: ";").filter { address in
                    ["unix:", "tcp:", "nonce-tcp:"].contains { address.hasPrefix($0) }
                        && !isOfNothing(address, fileSystem)
                }
                guard !usable.isEmpty else { throw .unavailable(.noSessionBus) }
                return usable.joined(separator: ";")
            }
            guard let runtime = environment["XDG_RUNTIME_DIR"], runtime.hasPrefix("/") else {
                throw .unavailable(.noSessionBus)
            }
            let socket = runtime + "/bus"
            guard let status = try? fileSystem.status(at: socket, followingLink: true), status.kind == .other else {
                throw .unavailable(.noSessionBus)
            }
            return "unix:path=" + escape(socket)
        }

        /// Whether an address is that of a socket in whose place nothing stands.
        private static func isOfNothing(_ address: Substring, _ fileSystem: any FileSystem) -> Bool {
            guard address.hasPrefix("unix:"), let path = path(address.dropFirst(5)) else { return false }
            do throws(SystemError) {
                _ = try fileSystem.status(at: path, followingLink: true)
                return false
            } catch {
                return error.isAbsence || error.number == ENOTDIR
            }
        }

        /// The path among the parts of an address, without its escapes.
        private static func path(_ parts: Substring) -> String? {
            let key = "path="
            guard let part = parts.split(separator: ",").first(where: { $0.hasPrefix(key) }) else { return nil }
            var bytes: [UInt8] = []
            var rest = part.dropFirst(key.count).utf8
            while let byte = rest.popFirst() {
                if byte == UInt8(ascii: "%"), let value = UInt8(String(Substring(rest.prefix(2))), radix: 16) {
                    bytes.append(value)
                    rest = rest.dropFirst(2)
                } else {
                    bytes.append(byte)
                }
            }
            return bytes.contains(0) ? nil : String(decoding: bytes, as: UTF8.self)
        }

        static func system(_ environment: Environment) -> String {
            environment["DBUS_SYSTEM_BUS_ADDRESS"] ?? "unix:path=/run/dbus/system_bus_socket"
        }

        /// Bytes that an address gives a meaning of their own are written as `%` and two digits.
        private static func escape(_ path: String) -> String {
            var escaped = ""
            for byte in path.utf8 {
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "/"),
                    UInt8(ascii: "."), UInt8(ascii: "*"):
                    escaped.unicodeScalars.append(Unicode.Scalar(byte))
                default:
                    let digits = Array("0123456789abcdef")
                    escaped += "%\(digits[Int(byte >> 4)])\(digits[Int(byte & 15)])"
                }
            }
            return escaped
        }
    }
#endif
