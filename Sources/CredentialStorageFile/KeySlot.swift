public import CredentialStorage
internal import CredentialStorageSealing

/// One of the keys that open a vault, as its header states it.
public struct KeySlot: Sendable, Equatable {
    /// The number of the slot, which is never given again in the life of the vault.
    public let id: Int
    /// What holds the key; `nil` for a kind that this version cannot open.
    public let source: Protection.Source?
    /// Whether the key opens the vault on this machine only.
    public let isBoundToMachine: Bool
    /// As the command line spells the kind.
    package let kindName: String

    init(_ slot: SlotRecord) {
        let kind = KeySlotKind.named(by: slot.kind)
        id = Int(slot.id)
        source = kind?.source
        isBoundToMachine = slot.isMachineBound
        kindName = kind?.name ?? "unknown"
    }
}
