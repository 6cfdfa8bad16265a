internal import CCredentialShims
internal import CredentialStorage
internal import CredentialStorageSealing
internal import Glibc

/// What the options say.
package struct Options: Sendable {
    /// Where the key comes from.
    package enum Key: Sendable, Equatable {
        case standard
        case file(String)
        case passphraseFile(String)
        case passphraseDescriptor(Int32)
        /// An entry of the backend of this name.
        case entry(String)
        case systemdCredential(String)
        case kernelKeyring
    }

    /// Whom the command may ask.
    package enum Prompts: Sendable, Equatable {
        case silent
        case allowed
        case never
    }

    package var backend = Backend.automaticName
    package var service = "credstore"
    package var path: String?
    package var collection: String?
    package var group: String?
    /// The backends of the options that only one backend takes: to give such an option is to name its backend.
    package var requiredBackends: [String] = []
    package var key: Key = .standard
    /// Where a new passphrase comes from, if not from the terminal.
    package var newPassphrase: Key?
    /// The backend that holds the entry which is to be a new key.
    package var newKeyBackend: String?
    package var prompts: Prompts = .silent
    package var renewsMasterKey = false
    package var isAgreed = false
    package var isJSON = false
    package var isVerbose = false
    package var wantsHelp = false
    package var wantsVersion = false
    package var makesVault = false
    /// How long each step of a command that only looks may wait.
    package var lookLimit: Duration?

    /// The same for a command that only looks.
    func looking(within limit: Duration) -> Options {
        var options = withoutPrompts
        options.lookLimit = limit
        return options
    }

    /// The same for a command that must not ask.
    var withoutPrompts: Options {
        var options = self
        options.prompts = .never
        return options
    }

    /// The same for a command that makes a vault where there is none.
    var makingVault: Options {
        var options = self
        options.makesVault = true
        return options
    }
}

/// One option of the command line.
package struct OptionRow: Sendable {
    package let name: String
    /// What the value is called, or `nil` where the option takes none.
    package let value: String?
    package let help: String
    /// Options that share an exclusion may not stand together, nor twice.
    let exclusion: String?
    /// The one backend that takes it, or `nil` where all do.
    package let backend: String?
    /// The commands that it belongs to; `nil` for all.
    let commands: [String]?
    let apply: @Sendable (inout Options, String) throws(Failure) -> Void

    init(
        _ name: String,
        value: String? = nil,
        exclusion: String? = nil,
        for backend: String? = nil,
        commands: [String]? = nil,
        _ help: String,
        _ apply: @escaping @Sendable (inout Options, String) throws(Failure) -> Void
    ) {
        self.name = name
        self.value = value
        self.exclusion = exclusion
        self.backend = backend
        self.commands = commands
        self.help = help
        self.apply = apply
    }

    /// Every option.
    ///
    /// To add one, add a row here and a member to ``Options``.
    package static let all: [OptionRow] = [
        OptionRow(
            "--backend", value: "NAME", exclusion: "backend",
            "\(Backend.names); auto by default: what the first write chose"
        ) {
            options, value throws(Failure) in
            guard value == Backend.automaticName || Backend.all.contains(where: { $0.name == value }) else {
                throw .usage("There is no such backend.")
            }
            options.backend = value
        },
        OptionRow(
            "--service", value: "NAME", exclusion: "service", "the namespace of the entries; credstore by default"
        ) {
            $0.service = $1
        },
        OptionRow("--path", value: "FILE", exclusion: "place", for: Backend.fileName, "keep the vault in this file") {
            $0.path = $1
        },
        OptionRow(
            "--collection", value: "LABEL", exclusion: "place", for: Backend.secretServiceName,
            "use the keyring's collection of this label"
        ) {
            $0.collection = $1
        },
        OptionRow(
            "--group", value: "NAME", exclusion: "place",
            "share the vault of a group, which is that of the service of the same name"
        ) {
            $0.group = $1
        },
        OptionRow(
            "--key-file", value: "FILE", exclusion: "key", for: Backend.fileName,
            "take the key from this file; init makes it"
        ) {
            $0.key = .file($1)
        },
        OptionRow(
            "--passphrase-file", value: "FILE", exclusion: "key", for: Backend.fileName,
            "take a passphrase from this file"
        ) {
            $0.key = .passphraseFile($1)
        },
        OptionRow(
            "--passphrase-fd", value: "N", exclusion: "key", for: Backend.fileName,
            "take a passphrase from this open descriptor"
        ) {
            options, value throws(Failure) in
            guard let number = descriptor(value) else { throw .usage("--passphrase-fd wants a number.") }
            options.key = .passphraseDescriptor(number)
        },
        OptionRow(
            "--entry-from", value: "NAME", exclusion: "key", for: Backend.fileName,
            "take the key from the entry \(KeySource.entryName) of this backend: \(Backend.keyHolders)"
        ) {
            $0.key = .entry($1)
        },
        OptionRow(
            "--systemd-credential", value: "NAME", exclusion: "key", for: Backend.fileName,
            "take the key from this credential of the service"
        ) {
            $0.key = .systemdCredential($1)
        },
        OptionRow(
            "--kernel-keyring", exclusion: "key", for: Backend.fileName,
            "take the key from the kernel's memory; it ends with the next boot"
        ) { options, _ in
            options.key = .kernelKeyring
        },
        OptionRow(
            "--new-passphrase-file", value: "FILE", exclusion: "new", commands: ["key", "reset"],
            "with key and reset: take a new passphrase from this file"
        ) {
            $0.newPassphrase = .passphraseFile($1)
        },
        OptionRow(
            "--new-passphrase-fd", value: "N", exclusion: "new", commands: ["key", "reset"],
            "with key and reset: take a new passphrase from this open descriptor"
        ) {
            options, value throws(Failure) in
            guard let number = descriptor(value) else { throw .usage("--new-passphrase-fd wants a number.") }
            options.newPassphrase = .passphraseDescriptor(number)
        },
        OptionRow(
            "--from", value: "NAME", exclusion: "from", commands: ["key"],
            "with key add entry and key change: the backend that holds the entry"
        ) {
            $0.newKeyBackend = $1
        },
        OptionRow("--master", commands: ["key"], "with key rotate: renew the master key too") { options, _ in
            options.renewsMasterKey = true
        },
        OptionRow("--yes", commands: ["repair", "reset"], "with repair and reset: do it without a question") {
            options, _ in
            options.isAgreed = true
        },
        OptionRow("--prompt", exclusion: "prompt", "allow dialogs of a keyring") { options, _ in
            options.prompts = .allowed
        },
        OptionRow("--no-prompt", exclusion: "prompt", "never ask a question, on the terminal neither") { options, _ in
            options.prompts = .never
        },
        OptionRow("--json", "print JSON, errors too") { options, _ in options.isJSON = true },
        OptionRow("-v", "report on standard error, with the names of omitted entries") { options, _ in
            options.isVerbose = true
        },
        OptionRow("--help", "print help, for the command where one is named; the same as -h") { options, _ in
            options.wantsHelp = true
        },
        OptionRow("--version", "print the version") { options, _ in options.wantsVersion = true },
    ]

    private static func descriptor(_ text: String) -> Int32? {
        let isDigits = text.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
        return isDigits ? Int32(text) : nil
    }
}

