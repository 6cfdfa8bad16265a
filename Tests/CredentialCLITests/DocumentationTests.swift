import CredentialCLI
import CredentialStorage
import Foundation
import Testing

@Suite(.timeLimit(.minutes(2)))
struct DocumentationTests {
    private static let page = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../docs/credstore.1").standardizedFileURL

    /// `CREDSTORE_WRITE_MANUAL=1` makes this test write the page first.
    @Test("the man page is what the tables say")
    func manualPage() throws {
        if ProcessInfo.processInfo.environment["CREDSTORE_WRITE_MANUAL"] == "1" {
            try Data(ManualPage.source.utf8).write(to: Self.page)
        }
        let page = try String(decoding: Data(contentsOf: Self.page), as: UTF8.self)
        #expect(page == ManualPage.source)
    }

    @Test("every exit code of the error table has a meaning, and no other has")
    func exitCodes() {
        let used = Set((ErrorTable.all + ErrorTable.tool).map(\.exitCode)).union([0])
        #expect(Set(ExitCode.all.map(\.number)) == used)
    }

    @Test("every row of the error table makes one sentence that ends with a full stop")
    func sentences() {
        for row in ErrorTable.all + ErrorTable.tool {
            #expect(row.sentence.hasSuffix("."))
            #expect(row.remedy.hasSuffix("."))
            #expect(row.remedy.first?.isUppercase == true)
            #expect(!row.sentence.contains("\n") && !row.remedy.contains("\n"))
        }
    }

    @Test("help names every command, option and exit code")
    func generalHelp() throws {
        let sandbox = try Sandbox()
        let help = try sandbox.run("help")
        #expect(help.exit == 0)
        for command in Command.all { #expect(help.text.contains("\n  \(command.synopsis) ")) }
        for row in OptionRow.all { #expect(help.text.contains("\n  \(row.synopsis) ")) }
        for code in ExitCode.all { #expect(help.text.contains("\n  \(code.number) ")) }
        #expect(try sandbox.run("--help").out == help.out)
        #expect(try sandbox.run("-h").out == help.out)
    }

    @Test("help for a command is the same in its three forms", arguments: Command.all.map(\.name))
    func helpOfCommand(name: String) throws {
        let sandbox = try Sandbox()
        let help = try sandbox.run("help", name)
        #expect(help.exit == 0)
        #expect(help.text.hasPrefix("usage: credstore [OPTION ...] \(name)"))
        #expect(try sandbox.run(name, "--help").out == help.out)
        #expect(try sandbox.run("--help", name).out == help.out)
        #expect(help.text.split(separator: "\n").allSatisfy { $0.count <= 78 })
    }

    @Test("help for a command that is not there is a usage error")
    func helpOfNothing() throws {
        let outcome = try Sandbox().run("help", "nonsense")
        #expect(outcome.exit == 2)
        expectOneSentence(outcome, without: "nonsense")
    }

    @Test("the version is one line")
    func version() throws {
        let outcome = try Sandbox().run("--version")
        #expect(outcome.exit == 0)
        #expect(outcome.text == "credstore \(CredentialTool.version)\n")
        let json = try Sandbox().run("--json", "--version")
        #expect(try json.json()["version"] == .string(CredentialTool.version))
    }
}
