import CredentialStorage
import CredentialStorageFile
import CredentialStorageSealing
import CredentialTestSupport
import Foundation
import Testing

@Suite(
    "What stays in the memory of a process that used a vault", .timeLimit(.minutes(10)),
    .enabled(if: !Sanitizer.mapsEverything, "the sanitizer itself keeps copies of what it checks"))
struct MemoryImageTests {
    private static func random(_ count: Int) -> [UInt8] { (0..<count).map { _ in UInt8.random(in: 0...255) } }

    /// A vault with a slot for a key file and one for a passphrase, and what must not be found.
    private struct Sample {
        let vault: TestVault
        let passphrase = MemoryImageTests.random(40)
        let values = [64, 500, 4096].map(MemoryImageTests.random)
        let keyFile: [UInt8]

        init() throws {
            vault = try TestVault(isMade: false)
            keyFile = MemoryImageTests.random(32)
            try writeFile(vault.keyPath, keyFile)
            let store = vault.store
            for (index, value) in values.enumerated() { try store.set(Data(value), forKey: "entry \(index)") }
            let secret = Data(passphrase)
            try vault.builder.keyDerivation(.floor).build().addKey(.passphrase { secret })
        }

        /// The keys of the vault as it is now.
        func keys(_ when: String) throws -> [MemoryImage.Needle] {
            let bytes = try vault.bytes()
            let page = try PageKeys(of: bytes, key: keyFile)
            // The check stands in the file.
            var needles = page.all.filter { $0.name != "CHECK" }.map { ("\(when) \($0.name)", $0.value) }
            // The second slot follows the first one, which has no parameters.
            let slot = Array(bytes[298..<298 + 138])
            let stretched = try Argon2.derive(
                SecureBuffer(copying: passphrase.span), salt: Array(slot[16..<32]).span, .floor)
            let ikm = stretched.withBytes { bytes in bytes.indices.map { bytes[$0] } }
            needles.append(("stretched passphrase", ikm))
            needles.append(
                (
                    "\(when) KEK of the passphrase",
                    PageKeys.derive(ikm, "scv1 slot wrap", Array(bytes[16..<32]) + slot[2..<32])
                ))
            return needles.map { MemoryImage.Needle(name: $0.0, bytes: $0.1) }
        }

        var secrets: [MemoryImage.Needle] {
            values.map { MemoryImage.Needle(name: "value of \($0.count) bytes", bytes: $0) }
        }
    }

    @Test("values are wiped after each use, keys stay in guarded pages, and nothing is left of either after closing")
    func image() throws {
        let sample = try Sample()
        var keys = try sample.keys("first")
        let subject = try SubjectProcess(
            ["remember", sample.vault.path, sample.vault.keyPath, "\(sample.passphrase.count)"])
        subject.send(sample.passphrase)
        #expect(subject.line() == "used")
        keys += try sample.keys("last")
        keys.append(MemoryImage.Needle(name: "passphrase", bytes: sample.passphrase))

        let used = try MemoryImage(of: subject.identifier).search(sample.secrets + keys)
        let open = used.filter { !$0.isGuarded || $0.name.hasPrefix("value") }
        #expect(open.isEmpty, "\(open)")
        // The store is open, so its keys are somewhere: the scan sees guarded pages too.
        #expect(used.contains { $0.name == "last value key" } && used.contains { $0.name == "last MK" }, "\(used)")

        #expect(subject.ask("") == "closed")
        let closed = try MemoryImage(of: subject.identifier).search(sample.secrets + keys)
        #expect(closed.isEmpty, "\(closed)")

        #expect(subject.ask("") == "kept")
        let kept = Set(try MemoryImage(of: subject.identifier).search(sample.secrets + keys).map(\.name))
        for name in sample.secrets.map(\.name) + ["last ikm"] {
            #expect(kept.contains(name), "what a caller keeps is found: \(name) among \(kept)")
        }
        #expect(subject.ask("") == nil)
        #expect(subject.finish().status == 0)
    }

    /// Whether a process that is aborted leaves its core in its own directory.
    private static let leavesCores: Bool = {
        let pattern = (try? String(contentsOfFile: "/proc/sys/kernel/core_pattern", encoding: .utf8)) ?? "|"
        var limits = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &limits)
        return !pattern.hasPrefix("|") && !pattern.contains("/") && limits.rlim_max == rlim_t.max
    }()

    @Test(
        "a core dump holds no key and no value, but what a caller keeps",
        .enabled(if: leavesCores, "the system sends core dumps elsewhere"))
    func core() throws {
        let sample = try Sample()
        var keys = try sample.keys("first")
        keys.append(MemoryImage.Needle(name: "passphrase", bytes: sample.passphrase))
        for isKept in [false, true] {
            let directory = try TemporaryDirectory().path
            let subject = try SubjectProcess(
                ["remember", sample.vault.path, sample.vault.keyPath, "\(sample.passphrase.count)"],
                prefix: ["sh", "-c", "ulimit -c unlimited && cd \(directory) && exec \"$@\"", "sh"])
            subject.send(sample.passphrase)
            #expect(subject.line() == "used")
            keys += try sample.keys("last")
            if isKept {
                #expect(subject.ask("") == "closed")
                #expect(subject.ask("") == "kept")
            }
            #expect(subject.ask("abort") == nil)
            #expect(subject.finish().status == -SIGABRT)
            let files = try FileManager.default.contentsOfDirectory(atPath: directory)
            let core = try readFile(directory + "/" + (try #require(files.first { $0.hasPrefix("core") })))
            let found = core.withUnsafeBytes { NeedleSearch(sample.secrets + keys).names(in: $0) }
            if isKept {
                #expect(found.isSuperset(of: sample.secrets.map(\.name)), "\(found)")
            } else {
                #expect(found.isEmpty, "\(found)")
            }
        }
    }
}
