import CredentialStorage
import CredentialStorageFile
import CredentialTestSupport
import Foundation
import Testing

@Suite("The companion's page in memory", .timeLimit(.minutes(2)))
struct SharedPageTests {
    @Test("a companion that is emptied or cut under a running process ends nothing and hides nothing")
    func cut() throws {
        let vault = try TestVault()
        let result = try SubjectProcess.run("cut-companion", vault.path, vault.keyPath, vault.companionPath)
        #expect(
            result.lines == ["first", "first", "second", "third 1", "third 8", "third 100", "third 5000"])
        #expect(result.status == 0)
        #expect(try vault.store.string(forKey: "name") == "third 5000")
    }

    @Test("another program's copy over the companion is noticed like a lost one")
    func copied() throws {
        let vault = try TestVault()
        let store = vault.store
        try store.set("first", forKey: "name")
        let old = try readFile(vault.companionPath)
        try store.set("second", forKey: "name")
        try vault.store.set("third", forKey: "name")
        try old.withUnsafeBytes { bytes in
            let file = try #require(FileHandle(forWritingAtPath: vault.companionPath))
            try file.truncate(atOffset: 0)
            try file.write(contentsOf: Data(bytes))
        }
        #expect(try store.string(forKey: "name") == "third")
        try store.set("fourth", forKey: "name")
        #expect(try vault.store.string(forKey: "name") == "fourth")
    }

    @Test(
        "a fault in memory that is not the store's ends the process as it did before",
        .enabled(if: !Sanitizer.mapsEverything, "the sanitizer answers such faults itself"),
        arguments: [("handled", Int32(7), ["mapped", "handled"]), ("bare", -SIGBUS, ["mapped"])])
    func foreign(kind: String, status: Int32, lines: [String]) throws {
        let vault = try TestVault()
        let result = try SubjectProcess.run(
            "touch-foreign-page", vault.path, vault.keyPath, vault.root + "/other", kind)
        #expect(result.status == status && result.lines == lines)
    }
}
