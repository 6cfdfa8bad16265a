public import FoundationEssentials

/// The token that an installation of an app was given.
///
/// Printing it in any way shows a fixed text. Two tokens are equal when their texts have the same bytes and they
/// expire at the same moment; comparing the values takes a time that depends on their lengths only.
public struct SDKInstallToken: Sendable, Codable {
    /// The token itself.
    public let value: String
    /// When it expires, or `nil` when that is not known.
    public let expiresAt: Date?
    /// The installation that it belongs to, or `nil` when that is not known.
    public let installID: String?

    /// Makes a token.
    ///
    /// - Parameters:
    ///   - value: The token itself.
    ///   - expiresAt: When it expires.
    ///   - installID: The installation that it belongs to.
    public init(value: String, expiresAt: Date? = nil, installID: String? = nil) {
        self.value = value
        self.expiresAt = expiresAt
        self.installID = installID
    }
}

extension SDKInstallToken: Equatable {
    /// Whether both are the same token, byte for byte.
    public static func == (left: SDKInstallToken, right: SDKInstallToken) -> Bool {
        let sameValue = hasSameBytes(left.value, right.value)
        let sameInstallation =
            switch (left.installID, right.installID) {
            case (nil, nil): true
            case (let mine?, let theirs?): hasSameBytes(mine, theirs)
            default: false
            }
        return sameValue && sameInstallation && left.expiresAt == right.expiresAt
    }

    /// Looks at every byte, so that the time tells nothing about where two texts part.
    private static func hasSameBytes(_ left: String, _ right: String) -> Bool {
        guard left.utf8.count == right.utf8.count else { return false }
        return zip(left.utf8, right.utf8).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
    }
}

extension SDKInstallToken: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// A fixed text.
    public var description: String { "SDKInstallToken(redacted)" }
    /// A fixed text.
    public var debugDescription: String { description }
    /// An empty mirror.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
