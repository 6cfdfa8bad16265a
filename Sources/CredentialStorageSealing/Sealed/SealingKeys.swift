internal import CredentialStorage

/// The keys that a ``SealedStorage`` is given: the one that it seals under, and others that it opens with.
///
/// To rotate without losing an entry:
///
/// 1. give every program the new key among `others`,
/// 2. make it the current one everywhere, with the old one among `others`,
/// 3. run ``SealedStorage/reseal()``,
/// 4. leave the old key out; put its id into `lost` if records under it may turn up again.
public struct SealingKeys: Sendable {
    /// The key that new values are sealed under.
    public let current: SealingKey
    /// Keys that open records and seal none, in the order in which they are tried.
    public let others: [SealingKey]
    /// Keys that no longer exist; records under them are ``UndecryptableReason/keyLost``.
    public let lost: Set<SealingKey.ID>

    /// Makes a set of keys.
    ///
    /// - Parameters:
    ///   - current: The key that new values are sealed under.
    ///   - others: Keys that open records and seal none.
    ///   - lost: The ids of keys that no longer exist.
    public init(_ current: SealingKey, others: [SealingKey] = [], lost: [SealingKey.ID] = []) {
        self.current = current
        var known: Set<SealingKey.ID> = [current.id]
        self.others = others.filter { known.insert($0.id).inserted }
        self.lost = Set(lost).subtracting(known)
    }

    /// Every key, the current one first.
    var all: [SealingKey] { [current] + others }

    func key(_ id: SealingKey.ID) -> SealingKey? { id == current.id ? current : others.first { $0.id == id } }

    /// Why a record under a key that is not here cannot be opened.
    func reason(without id: SealingKey.ID) -> UndecryptableReason { lost.contains(id) ? .keyLost : .wrongKey }

    var areLocked: Bool { all.allSatisfy(\.derived.isMemoryLocked) }
}

extension SealingKeys: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The number of keys.
    public var description: String { "SealingKeys(\(all.count))" }
    /// The number of keys.
    public var debugDescription: String { description }
    /// An empty mirror.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

/// What becomes of the names of entries in the base of a ``SealedStorage``.
public enum SealedNames: String, Sendable, CaseIterable {
    /// The base sees keyed hashes; the name stands in the record, in a box of its own.
    case sealed
    /// The base sees the names; each value is bound to its own.
    case clear
}
