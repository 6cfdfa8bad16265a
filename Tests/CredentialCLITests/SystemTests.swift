import FoundationEssentials
import Glibc
import Testing

/// A system that lacks what most have.
@Suite(.timeLimit(.minutes(5)))
struct SystemTests {
    /// A command that runs another one where nothing is under /proc.
    private static let withoutProc = [
        "/usr/bin/unshare", "--mount", "/bin/sh", "-c", "mount -t tmpfs none /proc && exec \"$@\"", "sh",
    ]

    private static let canHideProc: Bool = {
        guard geteuid() == 0, let sandbox = try? Sandbox() else { return false }
        return (try? sandbox.shell("test ! -e /proc/self", before: withoutProc).exit) == 0
    }()

    @Test(
        "without /proc everything works, for root and for an ordinary user",
        .enabled(if: canHideProc, "hiding /proc is not allowed here"), arguments: [false, true])
    func noProc(asOrdinaryUser: Bool) throws {
        let sandbox = try Sandbox(asOrdinaryUser: asOrdinaryUser)
        let line = """
            test ! -e /proc/self || exit 99
            printf 'a value' | "$credstore" set 'a name' && "$credstore" get 'a name' && echo
            "$credstore" list; "$credstore" verify >/dev/null; echo $?
            "$credstore" init; echo $?
            "$credstore" delete 'a name'; "$credstore" --service other get 'a name'; echo $?
            "$credstore" doctor | grep -c '^file: usable$'
            """
        let outcome = try sandbox.shell(line, before: Self.withoutProc)
        #expect(outcome.text == "a value\na name\n0\n10\n3\n1\n")
        let names = try FileManager.default.subpathsOfDirectory(atPath: sandbox.home)
        #expect(!names.contains { $0.hasSuffix(".new") })
        // With /proc back the same vault is there.
        #expect(try sandbox.run("list").exit == 0)
    }

    @Test("too little memory is an error, and the tool is never ended by it")
    func memory() throws {
        let sandbox = try Sandbox()
        let value = [UInt8](repeating: 65, count: 1 << 20)
        for name in ["a", "b", "c", "d", "e", "f"] { #expect(try sandbox.run("set", name, input: value).exit == 0) }
        try write(value, toFile: sandbox.path("value"))
        // What the program itself needs to start.
        var least = 8
        while try sandbox.shell("ulimit -v \(least * 1024); \"$credstore\" --version").exit != 0 { least += 1 }
        var ends: [Int32: Int] = [:]
        for more in [3, 4, 6, 8, 10, 12, 14, 16, 20, 24, 32, 48] {
            for command in ["get c", "dump", "set c < '\(sandbox.path("value"))'", "list", "verify"] {
                let limit = "ulimit -v \((least + more) * 1024)"
                let outcome = try sandbox.shell("\(limit); \"$credstore\" --json \(command)")
                let isRefused = outcome.error == errorJSON("unavailable", "ioError", errno: 12, exit: 5)
                #expect(outcome.exit == 0 || isRefused, "\(command), \(least) + \(more) MiB: \(outcome)")
                ends[outcome.exit, default: 0] += 1
            }
        }
        #expect(ends[0] ?? 0 > 0 && ends[5] ?? 0 > 0, "the limits lie on both sides of what is needed")
        #expect(try sandbox.run("verify").exit == 0)
        #expect(try sandbox.run("get", "c").out == value)
    }
}
