internal import CredentialStorage
internal import CredentialStorageFile
internal import CredentialStorageSealing

/// A kind of key as `key add` and `key change` name it.
///
/// To add one, add a row.
struct KeyKind: Sendable {
    /// What the kinds take, besides their name.
    enum Operand: Sendable, Equatable {
        case none
        /// A word behind the name.
        case word(String)
        /// The option `--from`.
        case backend
    }

    let name: String
    let operand: Operand
    /// Where the new key comes from, for a vault that the invocation opened.
    let source: @Sendable (Invocation, String, EncryptedFileStorage) throws -> KeySource

    var synopsis: String {
        switch operand {
        case .none: name
        case .word(let word): "\(name) \(word)"
        case .backend: "\(name) --from BACKEND"
        }
    }

    static let passphrase = KeyKind(name: "passphrase", operand: .none) { invocation, _, _ in
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

    static let all: [KeyKind] = [
        passphrase,
        KeyKind(name: "key-file", operand: .word("FILE")) { _, path, _ in .keyFile(path) },
        KeyKind(name: "entry", operand: .backend) { invocation, backend, _ in
            try Backend.keyEntry(from: backend, invocation.options)
        },
        KeyKind(name: "systemd-credential", operand: .word("NAME")) { _, name, _ in .systemdCredential(name) },
        KeyKind(name: "kernel-keyring", operand: .none) { _, _, _ in .kernelKeyring() },
        KeyKind(name: "machine", operand: .none) { _, _, vault in vault.keySource.boundToThisMachine() },
    ]

    /// Understands the words of a kind.
    ///
    /// - Parameters:
    ///   - words: The name, and the operand where there is one.
    ///   - options: What else the command line says.
    /// - Returns: What gives the source of the new key; a person is asked by that only.
    /// - Throws: A usage failure.
    static func parse(
        _ words: ArraySlice<String?>,
        _ options: Options
    ) throws(Failure) -> (Invocation, EncryptedFileStorage) throws -> KeySource {
        guard let name = words.first, let kind = all.first(where: { $0.name == name }) else {
            throw .usage("There is no such kind of key.")
        }
        guard kind.name == passphrase.name || options.newPassphrase == nil,
            kind.operand == .backend || options.newKeyBackend == nil
        else { throw .usage("An option was given that this kind of key does not take.") }
        let rest = Array(words.dropFirst())
        var operand = ""
        switch kind.operand {
        case .none: guard rest.isEmpty else { throw KeyAction.tooMany }
        case .word:
            guard rest.count == 1 else { throw KeyAction.tooMany }
            guard let word = rest[0], !word.isEmpty else {
                throw .usage("A word of the action is empty or not UTF-8.")
            }
            operand = word
        case .backend:
            guard rest.isEmpty else { throw KeyAction.tooMany }
            guard let backend = options.newKeyBackend else { throw .usage("This kind of key wants --from.") }
            operand = backend
        }
        return { [operand] in try kind.source($0, operand, $1) }
    }
}
