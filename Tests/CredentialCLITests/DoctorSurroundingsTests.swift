import CredentialStorage
import FoundationEssentials
import Glibc
import SecretServiceTestSupport
import Testing

@Suite("What doctor says about the surroundings", .serialized, .timeLimit(.minutes(3)))
struct DoctorSurroundingsTests {
    private let profile: Profile

    init() throws { profile = try Profile() }

    /// The report, with the time that it took; nothing may be written for it.
    private func report(
        _ bus: PrivateBus?, _ words: String..., environment: [String: String?] = [:]
    ) throws -> (json: JSONValue, time: Duration) {
        let before = try profile.sandbox.snapshot()
        let start = ContinuousClock.now
        let outcome = try profile.sandbox.run(
            raw: (["doctor", "--json"] + words).map { Array($0.utf8) },
            environment: Profile.environment(bus).merging(environment) { $1 })
        let time = ContinuousClock.now - start
        #expect(outcome.exit == 0 && outcome.error.isEmpty)
        #expect(try profile.sandbox.snapshot() == before)
        return (try outcome.json(), time)
    }

    private func backend(_ name: String, _ report: JSONValue) throws -> JSONValue {
        try #require(report["backends"]?.array?.first { $0["name"] == .string(name) })
    }

    @Test("modes, file system and note of a vault are told")
    func vault() throws {
        let fresh = try backend("file", try report(nil).json)
        #expect(fresh["modes"]?.string == nil && fresh["fileSystem"]?.string != nil)
        try profile.run(nil, "set", "one", input: [1])
        let json = try report(nil).json
        #expect(json["record"] == .string("file") && json["sandbox"] == .string("none"))
        let modes = try #require(try backend("file", json)["modes"])
        for (name, mode) in [("vault", "0600"), ("lock", "0600"), ("directory", "0700"), ("key", "0600")] {
            #expect(modes[name] == .string(mode), "\(name)")
        }
        let text = try profile.run(nil, "doctor").text
        #expect(text.contains("record: file, since the first write\n"))
        #expect(text.contains("  modes: vault 0600, lock 0600, directory 0700, key 0600\n"))
        let elsewhere = try backend("file", try report(nil, "--path", "/dev/shm/none/vault").json)
        #expect(elsewhere["fileSystem"] == .string("tmpfs") && elsewhere["networkFileSystem"] == .bool(false))
    }

    @Test("a note that cannot be understood is told, and nothing is chosen instead")
    func damagedNote() throws {
        try profile.run(nil, "set", "one", input: [1])
        let vault = profile.sandbox.vault
        unsafe unlink(vault)
        for (note, category) in [("rubbish", "damaged"), ("credential-storage choice 2 x\n", "unsupportedVersion")] {
            try write(Array(note.utf8), toFile: "\(profile.sandbox.dataDirectory)/credentials.choice")
            let json = try report(nil).json
            #expect(json["record"] == .string(category) && json["chosen"] == .null)
            #expect(json["choiceFailure"]?["cause"] == .string(category))
            #expect(try profile.run(nil, "set", "one", input: [1]).exit == 7)
            let outcome = try profile.run(nil, "get", "one")
            #expect(outcome.exit == 7 && outcome.error.contains("The note of what the first write chose"))
            expectOneSentence(outcome, without: "one", profile.sandbox.home)
            let isNewer = category == "unsupportedVersion"
            #expect(outcome.error.contains("pdate this software") == isNewer)
            #expect(outcome.error.contains("remove it") != isNewer)
            #expect(unsafe access(vault, F_OK) != 0)
        }
    }

    @Test("a sandbox is named")
    func sandboxes() throws {
        let snap: [String: String?] = ["SNAP": "/snap/example/1", "SNAP_NAME": "example"]
        #expect(try report(nil, environment: snap).json["sandbox"] == .string("snap"))
    }

    private static let canChangeRoot = changesRoot()

    private static func changesRoot() -> Bool {
        let launch = Launch(
            program: "/usr/bin/unshare",
            arguments: ["--mount", "mount", "--rbind", "/usr", "/tmp"].map { Array($0.utf8) },
            environment: [], output: .file("/dev/null", O_WRONLY), error: .file("/dev/null", O_WRONLY))
        guard let process = try? launch.start() else { return false }
        return (try? exitCode(of: process)) == 0
    }

