public import FoundationEssentials

/// An entry that exists and could not be read in bulk.
public struct OmittedEntry: Sendable {
    /// The name, or `nil` where the damage took the name too.
    public let key: String?
    /// Why it could not be read.
    public let reason: UndecryptableReason

    /// Makes an omission.
    ///
    /// - Parameters:
    ///   - key: The name, or `nil` where it is not known.
    ///   - reason: Why the entry could not be read.
    public init(key: String?, reason: UndecryptableReason) {
        self.key = key
        self.reason = reason
    }
}

extension OmittedEntry: Equatable {
    /// Whether names have the same bytes and the reasons agree.
    public static func == (left: OmittedEntry, right: OmittedEntry) -> Bool {
        guard left.reason == right.reason else { return false }
        return switch (left.key, right.key) {
        case (nil, nil): true
        case (let mine?, let theirs?): mine.utf8.elementsEqual(theirs.utf8)
        default: false
        }
    }
}

extension OmittedEntry: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The reason; the name is in ``key``.
    public var description: String { "OmittedEntry(\(reason.rawValue))" }
    /// The reason; the name is in ``key``.
    public var debugDescription: String { description }
    /// The reason only.
    public var customMirror: Mirror { Mirror(self, children: ["reason": reason.rawValue]) }
}

/// Everything that a store holds: the entries that open, and a list of those that do not.
///
/// A store that cannot be reached or opened as a whole throws instead; this value is never an empty stand-in.
public struct BulkRead: Sendable {
    /// The entries that open, in byte order of their names.
    public let entries: [Entry]
    /// The entries that exist and do not open: those with a name first, in byte order.
    public let omitted: [OmittedEntry]
    /// How many losses cannot even be placed: something was there, and neither its name nor its place is left.
    public let lost: Int

    /// Makes a result and puts it in order.
    ///
    /// - Parameters:
    ///   - entries: The entries that open, in any order, no name twice.
    ///   - omitted: The entries that do not open, in any order.
    ///   - lost: Losses that cannot be placed.
    public init(entries: [Entry], omitted: [OmittedEntry] = [], lost: Int = 0) {
        self.entries = entries.sorted { $0.order(against: $1) < 0 }
        self.omitted = Self.inOrder(omitted)
        self.lost = lost
    }

    private static func inOrder(_ omitted: [OmittedEntry]) -> [OmittedEntry] {
        omitted.sorted { left, right in
            switch (left.key, right.key) {
            case (let mine?, let theirs?): mine.utf8.lexicographicallyPrecedes(theirs.utf8)
            case (.some, nil): true
            case (nil, _): false
            }
        }
    }

    /// Takes over names and values that stand side by side in one piece of memory, in any order.
    package init(_ memory: SharedSecret, _ places: [EntryPlace], omitted: [OmittedEntry], lost: Int) {
        let entries = places.inOrder(memory.bytes).map { Entry(memory, $0) }
        self.init(ordered: entries, omitted: Self.inOrder(omitted), lost: lost)
    }

    package init(ordered entries: [Entry], omitted: [OmittedEntry], lost: Int) {
        self.entries = entries
        self.omitted = omitted
        self.lost = lost
    }

    /// The value under exactly this name, byte for byte.
    ///
    /// - Parameter key: The name.
    /// - Returns: The value, or `nil` when no entry of that name opened. Look into ``omitted`` and ``lost`` before
    ///   taking that as absence.
    public subscript(key key: String) -> Data? {
        var key = key
        key.makeContiguousUTF8()
        var low = 0
        var high = entries.count
        while low < high {
            let middle = (low + high) / 2
            if entries[middle].order(against: key) < 0 { low = middle + 1 } else { high = middle }
        }
        guard low < entries.count, entries[low].order(against: key) == 0 else { return nil }
        return entries[low].value
    }

    /// Whether every entry opened and nothing was lost.
    public var isComplete: Bool { omitted.isEmpty && lost == 0 }
}

extension BulkRead: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The counts.
    public var description: String { "BulkRead(\(entries.count) entries, \(omitted.count) omitted, \(lost) lost)" }
    /// The counts.
    public var debugDescription: String { description }
    /// The counts only.
    public var customMirror: Mirror {
        Mirror(self, children: ["entries": entries.count, "omitted": omitted.count, "lost": lost])
    }
}
