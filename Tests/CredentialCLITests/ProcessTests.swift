import FoundationEssentials
import Glibc
import Testing

@Suite(.timeLimit(.minutes(2)))
struct ProcessTests {
    @Test("a crash prints nothing and a core dump is denied")
    func crash() throws {
        let sandbox = try Sandbox()
        let pipe = sandbox.path("pipe")
        #expect(unsafe mkfifo(pipe, 0o600) == 0)
        var launch = sandbox.launch([Array("set".utf8), Array("a".utf8)])
        // Opened for both, so that the tool waits for a value that never comes.
        launch.input = .file(pipe, O_RDWR)
        let process = try launch.start()
        try waitUntilReading(process)
        let limits = String(decoding: try bytes(ofFile: "/proc/\(process)/limits"), as: UTF8.self)
        let core = try #require(limits.split(separator: "\n").first { $0.hasPrefix("Max core file size") })
        #expect(core.split(separator: " ").dropFirst(4).prefix(2) == ["1", "1"])
        kill(process, SIGSEGV)
        let outcome = try sandbox.outcome(try exitCode(of: process))
        #expect(outcome.exit == 128 + SIGSEGV)
        #expect(outcome.error.isEmpty)
        #expect(outcome.out.isEmpty)
    }

    /// Waits until the process sleeps in its read of standard input.
    private func waitUntilReading(_ process: pid_t) throws {
        let clock = ContinuousClock()
        let end = clock.now + .seconds(30)
        while clock.now < end {
            let call = (try? bytes(ofFile: "/proc/\(process)/syscall")) ?? []
            if String(decoding: call, as: UTF8.self).hasPrefix("0 0x0 ") { return }
            sched_yield()
        }
        throw TestProblem("the tool never read its input")
    }

    @Test("two first writes at once both succeed and agree on one key")
    func twoFirstWrites() throws {
        for _ in 0..<5 {
            let sandbox = try Sandbox()
            let line =
                "printf 1 | \"$credstore\" set a & printf 2 | \"$credstore\" set b; first=$?; wait $! && exit $first"
            let outcome = try sandbox.shell(line)
            #expect(outcome.exit == 0)
            #expect(outcome.error.isEmpty)
            #expect(try sandbox.run("list").text == "a\nb\n")
            #expect(try sandbox.run("get", "a").text == "1")
            #expect(try sandbox.run("get", "b").text == "2")
        }
    }

    @Test("ten processes write at once and none is lost")
    func manyWriters() throws {
        let sandbox = try Sandbox()
        let line = "for n in 0 1 2 3 4 5 6 7 8 9; do (printf $n | \"$credstore\" set a$n || echo $? >&2) & done; wait"
        #expect(try sandbox.shell(line).error.isEmpty)
        for number in 0..<10 { #expect(try sandbox.run("get", "a\(number)").text == "\(number)") }
    }

    @Test("no value stands in the arguments, the environment or the error of any command")
    func canary() throws {
        let sandbox = try Sandbox()
        let (name, value) = ("canary-name-4711", "canary-value-0815")
        var errors = ""
        errors += try sandbox.run("set", name, value).error
        errors += try sandbox.run("set", "--\(value)", name).error
        errors += try sandbox.run(value).error
        errors += try sandbox.run("--service", "/\(value)", "get", name).error
        errors += try sandbox.run("--backend", value, "get", name).error
        errors += try sandbox.run("--passphrase-file", "/nonexistent/\(value)", "set", name, input: []).error
        errors += try sandbox.run("--path", "/dev/null/\(value)", "set", name, input: Array(value.utf8)).error
        errors += try sandbox.run("get", name).error
        errors += try sandbox.run("get", name, "--json").error
        #expect(!errors.contains("canary"))
        #expect(errors.utf8.count { $0 == UInt8(ascii: "\n") } == 9)
    }
}
