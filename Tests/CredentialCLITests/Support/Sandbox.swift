import CredentialStorage
import FoundationEssentials
import Glibc
import Testing

/// What a run of the tool left behind.
struct Outcome {
    let exit: Int32
    let out: [UInt8]
    let error: String

    var text: String { String(decoding: out, as: UTF8.self) }

    /// Standard output as one JSON value.
    func json() throws -> JSONValue { try JSONValue(parsing: text) }
}

/// A home directory of its own for one test, and the tool run in it.
final class Sandbox {
    let root: String
    let home: String
    /// Whether the tool runs as somebody for whom modes count, which they do not for root.
    private let asOrdinaryUser: Bool
    private let tool: String
    private var runs = 0

    private static let ordinaryUser: uid_t = 65534

    init(asOrdinaryUser: Bool = false) throws {
        var template = Array("/tmp/credstore-test-XXXXXX".utf8CString)
        guard unsafe mkdtemp(&template) != nil else { throw TestProblem("mkdtemp: \(errno)") }
        root = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        home = "\(root)/home"
        self.asOrdinaryUser = asOrdinaryUser && geteuid() == 0
        guard unsafe mkdir(home, 0o700) == 0 else { throw TestProblem("mkdir: \(errno)") }
        let built = try Self.builtTool()
        if self.asOrdinaryUser {
            // The build directory may be closed to others.
            tool = "\(root)/credstore"
            try Self.copy(built, to: tool)
            try give(home)
            try give(root)
        } else {
            tool = built
        }
    }

    deinit { try? FileManager.default.removeItem(atPath: root) }

    /// Copies in a process of its own.
    ///
    /// A copy that this process wrote could still be open for writing in a child of another test, and would not start.
    private static func copy(_ source: String, to target: String) throws {
        let copy = Launch(
            program: "/bin/cp", arguments: [source, target].map { Array($0.utf8) }, environment: [],
            output: .file("/dev/null", O_WRONLY), error: .file("/dev/null", O_WRONLY))
        guard try exitCode(of: try copy.start()) == 0 else { throw TestProblem("cp failed") }
    }

    /// The tool stands beside the test program.
    private static func builtTool() throws -> String {
        let program = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        let directory = program.utf8.lastIndex(of: UInt8(ascii: "/")).map { String(program[..<$0]) } ?? "."
        let tool = "\(directory)/credstore"
        guard unsafe access(tool, X_OK) == 0 else { throw TestProblem("credstore is not beside the test program") }
        return tool
    }

    /// Gives a file to the user that the tool runs as.
    func give(_ path: String) throws {
        guard asOrdinaryUser else { return }
        guard unsafe lchown(path, Self.ordinaryUser, Self.ordinaryUser) == 0 else {
            throw TestProblem("chown: \(errno)")
        }
    }

    var dataDirectory: String { "\(home)/.local/share/credstore" }
    var vault: String { "\(dataDirectory)/credentials.vault" }
    var keyFile: String { "\(home)/.config/credstore/vault.key" }

    /// A path in this sandbox outside the home.
    func path(_ name: String) -> String { "\(root)/\(name)" }

    /// Runs the tool with bytes piped in.
    @discardableResult
    func run(
        _ words: String...,
        input: [UInt8]? = nil,
        environment: [String: String?] = [:]
    ) throws -> Outcome {
        try run(raw: words.map { Array($0.utf8) }, input: input, environment: environment)
    }

    @discardableResult
    func run(
        raw words: [[UInt8]],
        input: [UInt8]? = nil,
        environment: [String: String?] = [:],
        adjusting adjust: (inout Launch) -> Void = { _ in }
    ) throws -> Outcome {
        var launch = launch(words, environment)
        if let input {
            let file = path("in-\(runs)")
            try write(input, toFile: file, mode: 0o644)
            launch.input = .file(file, O_RDONLY)
        }
        adjust(&launch)
        let code = try exitCode(of: try launch.start())
        return try outcome(code)
    }

    /// Runs a shell line in which `$credstore` is the tool, as an argument of the command that is to come before it.
    @discardableResult
    func shell(
        _ line: String,
        before: [String] = [],
        environment: [String: String?] = [:]
    ) throws -> Outcome {
        var launch = launch([], environment)
        launch.environment.append("credstore=\(tool)")
        let shell = ["/bin/sh", "-c", line]
        let words = before + (asOrdinaryUser ? Self.setpriv + shell : shell)
        launch.program = words[0]
        launch.arguments = words.dropFirst().map { Array($0.utf8) }
        return try outcome(try exitCode(of: try launch.start()))
    }

    private static let setpriv = [
        "/usr/bin/setpriv", "--reuid=\(ordinaryUser)", "--regid=\(ordinaryUser)", "--clear-groups",
    ]

    /// How the tool would be started; the outputs go to files that ``outcome(_:)`` reads.
    func launch(_ words: [[UInt8]], _ environment: [String: String?] = [:]) -> Launch {
        runs += 1
        var variables: [String: String?] = ["HOME": home, "PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8"]
        variables.merge(environment) { $1 }
        let program = asOrdinaryUser ? Self.setpriv + [tool] : [tool]
        return Launch(
            program: program[0],
            arguments: program.dropFirst().map { Array($0.utf8) } + words,
            environment: variables.compactMap { name, value in value.map { "\(name)=\($0)" } },
            output: .file(path("out-\(runs)"), O_WRONLY | O_CREAT | O_TRUNC),
            error: .file(path("err-\(runs)"), O_WRONLY | O_CREAT | O_TRUNC))
    }

    func outcome(_ code: Int32) throws -> Outcome {
        let files = (out: path("out-\(runs)"), error: path("err-\(runs)"))
        let out = unsafe access(files.out, F_OK) == 0 ? try bytes(ofFile: files.out) : []
        let error = unsafe access(files.error, F_OK) == 0 ? try bytes(ofFile: files.error) : []
        return Outcome(exit: code, out: out, error: String(decoding: error, as: UTF8.self))
    }

    /// Every path below the home with its content, so that a test can tell that nothing changed.
    func snapshot() throws -> [String] {
        try FileManager.default.subpathsOfDirectory(atPath: home).sorted().map { name in
            var status = stat()
            guard unsafe lstat("\(home)/\(name)", &status) == 0 else { throw TestProblem("lstat: \(errno)") }
            let isFile = status.st_mode & S_IFMT == S_IFREG
            return "\(name) \(status.st_mode) \(isFile ? try bytes(ofFile: "\(home)/\(name)") : [])"
        }
    }
}

/// What `--json` writes to standard error.
func errorJSON(_ cause: String, _ category: String? = nil, errno number: Int? = nil, exit: Int32) -> String {
    let category = category.map { "\"\($0)\"" } ?? "null"
    let code = number.map { #"{"domain":"errno","number":\#($0)}"# } ?? "null"
    return #"{"error":{"cause":"\#(cause)","category":\#(category),"code":\#(code),"exit":\#(exit)}}"# + "\n"
}

/// Whether standard error holds exactly one line that begins with the tool's name, and none of these texts.
func expectOneSentence(
    _ outcome: Outcome,
    without secrets: String...,
    at location: SourceLocation = #_sourceLocation
) {
    #expect(outcome.error.hasPrefix("credstore: "), sourceLocation: location)
    #expect(outcome.error.hasSuffix(".\n"), sourceLocation: location)
    #expect(outcome.error.utf8.count { $0 == UInt8(ascii: "\n") } == 1, sourceLocation: location)
    for secret in secrets { #expect(!outcome.error.contains(secret), sourceLocation: location) }
}
