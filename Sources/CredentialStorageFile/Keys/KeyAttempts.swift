internal import CredentialStorage

/// What was derived from one key for the slots that were tried.
///
/// The two copies of a header hold the same slots as a rule, and a derivation costs a good part of a second.
struct KeyAttempts {
    private var attempts: [(slot: SlotRecord, ikm: SharedSecret)] = []

    /// What was derived for the same salt and the same numbers.
    func known(for slot: SlotRecord) -> SharedSecret? {
        attempts.first { attempt in
            attempt.slot.kind == slot.kind && attempt.slot.isMachineBound == slot.isMachineBound
                && attempt.slot.salt == slot.salt && attempt.slot.passes == slot.passes
                && attempt.slot.kibibytes == slot.kibibytes
        }?.ikm
    }

    mutating func add(_ ikm: SharedSecret, for slot: SlotRecord) { attempts.append((slot, ikm)) }
}
