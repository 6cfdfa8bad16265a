import CredentialStorage
import CredentialStorageFile
import Foundation
import Testing

@Suite("Concurrency: a writer that is stopped in the middle of a commit", .timeLimit(.minutes(5)))
struct StoppedWriterConcurrencyTests {
    /// A vault with one entry, and the bytes that a further commit puts behind it.
    private static func midCommit() throws -> (vault: TestVault, tail: Int, commit: [UInt8]) {
        let vault = try TestVault()
        try vault.store.set("value", forKey: "name")
        let before = try vault.bytes()
        let companion = try vault.companionBytes()
        try vault.store.set("next", forKey: "name")
        let frames = RawFrame.all(in: try vault.bytes())
        let commit = Array(try vault.bytes()[frames[1].range])
        try writeFile(vault.path, before)
        try writeFile(vault.companionPath, companion)
        return (vault, frames[1].offset, commit)
    }

    @Test(
        "a reader that starts meanwhile has the published state at once, and the next writer settles the rest",
        arguments: [16, 64, 112, 160])
    func readers(written: Int) throws {
        let (vault, tail, commit) = try Self.midCommit()
        let holder = try SubjectProcess(["hold-vault", vault.path, vault.keyPath])
        #expect(holder.line() == "held")
        holder.signal(SIGSTOP)
        // What the stopped one got onto the disk, all of it included.
        try vault.edit { content in
            for (index, byte) in commit.prefix(written).enumerated() { content[tail + index] = byte }
        }
        let limited = vault.builder.deadline(.milliseconds(300))
        for _ in 0..<2 {
            let store = limited.build()
            #expect(try store.string(forKey: "name") == "value")
            #expect(try store.keys() == ["name"])
            #expect(try store.get("never") == nil)
            #expect(failure { try store.set("x", forKey: "x") }?.category == .lockTimedOut)
            #expect(try store.string(forKey: "name") == "value")
        }
        holder.signal(SIGKILL)
        _ = holder.finish()
        let isWhole = written >= commit.count
        #expect(try vault.store.string(forKey: "name") == (isWhole ? "next" : "value"))
        try vault.store.set("x", forKey: "x")
        #expect(try vault.store.keys() == ["name", "x"])
        #expect(try vault.store.verify()?.isSound == true)
    }

    @Test("without a record of this log nothing is known of it, and a reader waits for the deadline")
    func noRecord() throws {
        let (vault, tail, commit) = try Self.midCommit()
        let holder = try SubjectProcess(["hold-vault", vault.path, vault.keyPath])
        #expect(holder.line() == "held")
        holder.signal(SIGSTOP)
        try vault.edit { content in content[tail..<tail + 64] = commit[..<64] }
        unlink(vault.companionPath)
        let store = vault.builder.deadline(.milliseconds(300)).build()
        #expect(failure { try store.get("name") }?.category == .lockTimedOut)
        holder.signal(SIGKILL)
        _ = holder.finish()
        #expect(try store.string(forKey: "name") == "value")
    }
}
