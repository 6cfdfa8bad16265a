/// A number that the system or a library gave for a failure, and whose number it is.
public struct StatusCode: Sendable, Hashable, CustomStringConvertible {
    /// Whose numbering a ``StatusCode`` follows.
    public enum Domain: String, Sendable, CaseIterable {
        /// The C library's `errno`.
        case errno
        /// GIO's I/O error enumeration.
        case gio
        /// D-Bus errors.
        case dbus
        /// libsecret's error enumeration.
        case secret
        /// libsodium's return values.
        case sodium
    }

    /// Whose number it is.
    public let domain: Domain
    /// The number.
    public let number: Int32

    /// Makes a code.
    ///
    /// - Parameters:
    ///   - domain: Whose number it is.
    ///   - number: The number.
    public init(domain: Domain, number: Int32) {
        self.domain = domain
        self.number = number
    }

    /// No number is known.
    public static let none = StatusCode(domain: .errno, number: 0)

    /// An `errno` value.
    ///
    /// - Parameter number: The value of `errno`.
    /// - Returns: The code in the `errno` domain.
    public static func errno(_ number: Int32) -> StatusCode { StatusCode(domain: .errno, number: number) }

    /// The domain and the number, or `none`.
    public var description: String { self == .none ? "none" : "\(domain.rawValue) \(number)" }
}
