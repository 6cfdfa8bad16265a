import CredentialStorage
import CredentialStorageFile
import CredentialStorageSealing
import Foundation
import Testing

@Suite("The forms of a passphrase", .timeLimit(.minutes(5)))
struct PassphraseFormTests {
    private static let composed = "caf\u{E9} \u{AC01}"
    private static let decomposed = "cafe\u{301} \u{1100}\u{1161}\u{11A8}"

    private let vault: TestVault
    private let log = RecordedLog()

    init() throws { vault = try TestVault(isMade: false) }

    private func store(_ source: KeySource) -> EncryptedFileStorage {
        StorageBuilder.EncryptedFile(service: "test").path(vault.path).keyDerivation(.floor).log(log.log)
            .keySource(source).build()
    }

    private func text(_ text: String) -> EncryptedFileStorage { store(.passphrase { text }) }
    private func bytes(_ text: String) -> EncryptedFileStorage { store(.passphrase { Data(text.utf8) }) }

    private var stretched: Int { log.messages.count { $0.hasPrefix("a passphrase is stretched") } }

    @Test("text opens in whichever form it is typed, and bytes only as they are")
    func composition() throws {
        try text(Self.decomposed).set("value", forKey: "name")
        for form in [Self.composed, Self.decomposed] {
            #expect(try text(form).string(forKey: "name") == "value")
        }
        #expect(try bytes(Self.composed).string(forKey: "name") == "value")
        #expect(failure { try bytes(Self.decomposed).get("name") } == .readError(cause: .wrongKey))
    }

    @Test("a vault that was made from bytes opens with the text as it was typed, after its composed form")
    func asTyped() throws {
        try bytes(Self.decomposed).set("value", forKey: "name")
        let before = stretched
        #expect(try text(Self.decomposed).string(forKey: "name") == "value")
        #expect(stretched - before == 2)
        #expect(failure { try text(Self.composed).get("name") } == .readError(cause: .wrongKey))
        #expect(failure { try bytes(Self.composed).get("name") } == .readError(cause: .wrongKey))
    }

    @Test("what is composed already, such as plain ASCII, is stretched once, right or wrong")
    func once() throws {
        for right in ["plain ascii", Self.composed] {
            let place = try PassphraseFormTests()
            try place.text(right).set("value", forKey: "name")
            for passphrase in [right, "wrong \(right)"] {
                let before = place.stretched
                _ = try? place.text(passphrase).get("name")
                #expect(place.stretched - before == 1)
            }
        }
    }

    @Test("a rotation of the master key takes a slot's passphrase in either form")
    func rotation() throws {
        let keyed = vault.builder.keyDerivation(.floor).build()
        try keyed.create()
        try keyed.set("value", forKey: "name")
        try keyed.addKey(.passphrase { Data(Self.decomposed.utf8) })
        try keyed.rotateMasterKey(keeping: [.passphrase { Self.decomposed }])
        #expect(try text(Self.decomposed).string(forKey: "name") == "value")
        #expect(try bytes(Self.decomposed).string(forKey: "name") == "value")
    }
}
