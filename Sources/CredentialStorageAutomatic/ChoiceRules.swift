package import CredentialStorage

/// Why a kind of store was chosen.
public enum ChoiceRule: String, Sendable, CaseIterable {
    /// An earlier run of this service chose it, and that is remembered beside the data.
    case recorded
    /// The service's vault exists, and is opened by that.
    case vault
    /// It is the first one that the policy allows, and what it needs is there.
    case first
    /// The ones before it need a keyring, and there is none.
    case noKeyring

    /// The rule in words, for a person.
    public var sentence: String {
        switch self {
        case .recorded: "the service's first choice is remembered"
        case .vault: "the service's vault exists and is opened that way"
        case .first: "the policy names it first, and what it needs is there"
        case .noKeyring: Self.withoutKeyring
        }
    }
}

extension ChoiceRule {
    #if SecretService
        private static let withoutKeyring = "there is no keyring, and the policy names it next"
    #else
        private static let withoutKeyring = "this build knows no keyring, and the policy names it next"
    #endif
}

/// What can be known without asking the bus.
struct ChoiceFacts: Sendable, Equatable {
    enum Vault: Sendable, Equatable {
        case absent
        /// It stands, and slots of these kinds open it.
        /// A key file may be one of them, and the service's own may be there.
        case present(isUnderKeyring: Bool, isUnderOther: Bool, hasKeyFile: Bool)
        /// Something stands there whose header cannot be read.
        case unreadable
    }

    var record: ChoiceRecord.Note
    var vault: Vault
}

/// How the state of the keyring is learnt.
package enum KeyringLook: Sendable {
    /// Not at all.
    case none
    /// By a look at it.
    case ask
    /// By what an earlier look found.
    case known(StorageProbe)
}

/// What is known of the keyring.
enum KeyringState: Sendable, Equatable {
    /// A provider runs, or can be started.
    case present
    /// Proven: no bus, or no provider on it.
    case absent
    /// Something is there, and it cannot be told what.
    case failing(StorageFault)

    /// What a look at its store found; a locked one is there.
    init(_ probe: StorageProbe) {
        switch probe.reason {
        case nil: self = .present
        case let reason? where reason.category?.isLock == true: self = .present
        case let reason? where reason.category == .noSessionBus || reason.category == .noProvider: self = .absent
        case let reason?: self = .failing(.adopting(reason))
        }
    }
}

extension UnavailableCategory {
    /// Whether a person could open what is there.
    var isLock: Bool {
        switch self {
        case .locked, .promptNeeded, .promptDismissed, .promptTimedOut, .sessionLocked: true
        default: false
        }
    }
}

/// The choice as a value: no I/O, and no time.
struct ChoiceRules: Sendable {
    enum Step: Sendable, Equatable {
        /// Settled: entries are there, or may be.
        case take(AutomaticChoice, ChoiceRule)
        /// Nothing was ever stored, and this would be taken by the first write.
        case begin(AutomaticChoice, ChoiceRule)
        /// The keyring has to be looked at.
        case look
        case refuse(StorageFault)
    }

    let policy: AutomaticPolicy

    /// Whether a first write may take the keyring itself: what needs none is never passed over.
    var mayBeginInKeyring: Bool { policy.allowed.prefix { $0.needsKeyring }.contains(.secretService) }

    func step(_ facts: ChoiceFacts, keyring: KeyringState? = nil) -> Step {
        switch facts.vault {
        case .unreadable:
            // The vault says for itself what is wrong with it.
            return facts.record == .choice(.keyringVault) ? .take(.keyringVault, .recorded) : .take(.file, .vault)
        case .present(let isUnderKeyring, let isUnderOther, let hasKeyFile):
            if case .choice(let recorded) = facts.record {
                if recorded == .keyringVault, isUnderKeyring { return allowing(recorded, .recorded) }
                if recorded == .file, isUnderOther { return allowing(recorded, .recorded) }
            }
            // Where both open it, the one that is at hand without a bus.
            let needsKeyring = isUnderKeyring && !(hasKeyFile && policy.allowed.contains(.file))
            return allowing(needsKeyring ? .keyringVault : .file, .vault)
        case .absent: break
        }
        switch facts.record {
        case .choice(let recorded): return allowing(recorded, .recorded)
        case .unsupportedVersion(let version): return .refuse(.cause(.unsupportedVersion(version)))
        case .damaged: return .refuse(.damaged)
        case .none: return begin(keyring)
        }
    }

    private func begin(_ keyring: KeyringState?) -> Step {
        var rule = ChoiceRule.first
        for choice in policy.allowed {
            guard choice.needsKeyring else { return .begin(choice, rule) }
            switch keyring {
            case nil: return .look
            case .present: return .begin(choice, rule)
            case .failing(let fault): return .refuse(fault)
            case .absent: rule = .noKeyring
            }
        }
        return .refuse(.unavailable(.noProvider))
    }

    /// What holds the data is not exchanged for something else, and not used against the policy either.
    private func allowing(_ choice: AutomaticChoice, _ rule: ChoiceRule) -> Step {
        policy.allowed.contains(choice) ? .take(choice, rule) : .refuse(.unavailable(.boundToAnotherProvider))
    }
}
