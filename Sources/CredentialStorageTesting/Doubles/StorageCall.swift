/// One call of a store, by its kind and the name it was about; never a value.
public struct StorageCall: Sendable {
    /// Which member was called.
    public enum Kind: String, Sendable, CaseIterable {
        /// Reading one entry.
        case get
        /// Reading one entry into locked memory.
        case withSecret
        /// Reading everything.
        case readAll
        /// Listing the names.
        case keys
        /// Taking a lock.
        case acquireLock
        /// Inserting or replacing an entry.
        case set
        /// Inserting or replacing an entry from a span.
        case setSecret
        /// Changing an entry that has an expected value.
        case compareAndSet
        /// Changing several entries.
        case update
        /// Removing an entry.
        case delete
        /// Removing every entry.
        case deleteAll
    }

    /// Which member was called.
    public let kind: Kind

    /// The entry or lock that the call was about; `nil` for a call about the whole store.
    public let name: String?

    /// Makes a call.
    ///
    /// - Parameters:
    ///   - kind: Which member was called.
    ///   - name: The entry or lock that it was about.
    public init(_ kind: Kind, _ name: String? = nil) {
        self.kind = kind
        self.name = name
    }
}

extension StorageCall: Hashable {
    /// Whether kinds are the same and names have the same bytes.
    public static func == (left: StorageCall, right: StorageCall) -> Bool {
        guard left.kind == right.kind else { return false }
        return switch (left.name, right.name) {
        case (nil, nil): true
        case (let mine?, let theirs?): mine.utf8.elementsEqual(theirs.utf8)
        default: false
        }
    }

    /// Feeds the kind and the bytes of the name.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(kind)
        for byte in name?.utf8 ?? "".utf8 { hasher.combine(byte) }
    }
}

extension StorageCall: CustomStringConvertible {
    /// The kind and the name, as a call is written.
    public var description: String {
        guard let name else { return "\(kind.rawValue)()" }
        return "\(kind.rawValue)(\(name.debugDescription))"
    }
}
