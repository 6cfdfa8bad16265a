internal import CredentialStorage
internal import CredentialStorageSealing

/// A kind of key as `key add` and `key change` name it.
///
/// To add one, give its row a source.
struct KeyKind: Sendable {
    let name: String
    /// The word behind the name, or `nil` where there is none.
    let operand: String?
    /// Where the new key comes from; `nil` for a kind that is not in this build.
    let source: (@Sendable (Invocation, String) throws -> KeySource)?

    var isHere: Bool { source != nil }
    var synopsis: String { operand.map { "\(name) \($0)" } ?? name }

    static let passphrase = KeyKind(name: "passphrase", operand: nil) { invocation, _ in
        let asking: Passphrase.Asking = invocation.options.prompts == .never ? .nobody : .new
        if let named = invocation.options.newPassphrase,
            let passphrase = try Passphrase.named(by: named, asking: asking)
        {
            return passphrase.source
        }
        guard invocation.options.prompts != .never, let terminal = Terminal.controlling else {
            throw Failure.usage("A new passphrase comes from --new-passphrase-file, --new-passphrase-fd or a terminal.")
        }
        return try Passphrase.newOn(terminal).source
    }

    private static let keyFile = KeyKind(name: "key-file", operand: "FILE") { invocation, path in
        guard invocation.options.newPassphrase == nil else {
            throw Failure.usage("An option was given that this kind of key does not take.")
        }
        return .keyFile(path)
    }

    static let all: [KeyKind] = [
        passphrase, keyFile,
        KeyKind(name: "entry", operand: nil, source: nil),
        KeyKind(name: "systemd-credential", operand: "NAME", source: nil),
        KeyKind(name: "kernel-keyring", operand: nil, source: nil),
        KeyKind(name: "machine", operand: nil, source: nil),
    ]

    /// Understands the words of a kind.
    ///
    /// - Parameter words: The name, and the operand where there is one.
    /// - Returns: What gives the source of the new key; a person is asked by that only.
    /// - Throws: A usage failure.
    static func parse(_ words: ArraySlice<String?>) throws(Failure) -> (Invocation) throws -> KeySource {
        guard let name = words.first, let kind = all.first(where: { $0.name == name }) else {
            throw .usage("There is no such kind of key.")
        }
        guard let source = kind.source else { throw .usage("This kind of key is not in this build.") }
        let rest = Array(words.dropFirst())
        guard rest.count == (kind.operand == nil ? 0 : 1) else { throw KeyAction.tooMany }
        guard kind.operand != nil else { return { try source($0, "") } }
        guard let operand = rest[0], !operand.isEmpty else {
            throw .usage("The name of a file is empty or not UTF-8.")
        }
        return { try source($0, operand) }
    }
}
