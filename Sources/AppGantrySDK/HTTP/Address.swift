internal import FoundationEssentials

/// Which addresses may be used, and which are one server.
enum Address {
    /// Looks at an address before anything is sent there.
    ///
    /// - Throws: ``SDKError/invalidURL(_:)``.
    static func check(_ url: URL) throws(SDKError) {
        guard let parts = URLComponents(url: url, resolvingAgainstBaseURL: true), let host = parts.host, !host.isEmpty
        else { throw .invalidURL(Phrase.noBaseURL) }
        guard parts.user == nil, parts.password == nil else { throw .invalidURL(Phrase.hasCredentials) }
        switch parts.scheme?.lowercased() {
        case "https": return
        case "http" where isLoopback(host): return
        default: throw .invalidURL(Phrase.notHTTPS)
        }
    }

    /// Whether a host is this machine: by its number, or by the name that always means it.
    static func isLoopback(_ host: String) -> Bool {
        let name = host.lowercased()
        if ["localhost", "::1", "[::1]"].contains(name) { return true }
        let numbers = name.split(separator: ".", omittingEmptySubsequences: false)
        let isDigit = { (byte: UInt8) in (0x30...0x39).contains(byte) }
        return numbers.count == 4 && numbers[0] == "127"
            && numbers.allSatisfy { $0.utf8.allSatisfy(isDigit) && UInt8($0) != nil }
    }

    /// Whether both are one server: scheme, host and port.
    static func isSameOrigin(_ left: URL, _ right: URL) -> Bool {
        func origin(_ url: URL) -> [String] {
            let scheme = url.scheme?.lowercased() ?? ""
            let port = url.port ?? (scheme == "https" ? 443 : 80)
            return [scheme, url.host?.lowercased() ?? "", String(port)]
        }
        return origin(left) == origin(right)
    }

    /// The address of a route, with its values percent-encoded.
    static func url(
        _ route: AppGantryDeployment.Route, below base: URL?, _ values: [(String, String)] = [],
        query: [(String, String)] = []
    ) throws(SDKError) -> URL {
        guard let base, base.query == nil, base.fragment == nil else { throw .invalidURL(Phrase.noBaseURL) }
        var path = route.path
        for (name, value) in values { path = replace("{\(name)}", in: path, by: try encoded(value)) }
        var text = base.absoluteString
        while text.hasSuffix("/") { text.removeLast() }
        text += path
        for (index, (name, value)) in query.enumerated() {
            text += "\(index == 0 ? "?" : "&")\(name)=\(try encoded(value))"
        }
        guard let url = URL(string: text) else { throw .invalidURL(Phrase.noBaseURL) }
        try check(url)
        return url
    }

    private static func replace(_ name: String, in path: String, by value: String) -> String {
        let parts = path.split(separator: "/", omittingEmptySubsequences: false)
        return parts.map { $0 == name ? value : String($0) }.joined(separator: "/")
    }

    /// Every byte that is not plainly a letter, a digit or one of `-_~.` becomes `%XX`; a name of dots alone would be a
    /// step in the path.
    private static func encoded(_ value: String) throws(SDKError) -> String {
        guard !value.isEmpty, value.utf8.count <= 1024, value.utf8.contains(where: { $0 != UInt8(ascii: ".") }) else {
            throw .invalidURL(Phrase.badRelease)
        }
        var result = ""
        for byte in value.utf8 {
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F, 0x7E:
                result.unicodeScalars.append(Unicode.Scalar(byte))
            default:
                let digits = String(byte, radix: 16, uppercase: true)
                result += "%" + (digits.utf8.count == 1 ? "0" : "") + digits
            }
        }
        return result
    }

    /// An address that the server named, absolute or relative to another; from HTTPS only HTTPS is reached.
    static func resolve(_ text: String, against base: URL) throws(SDKError) -> URL {
        guard let url = URL(string: text, relativeTo: base)?.absoluteURL else { throw .invalidURL(Phrase.badLocation) }
        try check(url)
        if base.scheme?.lowercased() == "https", url.scheme?.lowercased() != "https" {
            throw .invalidURL(Phrase.notHTTPS)
        }
        return url
    }
}