    @Test(
        "inside a flatpak the sandbox is named",
        .enabled(if: DoctorSurroundingsTests.canChangeRoot, "this user may not give a process another root"))
    func flatpak() throws {
        let root = profile.sandbox.path("root")
        let line = """
            mkdir -p '\(root)' && cd / && for entry in *; do
              if [ -L "$entry" ]; then cp -P "$entry" '\(root)/'
              elif [ -d "$entry" ]; then mkdir -p '\(root)/'"$entry" && mount --rbind "/$entry" '\(root)/'"$entry"; fi
            done
            : > '\(root)/.flatpak-info'; exec /usr/sbin/chroot '\(root)' "$credstore" doctor
            """
        let outcome = try profile.sandbox.shell(line, before: ["/usr/bin/unshare", "--mount"])
        #expect(outcome.exit == 0, "\(outcome.error)")
        #expect(outcome.text.contains("sandbox: flatpak\n"))
    }

    #if SecretService
        @Test("a provider, a bus or a start that says nothing keeps nobody waiting, before a choice and after it")
        func silence() throws {
            let keyring = try GnomeKeyring()
            for isChosen in [false, true] {
                if isChosen { try profile.run(keyring.bus, "set", "one", input: [1]) }
                try keyring.setStopped(true)
                let provider = try report(keyring.bus)
                try keyring.setStopped(false)
                #expect(provider.time < .seconds(2))
                #expect(try backend("secret-service", provider.json)["category"] == .string("timedOut"))
                #expect(try backend("secret-service", provider.json)["bus"] == .string("connected"))
                #expect(
                    try backend("secret-service", provider.json)["provider"]?["program"]
                        == .string("gnome-keyring-daemon"))
                #expect(provider.json["chosen"] == (isChosen ? .string("file") : .null))
                if !isChosen { #expect(provider.json["choiceFailure"]?["category"] == .string("timedOut")) }

                try keyring.bus.setStopped(true)
                let bus = try report(keyring.bus)
                try keyring.bus.setStopped(false)
                #expect(bus.time < .seconds(2))
                #expect(try backend("secret-service", bus.json)["bus"] == .string("no answer"))
            }
            let scripted = try ScriptedProvider("late")
            try scripted.adjust(["late": ["*": 0.35]])
            #expect(try report(scripted.bus).time < .seconds(2))
            try scripted.adjust(["late": [:], "silent": ["Service.OpenSession"]])
            #expect(try report(scripted.bus).time < .seconds(2))
        }

        @Test("a bus that cannot be connected to, and one that starts a provider only when it is needed, are told")
        func buses() throws {
            let gone = ["DBUS_SESSION_BUS_ADDRESS": "unix:path=/nonexistent/bus"] as [String: String?]
            #expect(try backend("secret-service", report(nil, environment: gone).json)["bus"] == .string("none"))
            let refused = try report(try PrivateBus(BusPolicy(mechanism: "DBUS_COOKIE_SHA1"))).json
            #expect(try backend("secret-service", refused)["bus"] == .string("refused"))
            #expect(refused["choiceFailure"]?["category"] == .string("busRefused"))
            // One that ends at once, and one that never takes the name.
            for command in ["/bin/false", "/bin/sleep 100"] {
                let starting = try PrivateBus(BusPolicy(services: [.init(command: command)]))
                let (json, time) = try report(starting)
                #expect(time < .seconds(2))
                #expect(try backend("secret-service", json)["usable"] == .null)
                #expect(json["choice"] == .string("keyring-vault") && json["settled"] == .bool(false))
                let outcome = try profile.run(starting, "--json", "set", "one", input: [1])
                #expect(outcome.exit == 5 && outcome.category == "providerFailedToStart")
                #expect(profile.files.isEmpty)
            }
        }

        @Test(
            "a provider that tells its version is shown with it",
            .enabled(if: unsafe access("/usr/bin/kwalletd5", X_OK) == 0, "KWallet is not installed"))
        func version() throws {
            let wallet = try KWallet()
            try wallet.open()
            let json = try backend("secret-service", try report(wallet.bus).json)
            #expect(json["provider"]?["name"] == .string("kwallet"))
            #expect(json["provider"]?["version"]?.string?.contains(".") == true)
        }

        @Test("collections are told with their state, and how secrets travel")
        func provider() throws {
            let keyring = try GnomeKeyring()
            try keyring.bus.lock(try keyring.makeCollection("Second one"))
            let text = try profile.run(keyring.bus, "doctor").text
            for line in [
                "  bus: connected\n", "process \(keyring.processIdentifier), owner :", "version not told)\n",
                "  collection: open\n", "Login (open)", "Second one (locked)",
                "  secrets on the bus: encrypted (dh-ietf1024-sha256-aes128-cbc-pkcs7)\n",
            ] { #expect(text.contains(line), "\(line)") }
            let plain = try ScriptedProvider("plain only")
            let json = try backend("secret-service", try report(plain.bus).json)
            #expect(json["sessionAlgorithm"] == .string("plain") && json["busEncrypted"] == .bool(false))
            #expect(json["collections"]?.array?.first?["label"] == .string("Main"))
            #expect(json["provider"]?["process"]?.number == "\(plain.processIdentifier)")
        }
    #endif
}
