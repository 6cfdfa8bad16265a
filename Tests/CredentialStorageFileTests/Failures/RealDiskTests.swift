import CredentialStorage
import CredentialStorageFile
import Foundation
import Testing

@Suite("Real limits of real disks", .timeLimit(.minutes(5)))
struct RealDiskTests {
    private static let filled = ["set noSpace", "get old", "complete", "delete done", "complete", "sound"]

    @Test("a limit on the size of files is an error, and not the end of the process")
    func fileSizeLimit() throws {
        let vault = try TestVault()
        let result = try SubjectProcess.run("fill", vault.path, vault.keyPath, "100000")
        #expect(result.lines == Self.filled)
        #expect(result.status == 0)
        #expect(try vault.bytes().count <= 100_000)
    }

    @Test(
        "a full disk is an error, can still delete, and loses nothing",
        .enabled(if: geteuid() == 0, "mounts a small disk"))
    func fullDisk() throws {
        let vault = try TestVault(isMade: false)
        try writeFile(vault.keyPath, [UInt8](repeating: 5, count: 32))
        let script = "mount -t tmpfs -o size=200k,mode=700 small \"$1\" && shift && exec \"$@\""
        let result = try SubjectProcess.run(
            "fill", vault.path, "-", "0",
            prefix: ["unshare", "--mount", "sh", "-c", script, "sh", vault.directory],
            environment: ["HOME": vault.root, "XDG_CONFIG_HOME": vault.root])
        #expect(result.lines == Self.filled)
        #expect(result.status == 0)
    }

    @Test(
        "a directory that its owner made read-only is read, and a vault in it is written to", arguments: [true, false])
    func readOnlyDirectory(isWritable: Bool) throws {
        let vault = try TestVault()
        try vault.store.set("value", forKey: "name")
        unlink(vault.companionPath)
        chmod(vault.path, isWritable ? 0o600 : 0o400)
        chmod(vault.directory, 0o500)
        defer { chmod(vault.directory, 0o700) }
        // Root may write everywhere, so an ordinary user tries it.
        let answers = try SubjectProcess.run(
            "try", vault.path, vault.keyPath,
            prefix: try SubjectProcess.ordinaryUser(owning: [vault.root, vault.directory, vault.path, vault.keyPath]))
        let refused = isWritable ? "done" : "accessDenied"
        #expect(
            answers.lines == [
                "get done", "set \(refused)", "delete \(refused)", "probe \(isWritable ? "usable" : "readOnly")",
            ])
    }
}
