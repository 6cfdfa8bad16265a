/// The texts of errors: all of them are here, so that nothing else gets into one.
enum Phrase {
    static let cancelled = "cancelled"

    static let noBaseURL = "the server's address is missing or no address"
    static let notHTTPS = "neither HTTPS nor plain HTTP on loopback"
    static let proxied = "plain HTTP on loopback would go to a proxy; no_proxy does not name the host"
    static let hasCredentials = "an address with a name or password in it"
    static let badRelease = "a release without a usable name"
    static let notFile = "the destination is not a file"
    static let badLocation = "the server named an address that is none"

    static let notJSON = "not the JSON of this call"
    static let unencodable = "a request that cannot be written as JSON"
    static let noReason = APIErrorBody(error: "unspecified", message: "The server gave no reason.")
    static let badToken = "a token that no header can carry"
    static let tooLarge = "more bytes than allowed"
    static let badChecksum = "a checksum that is no SHA-256"
    static let wrongChecksum = "the file does not have the checksum that the server gave"

    static let tooManyRedirects = "too many redirects"
    static let brokenOff = "the connection broke off"
    static let timedOut = "no answer in time"
    static let unknownHost = "the server's name has no address"
    static let refused = "the connection was refused or there is no way to the server"
    static let noTrust = "no trusted connection could be made"
    static let failed = "the exchange failed"
    static let wrongLength = "the file does not have the length that the server gave"

    static func notKept(_ number: Int32) -> String { "the file could not be kept (errno \(number))" }
    static func installerFailed(_ status: Int32) -> String { "the installer ended with status \(status)" }
    static let noInstaller = "the installer could not be started"
    static let installerThrew = "the hand-over to the installer failed"
}
