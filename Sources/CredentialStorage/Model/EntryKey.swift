internal import Glibc

/// The name of an entry, checked once, compared and ordered by its UTF-8 bytes.
///
/// `String` takes composed and decomposed forms of one letter as equal; entry names do not. Nothing in this package
/// keeps names in a map, set or sort of `String`; it uses this type.
///
/// A name is non-empty UTF-8 without NUL, at most 1 024 bytes. Printing a key does not show the name; ``name`` does.
public struct EntryKey: Sendable {
    /// The most bytes of UTF-8 that a name may have.
    public static let maximumLength = 1024

    /// The name as it was given.
    public let name: String

    /// Checks a name.
    ///
    /// What it throws is a bare cause. In a store of your own call it inside ``StorageError/during(_:_:)``, which wraps
    /// that as callers expect.
    ///
    /// - Parameter name: The name.
    /// - Throws: ``StorageError/invalidEntryKey`` when it is empty, holds NUL, or is longer than 1 024 bytes.
    public init(_ name: String) throws(StorageError) {
        guard let key = EntryKey(validating: name) else { throw .invalidEntryKey }
        self = key
    }

    /// Checks bytes that should be a name.
    ///
    /// The result is `nil` when they are not UTF-8 or not a valid name; they are never repaired.
    ///
    /// - Parameter utf8: The bytes.
    public init?(utf8: some Sequence<UInt8>) {
        guard let name = String(validating: Array(utf8), as: UTF8.self) else { return nil }
        self.init(validating: name)
    }

    package init(checking name: String) throws(StorageFault) {
        guard let key = EntryKey(validating: name) else { throw .invalidEntryKey }
        self = key
    }

    /// Whether the bytes are a name.
    package static func isValid(_ name: Span<UInt8>) -> Bool {
        guard name.count > 0, name.count <= maximumLength else { return false }
        return unsafe name.withUnsafeBytes { bytes in
            unsafe memchr(bytes.baseAddress!, 0, bytes.count) == nil
        } && (try? UTF8Span(validating: name)) != nil
    }

    private init?(validating name: String) {
        var name = name
        name.makeContiguousUTF8()
        let length = name.utf8.count
        guard length > 0, length <= Self.maximumLength, !Self.holdsNUL(name) else { return nil }
        self.name = name
    }

    private static func holdsNUL(_ name: String) -> Bool {
        unsafe name.utf8.withContiguousStorageIfAvailable { unsafe memchr($0.baseAddress!, 0, $0.count) != nil }!
    }

    /// Gives the bytes of the name without a copy.
    @inlinable
    package func withBytes<R>(_ body: (UnsafeBufferPointer<UInt8>) -> R) -> R {
        // Made contiguous at the start, so the closure always runs.
        unsafe name.utf8.withContiguousStorageIfAvailable { unsafe body($0) }!
    }
}

extension EntryKey: Hashable, Comparable {
    /// Whether both names have the same bytes.
    public static func == (left: EntryKey, right: EntryKey) -> Bool { left.order(against: right) == 0 }

    /// Whether the left name comes first in byte order.
    public static func < (left: EntryKey, right: EntryKey) -> Bool { left.order(against: right) < 0 }

    /// Feeds the bytes of the name.
    public func hash(into hasher: inout Hasher) {
        unsafe withBytes { unsafe hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    }

    private func order(against other: EntryKey) -> Int {
        unsafe withBytes { mine in
            unsafe other.withBytes { unsafe byteOrder(mine, $0) }
        }
    }
}

extension EntryKey: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// A fixed text; the name is in ``name``.
    public var description: String { "EntryKey(redacted)" }
    /// A fixed text; the name is in ``name``.
    public var debugDescription: String { description }
    /// An empty mirror.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
