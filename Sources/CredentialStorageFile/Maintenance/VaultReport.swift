/// What a look at every byte of a vault found.
///
/// It holds offsets and states, never a name.
public struct VaultReport: Sendable, Equatable {
    /// What a frame records.
    public enum FrameKind: String, Sendable, CaseIterable {
        /// A value.
        case value
        /// A removal.
        case delete
        /// Derived data that speeds opening up.
        case index
        /// Damage took the kind.
        case unknown
    }

    /// What a frame is worth now.
    public enum FrameState: String, Sendable, CaseIterable {
        /// It holds the present state of its entry.
        case live
        /// A later frame replaced it.
        case superseded
        /// Its bytes are damaged.
        case damaged
    }

    /// One frame.
    public struct Frame: Sendable, Equatable {
        /// Where it begins in the file.
        public var offset: Int
        /// How many bytes it has.
        public var length: Int
        /// What it records.
        public var kind: FrameKind
        /// What it is worth now.
        public var state: FrameState
    }

    /// The frames in file order.
    public var frames: [Frame] = []
    /// How many frames are damaged, those that were replaced later included.
    public var damaged = 0
    /// How many entries open.
    public var entries = 0
    /// How many entries there are that do not open.
    ///
    /// What damage took without a trace of whose it was is not among them; it counts as ``lost``.
    public var damagedEntries = 0
    /// How many losses cannot even be placed: misses cannot be proven until the vault is repaired.
    public var lost = 0
    /// Whether each of the two header copies is whole.
    public var headerCopies: [Bool] = []
    /// Whether both copies of the header are whole and say different things, as a stop during a key change leaves them:
    /// a key that was removed may open the older one.
    public var headerCopiesDiffer = false
    /// The format version.
    public var version = 0
    /// The number of key slots.
    public var slots = 0
    /// The size of the file in bytes.
    public var size = 0
    /// Whether the companion file bears witness to a newer state than the vault holds.
    public var isRolledBack = false

    /// Whether every entry opens, nothing is lost, and both copies of the header are whole and the same.
    ///
    /// There may be damage all the same that keeps no entry from opening, as in a value that was set again later.
    public var isIntact: Bool {
        damagedEntries == 0 && lost == 0 && !isRolledBack && headerCopies.allSatisfy { $0 } && !headerCopiesDiffer
    }

    /// Whether nothing at all is wrong.
    public var isSound: Bool { isIntact && damaged == 0 }
}

extension VaultReport: CustomStringConvertible {
    /// The verdict and the counts, as `credstore verify` says them.
    public var description: String {
        let verdict = isSound ? "sound" : isIntact ? "intact" : "not sound"
        let counts = """
            entries \(entries) open, \(damagedEntries) damaged; lost \(lost); frames \(frames.count), \(damaged) damaged
            """
        let header =
            headerCopies.contains(false)
            ? "; a copy of the header damaged" : headerCopiesDiffer ? "; the copies of the header differ" : ""
        return "\(verdict): \(counts)\(header)\(isRolledBack ? "; rolled back" : "")"
    }
}
