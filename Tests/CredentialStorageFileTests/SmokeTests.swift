import CredentialStorage
import CredentialStorageFile
import CredentialStorageSealing
import Foundation
import Testing

@Suite struct SmokeTests {
    @Test func smoke() throws {
        let dir = "/tmp/smoke-\(getpid())"
        try? FileManager.default.removeItem(atPath: dir)
        mkdir(dir, 0o700)
        let b = StorageBuilder.EncryptedFile(service: "x").path(dir + "/v").keySource(.passphrase { "hello" })
            .keyDerivation(.floor).log(StorageLog(minimumLevel: .debug) { print("LOG", $0.message) })
        let s = b.build()
        #expect(try s.get("a") == nil)
        try s.set("one", forKey: "a")
        try s.set("two", forKey: "b")
        try s.set("three", forKey: "a")
        #expect(try s.string(forKey: "a") == "three")
        #expect(try s.keys() == ["a", "b"])
        let t = b.build()
        #expect(try t.string(forKey: "a") == "three")
        #expect(try t.delete("a"))
        #expect(try s.get("a") == nil)
        try s.update { batch in
            #expect(try batch.get("b") == Data("two".utf8))
            try batch.set("x", forKey: "c")
            try batch.delete("b")
        }
        #expect(try t.keys() == ["c"])
        print(try s.verify() as Any)
        print(try s.protection, s.probe())
        let start = ContinuousClock.now
        for i in 0..<1000 { try s.set("value-\(i)", forKey: "account-\(i)") }
        print("1000 sets", ContinuousClock.now - start)
        let start2 = ContinuousClock.now
        for i in 0..<1000 { _ = try s.get("account-\(i)") }
        print("1000 gets", ContinuousClock.now - start2)
        #expect(try t.readAll().entries.count == 1001)
        let l = try s.acquireLock("n", timeout: .seconds(1))
        #expect(throws: StorageError.self) { try t.acquireLock("n", timeout: .milliseconds(50)) }
        l.release()
        try t.acquireLock("n", timeout: .milliseconds(50)).release()
    }
}
