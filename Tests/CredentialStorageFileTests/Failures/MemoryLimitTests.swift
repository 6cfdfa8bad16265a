import CredentialStorage
import CredentialStorageFile
import CredentialStorageSealing
import CredentialTestSupport
import Foundation
import Testing

@Suite(
    "Too little memory", .timeLimit(.minutes(10)),
    .enabled(if: !Sanitizer.mapsEverything, "the sanitizer itself takes all memory"))
struct MemoryLimitTests {
    @Test("whatever does not fit into memory is a typed error, never the end of the process, and nothing is damaged")
    func everyDoor() throws {
        let vault = try TestVault()
        let store = vault.quickStore
        try store.set("value", forKey: "small")
        for index in 0..<12 {
            try store.set(Data(repeating: UInt8(index), count: 1 << 20), forKey: "large \(index)")
        }
        var refused = 0
        var done = 0
        for mebibytes in [2, 3, 4, 5, 6, 8, 10, 12, 14, 16, 20, 24, 28, 32, 40, 48, 64] {
            let result = try SubjectProcess.run("starve", vault.path, vault.keyPath, "\(mebibytes * 1024)")
            #expect(result.status == 0, "\(mebibytes) MiB: \(result.lines)")
            #expect(result.lines.first == "warm done" && result.lines.last == "sound", "\(mebibytes) MiB")
            #expect(result.lines.count == 8, "\(mebibytes) MiB: \(result.lines)")
            for line in result.lines.dropFirst().dropLast() {
                #expect(line.hasSuffix(" done") || line.hasSuffix(" ioError"), "\(mebibytes) MiB: \(line)")
                if line.hasSuffix(" done") { done += 1 } else { refused += 1 }
            }
        }
        #expect(done > 5 && refused > 5, "the limits lie on both sides of what is needed")
        #expect(try vault.store.get("large 5") == Data(repeating: 5, count: 1 << 20))
    }

    @Test(
        "an ordinary user reads a thousand entries whatever may be locked, is told what is, and can refuse less",
        arguments: [
            (limit: 0, states: ["notLocked"], strict: "memoryNotLocked"),
            // Enough for the keys and one entry of one store, and not for two.
            (limit: 64 << 10, states: ["locked", "partlyLocked"], strict: "memoryNotLocked"),
            (limit: 8 << 20, states: ["locked"], strict: "done"),
        ])
    func lockedMemory(limit: Int, states: [String], strict: String) throws {
        let vault = try TestVault()
        let paths = [vault.root, vault.directory, vault.path, vault.companionPath, vault.keyPath]
        let result = try SubjectProcess.run(
            "lock-memory", vault.path, vault.keyPath,
            prefix: ["prlimit", "--memlock=\(limit):\(limit)"] + SubjectProcess.ordinaryUser(owning: paths))
        let entry = strict == "done" ? "changed" : "unchanged"
        #expect(states.map { ["complete", $0, "get \(strict)", "set \(strict)", entry] }.contains(result.lines))
        #expect(result.status == 0)
    }

    @Test("a passphrase whose derivation does not fit into memory is not a wrong one")
    func derivation() throws {
        let vault = try TestVault(isMade: false)
        try StorageBuilder.EncryptedFile(service: "test").path(vault.path).keyDerivation(.floor).log(.silent)
            .keySource(.passphrase { "correct" }).build().set("value", forKey: "name")
        for (mebibytes, answer) in [(8, "readError(unavailable(read, ioError, errno 12))"), (64, "done")] {
            let result = try SubjectProcess.run("starve-passphrase", vault.path, "-", "\(mebibytes * 1024)")
            #expect(result.lines == ["warm done", answer], "\(mebibytes) MiB")
            #expect(result.status == 0)
        }
    }
}
