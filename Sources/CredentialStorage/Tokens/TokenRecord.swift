internal import FoundationEssentials

/// What stands under a token's name.
enum TokenRecord {
    case absent
    case token(SDKInstallToken, members: [JSONMember])
    /// Something that is not a token of this format; it may be replaced.
    case damaged
    /// A token of a later format; it must not be replaced.
    case tooNew

    private static let version = 1
    private static let names = (version: "v", token: "token", expires: "expires", install: "install")

    init(reading bytes: Span<UInt8>?) {
        guard let bytes else {
            self = .absent
            return
        }
        guard let json = try? JSONValue(parsing: bytes), let members = json.object else {
            self = .damaged
            return
        }
        self = Self.interpret(members)
    }

    init(reading data: Data?) {
        if let data { self.init(reading: data.span) } else { self = .absent }
    }

    private static func interpret(_ members: [JSONMember]) -> TokenRecord {
        let versions = members.filter { $0.isNamed(names.version) }
        let numbers = versions.compactMap { $0.value.number.flatMap { Double($0) } }
        // First of all, so that a later format may change everything else.
        if numbers.contains(where: { $0 > Double(version) }) { return .tooNew }
        guard versions.count == 1, numbers == [Double(version)],
            case .only(let token) = find(names.token, in: members), let value = token.string
        else { return .damaged }

        var expiresAt: Date?
        switch find(names.expires, in: members) {
        case .none: break
        case .only(let seconds):
            guard let date = seconds.number.flatMap(DateText.date(from:)) else { return .damaged }
            expiresAt = date
        case .several: return .damaged
        }

        var installID: String?
        switch find(names.install, in: members) {
        case .none: break
        case .only(let install):
            guard let text = install.string else { return .damaged }
            installID = text
        case .several: return .damaged
        }
        return .token(
            SDKInstallToken(value: value, expiresAt: expiresAt, installID: installID), members: members)
    }

    private enum Found {
        case none
        case only(JSONValue)
        case several
    }

    private static func find(_ name: String, in members: [JSONMember]) -> Found {
        let found = members.filter { $0.isNamed(name) }
        return found.isEmpty ? .none : found.count == 1 ? .only(found[0].value) : .several
    }

    /// The token, or the fault that keeps it from being read.
    func token() throws(StorageFault) -> SDKInstallToken? {
        switch self {
        case .absent: nil
        case .token(let token, _): token
        case .damaged: throw .undecryptable(.damaged)
        case .tooNew: throw .undecryptable(.formatTooNew)
        }
    }

    /// The bytes of a new token in place of this record, with the members that this version does not know.
    func replaced(by token: SDKInstallToken) throws(StorageFault) -> Data {
        var members: [JSONMember]
        switch self {
        case .absent, .damaged: members = []
        case .token(_, let present): members = present
        case .tooNew: throw .undecryptable(.formatTooNew)
        }
        var expires: JSONValue?
        if let date = token.expiresAt {
            // Only a date that is no moment at all has no text; JSON could not hold it either.
            guard let seconds = DateText.text(for: date) else { throw .unsupported }
            expires = .number(seconds)
        }
        Self.put(.number(String(Self.version)), Self.names.version, into: &members)
        Self.put(.string(token.value), Self.names.token, into: &members)
        Self.put(expires, Self.names.expires, into: &members)
        Self.put(token.installID.map { .string($0) }, Self.names.install, into: &members)
        var writer = JSONWriter()
        writer.value(.object(members))
        return writer.data
    }

    private static func put(_ value: JSONValue?, _ name: String, into members: inout [JSONMember]) {
        guard let value else {
            members.removeAll { $0.isNamed(name) }
            return
        }
        if let place = members.firstIndex(where: { $0.isNamed(name) }) {
            members[place].value = value
        } else {
            members.append(JSONMember(name, value))
        }
    }
}
