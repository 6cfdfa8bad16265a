import CCredentialShims
import CTestFork
import CredentialStorage
import CredentialStorageFile
import CredentialStorageSealing
import Foundation
import Testing

/// What the host says to a question about a key that is nowhere.
private let refusal: Int32? = {
    var byte: UInt8 = 0
    guard ccs_keyring_read(-4, "swift-credential-storage:none", &byte, 1) < 0 else { return nil }
    return [ENOSYS, EPERM, EACCES].contains(errno) ? errno : nil
}()

@Suite(
    "A key in the kernel's memory", .timeLimit(.minutes(5)),
    .enabled(if: refusal == nil, "this host forbids the kernel's keyrings"))
struct KernelKeyringTests {
    /// A namespace of its own, whose keys go with this object.
    private final class Place {
        let vault: TestVault
        let service = "test-\(UUID().uuidString)"

        init() throws { vault = try TestVault(isMade: false) }
        deinit { for keyring in KernelKeyring.allCases { forget(keyring) } }

        func builder(_ keyring: KernelKeyring = .user) -> StorageBuilder.EncryptedFile {
            StorageBuilder.EncryptedFile(service: service).path(vault.path).log(.silent)
                .keySource(.kernelKeyring(keyring))
        }

        private func name(_ keyring: KernelKeyring) -> String { "swift-credential-storage:\(keyring):\(service)" }
        private func number(_ keyring: KernelKeyring) -> Int32 { keyring == .user ? -4 : -3 }

        /// As the next boot does.
        @discardableResult
        func forget(_ keyring: KernelKeyring) -> Bool { ctf_forget_key(number(keyring), name(keyring)) == 0 }

        func revoke(_ keyring: KernelKeyring) -> Bool { ctf_revoke_key(number(keyring), name(keyring)) == 0 }

        func isThere(_ keyring: KernelKeyring) -> Bool {
            var bytes = [UInt8](repeating: 0, count: 32)
            return ccs_keyring_read(number(keyring), name(keyring), &bytes, 32) == 32
        }
    }

    @Test("the first write makes it, later starts use it, and protection says that it is volatile")
    func firstWrite() throws {
        for keyring in KernelKeyring.allCases {
            let place = try Place()
            #expect(try place.builder(keyring).build().get("name") == nil)
            #expect(!place.isThere(keyring))
            try place.builder(keyring).build().set("value", forKey: "name")
            #expect(place.isThere(keyring))
            let store = place.builder(keyring).build()
            #expect(try store.string(forKey: "name") == "value")
            #expect(try store.protection.source == .kernelKeyring)
            #expect(try store.protection.durability == .volatile)
            // The other keyring has no such key.
            let other = keyring == .user ? KernelKeyring.session : .user
            #expect(failure { try place.builder(other).build().get("name") }?.category == .keySourceMissing)
        }
    }

    @Test("one that was made for a slot is gone again where the slot could not be made")
    func takenBack() throws {
        let place = try Place()
        try place.vault.store.create()
        let disk = FaultyFileSystem { _, call in
            call == .write(offset: 8192, count: 8192) ? .fails(EIO) : nil
        }
        let broken = StorageBuilder.EncryptedFile(service: place.service).path(place.vault.path).log(.silent)
            .keySource(.keyFile(place.vault.keyPath)).fileSystem(disk).build()
        for keyring in KernelKeyring.allCases {
            #expect(failure { try broken.addKey(.kernelKeyring(keyring)) }?.category == .ioError)
            #expect(!place.isThere(keyring))
        }
    }

    @Test("after the next boot nothing opens, no key is made for the vault, and another slot still opens it")
    func gone() throws {
        let place = try Place()
        let store = place.builder().build()
        try store.set("value", forKey: "name")
        try store.addKey(.keyFile(place.vault.keyPath))
        #expect(try store.protection.durability == .durable)
        #expect(place.forget(.user))
        try KeySourceTests.expect(
            KeySourceTests.unavailable(.keySourceMissing), of: place.builder(), place.vault, "gone")
        #expect(failure { try place.builder().build().create() } == .writeError(cause: .conflict))
        #expect(!place.isThere(.user))
        let way = place.builder().keySource(.keyFile(place.vault.keyPath)).build()
        #expect(try way.string(forKey: "name") == "value")
        // And gets a new key in the kernel when that is asked for.
        try way.changeKey(inSlot: 1, to: .kernelKeyring())
        #expect(try place.builder().build().string(forKey: "name") == "value")
    }

    @Test("a key that is revoked, or of another size, is not absent, and none is made in its place")
    func unusable() throws {
        let place = try Place()
        #expect(ccs_keyring_add(-4, "swift-credential-storage:user:\(place.service)", "short", 5) == 0)
        #expect(failure { try place.builder().build().create() }?.category == .keySourceUnavailable)
        #expect(place.forget(.user))
        try place.builder().build().set("value", forKey: "name")
        #expect(place.revoke(.user))
        try KeySourceTests.expect(
            KeySourceTests.unavailable(.keySourceUnavailable, .errno(EKEYREVOKED)), of: place.builder(), place.vault,
            "revoked")
        let first = StorageBuilder.EncryptedFile(service: place.service).path(place.vault.directory + "/other")
            .log(.silent).keySource(.kernelKeyring()).build()
        #expect(failure { try first.set("value", forKey: "name") }?.category == .keySourceUnavailable)
        #expect(access(place.vault.directory + "/other", F_OK) != 0)
    }

    @Test("first starts at once agree on one key")
    func firstStarts() throws {
        for _ in 0..<20 {
            let place = try Place()
            let builder = place.builder()
            try onThreads(4) { index in try builder.build().set("\(index)", forKey: "name \(index)") }
            #expect(try builder.build().keys() == (0..<4).map { "name \($0)" })
        }
    }

    @Test("a key that is there is never written over")
    func exclusive() throws {
        let place = try Place()
        let name = "swift-credential-storage:user:\(place.service)"
        let (first, second) = ([UInt8](repeating: 1, count: 32), [UInt8](repeating: 2, count: 32))
        #expect(ccs_keyring_add(-4, name, first, 32) == 0)
        #expect(ccs_keyring_add(-4, name, second, 32) == -1 && errno == EEXIST)
        var found = [UInt8](repeating: 0, count: 32)
        #expect(ccs_keyring_read(-4, name, &found, 32) == 32)
        #expect(found == first)
    }
}
