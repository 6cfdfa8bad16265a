/// Which kind of store this is.
///
/// An open set: a store of your own adds a static member in an extension.
public struct StorageBackend: Sendable, Hashable, CustomStringConvertible {
    /// The stable name, as `credstore --backend` spells it.
    public let name: String

    /// Makes a kind.
    ///
    /// - Parameter name: A stable, short name.
    public init(name: String) { self.name = name }

    /// Values in this process's memory.
    public static let memory = StorageBackend(name: "memory")
    /// An encrypted file.
    public static let file = StorageBackend(name: "file")
    /// The Secret Service.
    public static let secretService = StorageBackend(name: "secret-service")

    /// The stable name.
    public var description: String { name }
}

/// What could be learnt about a store without a dialog and without a write.
public struct StorageProbe: Sendable, Equatable {
    /// Whether the store answered at all.
    public var isReachable: Bool
    /// Whether it is locked; `nil` when that could not be learnt.
    public var isLocked: Bool?
    /// Whether reading can be expected to work.
    public var isReadable: Bool
    /// Whether writing can be expected to work.
    public var isWritable: Bool
    /// Why not, where something can be expected to fail.
    public var reason: StorageError?

    /// Makes a result.
    ///
    /// - Parameters:
    ///   - isReachable: Whether the store answered at all.
    ///   - isLocked: Whether it is locked; `nil` when that could not be learnt.
    ///   - isReadable: Whether reading can be expected to work.
    ///   - isWritable: Whether writing can be expected to work.
    ///   - reason: Why not.
    public init(
        isReachable: Bool,
        isLocked: Bool?,
        isReadable: Bool,
        isWritable: Bool,
        reason: StorageError? = nil
    ) {
        self.isReachable = isReachable
        self.isLocked = isLocked
        self.isReadable = isReadable
        self.isWritable = isWritable
        self.reason = reason
    }

    /// Everything can be expected to work.
    public static let usable = StorageProbe(isReachable: true, isLocked: false, isReadable: true, isWritable: true)
}

extension StorageProbe: CustomStringConvertible {
    /// `usable`, or what is not so and why.
    public var description: String {
        var facts: [String] = []
        if !isReachable { facts.append("not reachable") }
        if isLocked == true { facts.append("locked") }
        if !isReadable { facts.append("not readable") }
        if !isWritable { facts.append("not writable") }
        guard let reason else { return facts.isEmpty ? "usable" : facts.joined(separator: ", ") }
        return "\(facts.isEmpty ? "usable" : facts.joined(separator: ", ")): \(reason)"
    }
}
