internal import CredentialStorage
internal import FoundationEssentials

/// The variables by which `URLSession` finds a proxy, which it obeys for loopback too.
enum ProxyVariables {
    /// Whether a request would leave this machine in the clear although its address is plain HTTP on loopback.
    ///
    /// A name in `no_proxy` counts only when it is the host itself, or stands for all: rather one refusal too many.
    static func sendsAway(_ url: URL, _ environment: Environment) -> Bool {
        guard url.scheme?.lowercased() == "http", let host = url.host else { return false }
        guard ["http_proxy", "all_proxy", "ALL_PROXY"].contains(where: { environment[$0] != nil }) else { return false }
        let exempt = environment["no_proxy"] ?? environment["NO_PROXY"] ?? ""
        return !exempt.split(whereSeparator: { $0 == "," || $0 == " " }).contains { $0 == "*" || $0 == host }
    }
}