/// A command line: options before or after the command, up to `--`.
///
/// No message about it repeats a word of it, because a secret may stand there by mistake.
package struct Arguments: Sendable {
    package private(set) var options = Options()
    /// The words after the command, in order; `nil` for one that is not UTF-8.
    package private(set) var operands: [String?] = []
    private var commandWord: String??

    /// The words of this process's command line; `nil` for one that is not UTF-8.
    static var ofThisProcess: [String?] {
        (1..<max(1, ccs_argument_count())).map { index in
            guard let word = unsafe ccs_argument(index) else { return nil }
            return unsafe String(validatingCString: word)
        }
    }

    /// Whether an error about these words, which may be invalid, should be JSON.
    package static func wantsJSON(_ words: [String?]) -> Bool { words.prefix { $0 != "--" }.contains("--json") }

    package init(parsing words: [String?]) throws(Failure) {
        var rest = words[...]
        var seen: [String: Bool] = [:]
        var restricted: [[String]] = []
        while let word = rest.popFirst() {
            guard let word, word.utf8.first == UInt8(ascii: "-"), word.utf8.count > 1 else {
                take(word)
                continue
            }
            if word == "--" {
                for word in rest { take(word) }
                break
            }
            let (name, attached) = word == "-h" ? ("--help", nil) : Self.split(word)
            guard let row = OptionRow.all.first(where: { $0.name == name }) else {
                throw .usage("There is no such option.")
            }
            if let exclusion = row.exclusion, seen.updateValue(true, forKey: exclusion) != nil {
                throw .usage("Options that exclude each other, or one option twice, were given.")
            }
            if let backend = row.backend { options.requiredBackends.append(backend) }
            if let commands = row.commands { restricted.append(commands) }
            guard row.value != nil else {
                guard attached == nil else { throw .usage("An option that takes no value was given one.") }
                try row.apply(&options, "")
                continue
            }
            guard let value = attached ?? rest.popFirst() ?? nil, !value.isEmpty else {
                throw .usage("An option wants a value, which is missing, empty or not UTF-8.")
            }
            try row.apply(&options, value)
        }
        guard case .some(.some(let command)) = commandWord else { return }
        guard restricted.allSatisfy({ $0.contains(command) }) else {
            throw .usage("An option was given that belongs to another command.")
        }
    }

    private mutating func take(_ word: String?) {
        if commandWord == nil { commandWord = .some(word) } else { operands.append(word) }
    }

    /// `--option=value` is the same as `--option value`.
    private static func split(_ word: String) -> (name: String, value: String?) {
        guard word.utf8.starts(with: "--".utf8), let equals = word.utf8.firstIndex(of: UInt8(ascii: "=")) else {
            return (word, nil)
        }
        return (String(word[..<equals]), String(word[word.utf8.index(after: equals)...]))
    }

    /// The command that was named, or `nil` when none was.
    package func command() throws(Failure) -> Command? {
        guard let commandWord else { return nil }
        return try Command.named(commandWord)
    }
}
