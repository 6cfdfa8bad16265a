import CredentialStorage
import Testing

@testable import CredentialStorageAutomatic

@Suite("The rules of the choice")
struct ChoiceRulesTests {
    private static let records: [ChoiceRecord.Note] =
        [.none, .damaged, .unsupportedVersion(2)] + AutomaticChoice.allCases.map { .choice($0) }
    private static let vaults: [ChoiceFacts.Vault] = [
        .absent, .unreadable, .present(isUnderKeyring: true, isUnderOther: false, hasKeyFile: false),
        .present(isUnderKeyring: false, isUnderOther: true, hasKeyFile: false),
        .present(isUnderKeyring: true, isUnderOther: true, hasKeyFile: false),
        .present(isUnderKeyring: true, isUnderOther: true, hasKeyFile: true),
    ]
    private static let keyrings: [KeyringState] = [.present, .absent, .failing(.unavailable(.timedOut))]

    private func step(
        _ record: ChoiceRecord.Note, _ vault: ChoiceFacts.Vault, _ keyring: KeyringState?,
        _ policy: AutomaticPolicy = .durable
    ) -> ChoiceRules.Step {
        ChoiceRules(policy: policy).step(ChoiceFacts(record: record, vault: vault), keyring: keyring)
    }

    @Test("a first choice takes the first that the policy allows, and passes over it only where there is no keyring")
    func first() {
        #expect(step(.none, .absent, nil) == .look)
        #expect(step(.none, .absent, .present) == .begin(.keyringVault, .first))
        #expect(step(.none, .absent, .absent) == .begin(.file, .noKeyring))
        #expect(
            step(.none, .absent, .failing(.unavailable(.timedOut))) == .refuse(.unavailable(.timedOut)))
        #expect(step(.none, .absent, nil, AutomaticPolicy([.file])) == .begin(.file, .first))
        #expect(
            step(.none, .absent, .absent, AutomaticPolicy([.keyringVault])) == .refuse(.unavailable(.noProvider)))
        #expect(step(.none, .absent, .absent, AutomaticPolicy([])) == .refuse(.unavailable(.noProvider)))
    }

    @Test("what was noted or stands is never exchanged, whatever the keyring does")
    func sticky() {
        for record in Self.records {
            for vault in Self.vaults where !(record == .none && vault == .absent) {
                for policy in [AutomaticPolicy.durable, AutomaticPolicy(AutomaticChoice.allCases)] {
                    let withoutLook = step(record, vault, nil, policy)
                    for answer in Self.keyrings.map({ step(record, vault, $0, policy) }) {
                        #expect(answer == withoutLook, "\(record) \(vault)")
                        if case .begin = answer { Issue.record("a choice began anew: \(record) \(vault)") }
                    }
                }
            }
        }
    }

    @Test("memory is chosen only where it is named")
    func memory() {
        for record in Self.records where record != .choice(.memory) {
            for vault in Self.vaults {
                for keyring in Self.keyrings {
                    switch step(record, vault, keyring) {
                    case .take(.memory, _), .begin(.memory, _): Issue.record("memory: \(record) \(vault) \(keyring)")
                    default: break
                    }
                }
            }
        }
        #expect(
            step(.none, .absent, .absent, AutomaticPolicy([.keyringVault, .memory])) == .begin(.memory, .noKeyring))
    }

    @Test("a vault is opened by what opens it, record or not")
    func vault() {
        let under = ChoiceFacts.Vault.present(isUnderKeyring: true, isUnderOther: false, hasKeyFile: false)
        let other = ChoiceFacts.Vault.present(isUnderKeyring: false, isUnderOther: true, hasKeyFile: false)
        let both = ChoiceFacts.Vault.present(isUnderKeyring: true, isUnderOther: true, hasKeyFile: false)
        for record in Self.records {
            #expect(
                step(record, under, .absent)
                    == .take(.keyringVault, record == .choice(.keyringVault) ? .recorded : .vault))
            #expect(step(record, other, .present) == .take(.file, record == .choice(.file) ? .recorded : .vault))
        }
        #expect(step(.choice(.file), both, .present) == .take(.file, .recorded))
        #expect(step(.choice(.keyringVault), both, .present) == .take(.keyringVault, .recorded))
        #expect(step(.none, both, .present) == .take(.keyringVault, .vault))
        // The service's own key file is there: no bus is needed.
        let either = ChoiceFacts.Vault.present(isUnderKeyring: true, isUnderOther: true, hasKeyFile: true)
        #expect(step(.none, either, .present) == .take(.file, .vault))
        #expect(step(.choice(.keyringVault), either, .present) == .take(.keyringVault, .recorded))
        #expect(step(.none, either, .present, AutomaticPolicy([.keyringVault])) == .take(.keyringVault, .vault))
    }

    @Test("what the policy does not allow is refused, also where the data lives there")
    func refused() {
        let refusal = ChoiceRules.Step.refuse(.unavailable(.boundToAnotherProvider))
        #expect(step(.choice(.secretService), .absent, .present) == refusal)
        #expect(step(.choice(.file), .absent, .present, AutomaticPolicy([.keyringVault])) == refusal)
        #expect(
            step(
                .none, .present(isUnderKeyring: false, isUnderOther: true, hasKeyFile: false), .present,
                AutomaticPolicy([.keyringVault])) == refusal)
    }

    @Test("a note that cannot be understood is no reason to choose anew")
    func unknown() {
        #expect(step(.damaged, .absent, .present) == .refuse(.damaged))
        #expect(step(.unsupportedVersion(2), .absent, .present) == .refuse(.cause(.unsupportedVersion(2))))
    }
}
