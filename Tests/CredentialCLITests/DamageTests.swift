import CredentialStorage
import FoundationEssentials
import Glibc
import Testing

@Suite(.timeLimit(.minutes(2)))
struct DamageTests {
    private func filled() throws -> Sandbox {
        let sandbox = try Sandbox()
        for (name, value) in [("one", "1"), ("two", "2"), ("three", "3")] {
            try sandbox.run("set", name, input: Array(value.utf8))
        }
        return sandbox
    }

    @Test("a damaged entry is omitted and named, its neighbours come, and verify says where")
    func oneEntry() throws {
        let sandbox = try filled()
        let frames = try sandbox.frames()
        #expect(frames.map(\.kind) == ["value", "value", "value"])
        #expect(frames.map(\.state) == ["live", "live", "live"])
        try sandbox.damage(frames[1])
        let damaged = try bytes(ofFile: sandbox.vault)

        let dump = try sandbox.run("dump")
        #expect(dump.exit == 12)
        let omitted = #"[{"name":"two","reason":"damaged"}]"#
        #expect(dump.text == #"{"entries":{"one":"MQ==","three":"Mw=="},"omitted":\#(omitted)}"# + "\n")
        expectOneSentence(dump, without: "two")
        #expect(try sandbox.run("dump", "--json").error == errorJSON("incomplete", exit: 12))

        let get = try sandbox.run("get", "two")
        #expect(get.exit == 7)
        #expect(get.out.isEmpty)
        expectOneSentence(get, without: "two")
        #expect(
            try sandbox.run("get", "two", "--json").error
                == errorJSON("undecryptable", "damaged", exit: 7))
        #expect(try sandbox.run("get", "one").text == "1")
        #expect(try sandbox.run("list").text == "one\nthree\ntwo\n")

