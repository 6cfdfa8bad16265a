import Foundation
import SecretServiceTestSupport
import Testing

/// The parts that the other suites stand on: they must fail here first.
@Suite("The private bus and its providers", .serialized, .timeLimit(.minutes(5)))
struct HarnessTests {
    @Test("gnome-keyring holds what secret-tool stores, over a crash, and opens again")
    func gnomeKeyring() throws {
        let keyring = try GnomeKeyring()
        let stored = try keyring.bus.secretTool("store", "--label=one", "a", "b", input: Data("value".utf8))
        #expect(stored.status == 0)
        #expect(try keyring.bus.items(["a": "b"]).map(\.value) == [Data("value".utf8)])
        try keyring.restart(.locked)
        #expect(try keyring.bus.items(["a": "b"]).map(\.isLocked) == [true])
        try keyring.unlockDefault()
        #expect(try keyring.bus.secretTool("lookup", "a", "b").text == "value")
        try keyring.lockDefault()
        #expect(try keyring.bus.items(["a": "b"]).map(\.isLocked) == [true])
        try keyring.makeCollection("Second one")
        #expect(try keyring.bus.collections().values.contains("Second one"))
    }

    @Test("a keyring without a password starts locked and opens without a prompt")
    func passwordless() throws {
        let keyring = try GnomeKeyring(.passwordless)
        #expect(try keyring.bus.secretTool("store", "--label=one", "a", "b", input: Data("value".utf8)).status == 0)
        #expect(
            try String(contentsOfFile: keyring.bus.dataHome + "/keyrings/login.keyring", encoding: .utf8)
                .contains("secret=value"))
        try keyring.restart(.passwordless)
        #expect(try keyring.bus.secretTool("lookup", "a", "b").text == "value")
    }

    @Test(
        "the scripted provider speaks the protocol with a client that is not ours",
        arguments: [
            "normal", "plain only", "DH only", "DH, shared number with a leading zero byte",
            "DH, public number with a leading zero byte",
            "self-completing prompts", "foreign path prefix", "locked collection", "late",
        ])
    func scripted(_ behaviour: String) throws {
        let provider = try ScriptedProvider(behaviour)
        let stored = try provider.bus.secretTool("store", "--label=one", "a", "b", input: Data("value".utf8))
        #expect(stored.status == 0, "\(stored.errors)")
        #expect(try provider.bus.secretTool("lookup", "a", "b").text == "value")
        #expect(try provider.items().map(\.value) == [Data("value".utf8)])
        #expect(try provider.counts()["Service.OpenSession", default: 0] >= 2)
        #expect(provider.complaints == "")
    }

    @Test(
        "KeePassXC holds what secret-tool stores, over a restart",
        .enabled(if: triesAllProviders, "all providers: make providers"))
    func keePassXC() throws {
        let provider = try KeePassXC()
        #expect(try provider.bus.secretTool("store", "--label=one", "a", "b", input: Data("value".utf8)).status == 0)
        try provider.restart()
        #expect(try provider.bus.secretTool("lookup", "a", "b").text == "value")
    }

    @Test(
        "KWallet holds what secret-tool stores, with a password and without",
        .enabled(if: triesAllProviders, "all providers: make providers"), arguments: ["", "password"])
    func kWallet(_ password: String) throws {
        let provider = try KWallet(password: password)
        if !password.isEmpty { try provider.open() }
        #expect(try provider.bus.secretTool("store", "--label=one", "a", "b", input: Data("value".utf8)).status == 0)
        #expect(try provider.bus.secretTool("lookup", "a", "b").text == "value")
    }

    @Test("what was started ends with its bus, stopped or not")
    func ending() throws {
        let keyring = try GnomeKeyring()
        let process = keyring.processIdentifier
        try keyring.setStopped(true)
        keyring.bus.end()
        #expect(kill(process, 0) == -1 && errno == ESRCH)
    }

    @Test("what was started ends with the process that started it, even where that is killed")
    func killedParent() throws {
        let bus = try PrivateBus()
        let script = """
            import json, subprocess, sys, time
            agent = subprocess.Popen(["/usr/bin/python3", "-B"] + sys.argv[1:], stdin=subprocess.PIPE,
                                     stdout=subprocess.PIPE)
            request = {"do": "start", "command": ["/bin/sleep", "3600"], "log": "sleep.log"}
            agent.stdin.write(json.dumps(request).encode() + b"\\n")
            agent.stdin.flush()
            print(json.loads(agent.stdout.readline())["ok"], flush=True)
            time.sleep(3600)
            """
        let parent = try bus.start(
            ["/usr/bin/python3", "-c", script, Tool.busAgent.path, bus.directory], log: "parent.log")
        let until = ContinuousClock.now + .seconds(30)
        func started() -> pid_t? { pid_t(bus.log("parent.log").trimmingCharacters(in: .whitespacesAndNewlines)) }
        while started() == nil, .now < until { usleep(5_000) }
        let child = try #require(started())
        #expect(kill(child, 0) == 0)
        try bus.kill(parent)
        while kill(child, 0) == 0, .now < until { usleep(5_000) }
        #expect(kill(child, 0) == -1 && errno == ESRCH)
    }
}
