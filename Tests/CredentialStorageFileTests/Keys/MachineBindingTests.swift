import CredentialStorage
import CredentialStorageFile
import CredentialStorageSealing
import Foundation
import Testing

@Suite("Binding to a machine", .timeLimit(.minutes(5)))
struct MachineBindingTests {
    private static let id = "0123456789abcdef0123456789abcdef"

    private let vault: TestVault
    private var here: String { vault.root + "/machine-id" }
    private var elsewhere: String { vault.root + "/other-machine-id" }

    init() throws {
        vault = try TestVault(isMade: false)
        try writeFile(here, Array("\(Self.id)\n".utf8))
        try writeFile(elsewhere, Array("\(String(Self.id.reversed()))\n".utf8))
    }

    private func builder(_ machineID: String) -> StorageBuilder.EncryptedFile {
        vault.builder.keyDerivation(.floor).machineID(at: machineID)
    }

    private var bound: StorageBuilder.EncryptedFile {
        builder(here).keySource(KeySource.keyFile(vault.keyPath).boundToThisMachine())
    }

    @Test("a copy with its key does not open on another machine, and answers that its key cannot be used")
    func copied() throws {
        for builder in [bound, builder(here).accessibility(.afterFirstUnlockThisDeviceOnly)] {
            let store = builder.build()
            try store.create()
            try store.set("value", forKey: "name")
            #expect(try store.protection.device == .machineID)
            #expect(try store.keySlots().map(\.isBoundToMachine) == [true])
            for path in [elsewhere, vault.root + "/none"] {
                try KeySourceTests.expect(
                    KeySourceTests.unavailable(.keySourceUnavailable), of: builder.machineID(at: path), vault, path)
            }
            // Whoever copies the id too opens it: that is what binding is, and no more.
            #expect(try vault.builder.machineID(at: here).build().string(forKey: "name") == "value")
            unlink(vault.path)
            unlink(vault.companionPath)
        }
    }

    @Test("without a usable id, what should be bound is refused, and nothing is made")
    func noID() throws {
        let texts = ["", "uninitialized\n", String(repeating: "0", count: 32), Self.id.uppercased(), Self.id + "0"]
        for text in texts {
            try writeFile(elsewhere, Array(text.utf8), replacing: true)
            let store = bound.machineID(at: elsewhere).build()
            #expect(failure { try store.create() }?.category == .keySourceUnavailable)
            #expect(try FileManager.default.contentsOfDirectory(atPath: vault.directory).isEmpty)
        }
        let plain = builder(elsewhere).build()
        try plain.create()
        #expect(failure { try plain.addKey(KeySource.keyFile(vault.root + "/b").boundToThisMachine()) } != nil)
        #expect(try plain.protection.device == .none)
    }

    @Test("the id stands nowhere in the files, neither as text nor as bytes")
    func notStored() throws {
        try bound.build().create()
        let text = Array(Self.id.utf8)
        let bytes = (0..<16).map { UInt8(Self.id.dropFirst($0 * 2).prefix(2), radix: 16)! }
        for content in [try vault.bytes(), try vault.companionBytes()] {
            for needle in [text, bytes, bytes.reversed()] {
                #expect(Data(content).range(of: Data(needle)) == nil)
            }
        }
        // Two vaults on one machine do not show that they are.
        let other = try MachineBindingTests()
        try other.bound.build().create()
        let (mine, theirs) = (try vault.bytes()[160 + 138 + 2..<160 + 138 + 18], try other.vault.bytes()[300..<316])
        #expect(mine != theirs)
    }

    @Test("the key of a vault is bound by a slot of its own, and the vault when no other slot is left")
    func bindLater() throws {
        let store = builder(here).build()
        try store.create()
        try store.set("value", forKey: "name")
        let slot = try store.addKey(KeySource.keyFile(vault.keyPath).boundToThisMachine())
        #expect(slot.isBoundToMachine)
        #expect(try builder(elsewhere).build().string(forKey: "name") == "value")
        #expect(try builder(here).build().protection.device == .none)
        try store.removeKey(inSlot: 1)
        #expect(try builder(here).build().string(forKey: "name") == "value")
        #expect(try builder(here).build().protection.device == .machineID)
        #expect(failure { try builder(elsewhere).build().get("name") }?.category == .keySourceUnavailable)
        try store.changeKey(inSlot: slot.id, to: KeySource.passphrase { "pass" }.boundToThisMachine())
        #expect(try store.keySlots().map(\.isBoundToMachine) == [true])
    }

    @Test(
        "the second implementation agrees about both machines",
        .enabled(if: IndependentReader.isThere, Comment(rawValue: IndependentReader.reasonForSkip)))
    func independent() throws {
        try bound.build().create()
        try bound.build().set("value", forKey: "name")
        for (machine, error) in [(here, nil), (elsewhere, "keySourceUnavailable")] {
            let answer = try IndependentReader.read(
                [vault.path], ["--key-file", vault.keyPath, "--machine-id", machine])[0]
            #expect(answer.error == error)
            #expect(answer.entries?.map(\.name) == (error == nil ? ["name"] : nil))
        }
    }
}