        let verify = try sandbox.run("verify")
        #expect(verify.exit == 12)
        #expect(verify.text.contains("value damaged"))
        expectOneSentence(verify)
        #expect(try sandbox.frames().map(\.state) == ["live", "damaged", "live"])
        #expect(try bytes(ofFile: sandbox.vault) == damaged)
        #expect(try sandbox.run("set", "two", input: Array("new".utf8)).exit == 0)
        #expect(try sandbox.run("get", "two").text == "new")
        #expect(try sandbox.run("dump").exit == 0)
    }

    @Test("damage of what no entry needs is reported, and the vault is intact")
    func pastDamage() throws {
        let sandbox = try filled()
        try sandbox.damage(try sandbox.frames()[1])
        let before = try sandbox.run("verify")
        #expect(before.exit == 12)
        #expect(before.error.contains("Entries are damaged or lost; run \"credstore dump\" to see which,"))
        #expect(try sandbox.run("set", "two", input: [1]).exit == 0)
        let after = try sandbox.run("verify")
        #expect(after.exit == 0)
        #expect(after.error.isEmpty)
        #expect(after.text.contains("entries      3 open, 0 damaged\n"))
        #expect(after.text.contains("frames       4, 1 damaged\n"))
        #expect(after.text.hasSuffix("intact; the damage keeps no entry from opening\n"))
        let json = try sandbox.run("verify", "--json").json()
        #expect(json["intact"] == .bool(true) && json["sound"] == .bool(false))
    }

    @Test("only -v names an omitted entry on standard error, and never its value")
    func verbose() throws {
        let sandbox = try filled()
        try sandbox.damage(try sandbox.frames()[1])
        let dump = try sandbox.run("-v", "dump")
        #expect(dump.exit == 12)
        #expect(dump.error.contains("credstore: warning: "))
        #expect(dump.error.contains("two"))
        #expect(!dump.error.contains("one"))
    }

    @Test("damage that takes the name is omitted without one, and a miss is not called absent")
    func nameLost() throws {
        let sandbox = try filled()
        let frame = try sandbox.frames()[1]
        try sandbox.editVault { content in
            for offset in frame.offset..<frame.offset + frame.length { content[offset] ^= 0x55 }
        }
        let dump = try sandbox.run("dump")
        #expect(dump.exit == 12)
        let json = try dump.json()
        #expect(json["entries"] == .object([JSONMember("one", .string("MQ==")), JSONMember("three", .string("Mw=="))]))
        let nameless = json["omitted"]?.array?.count { $0["name"] == .null } ?? 0
        let lost = json["lost"]?.number.flatMap { Int($0) } ?? 0
        #expect(nameless + lost > 0)
        #expect(try sandbox.run("get", "two").exit == 7)
        #expect(try sandbox.run("get", "never-there").exit == 7)
        #expect(try sandbox.run("get", "one").text == "1")
        #expect(try sandbox.run("verify").exit == 12)
    }

    @Test("an entry that damage took whole is never called absent", arguments: [0, 1, 2])
    func overwritten(place: Int) throws {
        let sandbox = try filled()
        let frame = try sandbox.frames()[place]
        for range in [0..<frame.length, 96..<frame.length, 40..<frame.length - 8] {
            let good = try bytes(ofFile: sandbox.vault)
            try sandbox.editVault { content in
                for offset in range { content[frame.offset + offset] = UInt8.random(in: 0...255) }
            }
            for (index, name) in ["one", "two", "three"].enumerated() {
                let get = try sandbox.run("get", name)
                #expect(get.exit == (index == place ? 7 : 0), "\(name), \(range)")
            }
            #expect(try sandbox.run("get", "never-there").exit == 7)
            #expect(try sandbox.run("dump").exit == 12)
            try sandbox.editVault { $0 = good }
        }
    }

    @Test("one damaged header copy opens and verify says so", arguments: [0, 1])
    func oneHeader(copy: Int) throws {
        let sandbox = try filled()
        try sandbox.editVault { $0[copy * 8192 + 40] ^= 1 }
        #expect(try sandbox.run("get", "one").text == "1")
        let verify = try sandbox.run("verify", "--json")
        #expect(verify.exit == 12)
        #expect(try sandbox.run("verify").error.contains("One of the two copies of the header is damaged; every entry"))
        let states = ["ok", "ok"].enumerated().map { $0 == copy ? JSONValue.string("damaged") : .string($1) }
        #expect(try verify.json()["header"] == .array(states))
    }

    @Test("two damaged header copies are a damaged vault, and nothing is touched")
    func bothHeaders() throws {
        let sandbox = try filled()
        try sandbox.editVault {
            $0[40] ^= 1
            $0[8192 + 50] ^= 1
        }
        try expectRefusal(sandbox, exit: 7, cause: "damaged")
    }

    @Test("a vault of a newer version is told apart from a damaged one")
    func newer() throws {
        let sandbox = try filled()
        try sandbox.editHeaders { $0[$0.startIndex + 8] = 2 }
        try expectRefusal(sandbox, exit: 7, cause: "unsupportedVersion")
    }

    @Test("a file that is not a vault is left alone", arguments: ["hello\n", "", "SQLite format 3"])
    func notAVault(content: String) throws {
        let sandbox = try filled()
        try write(Array(content.utf8), toFile: sandbox.vault)
        let before = try bytes(ofFile: sandbox.vault)
        let get = try sandbox.run("get", "one")
        #expect(get.exit == 7)
        expectOneSentence(get)
        #expect(try sandbox.run("set", "one", input: [1]).exit == 7)
        #expect(try bytes(ofFile: sandbox.vault) == before)
    }

    @Test("a cut vault loses only what was cut, and is never called sound")
    func cut() throws {
        let sandbox = try filled()
        let frame = try sandbox.frames()[2]
        try sandbox.editVault { $0.removeSubrange((frame.offset + 40)...) }
        #expect(try sandbox.run("get", "one").text == "1")
        #expect(try sandbox.run("get", "two").text == "2")
        #expect(try sandbox.run("verify").exit == 12)
    }

    @Test("frames that change places do not open, and the others do")
    func splice() throws {
        let sandbox = try filled()
        let frames = try sandbox.frames()
        try sandbox.editVault { content in
            let (first, second) = (frames[0].offset, frames[1].offset)
            let length = min(frames[0].length, frames[1].length)
            for index in 0..<length { content.swapAt(first + index, second + index) }
        }
        let dump = try sandbox.run("dump")
        #expect(dump.exit == 12)
        #expect(try dump.json()["entries"] == .object([JSONMember("three", .string("Mw=="))]))
        #expect(try sandbox.run("get", "one").exit == 7)
    }

    @Test("a flipped bit anywhere never gives a wrong value and never crashes")
    func flips() throws {
        let sandbox = try filled()
        let good = try bytes(ofFile: sandbox.vault)
        for step in 0..<40 {
            // Every part of the header and the log is hit; the stride has no factor in common with the layout.
            let offset = step % 2 == 0 ? (step * 53) % 700 : 16384 + (step * 37) % max(1, good.count - 16384)
            try sandbox.editVault {
                $0 = good
                $0[offset] ^= UInt8(1 << (step % 8))
            }
            let get = try sandbox.run("get", "two")
            #expect([0, 7].contains(get.exit), "offset \(offset)")
            #expect(get.exit != 0 || get.text == "2", "offset \(offset)")
            #expect([0, 7, 12].contains(try sandbox.run("verify").exit), "offset \(offset)")
        }
    }

    private func expectRefusal(
        _ sandbox: Sandbox, exit: Int32, cause: String, at location: SourceLocation = #_sourceLocation
    ) throws {
        let before = try bytes(ofFile: sandbox.vault)
        for command in [["get", "one"], ["set", "one"], ["delete", "one"], ["list"], ["dump"], ["verify"]] {
            let outcome = try sandbox.run(raw: command.map { Array($0.utf8) })
            #expect(outcome.exit == exit, "\(command)", sourceLocation: location)
            expectOneSentence(outcome, at: location)
            #expect(outcome.out.isEmpty, sourceLocation: location)
            let json = try sandbox.run(raw: (["--json"] + command).map { Array($0.utf8) })
            let expected = errorJSON(cause, exit: exit)
            #expect(json.error == expected, "\(command)", sourceLocation: location)
        }
        #expect(try bytes(ofFile: sandbox.vault) == before, sourceLocation: location)
        #expect(try sandbox.run("init").exit == 10, sourceLocation: location)
        #expect(try sandbox.run("doctor").exit == 0, sourceLocation: location)
    }
}
