public import FoundationEssentials
internal import Glibc

/// One entry of a ``BulkRead``.
///
/// What a store read in bulk may lie side by side in memory that is wiped when the last of its entries goes away;
/// ``key`` and ``value`` then make a copy each time.
public struct Entry: Sendable {
    private enum Content: Sendable {
        case own(key: String, value: Data)
        case shared(SharedSecret, EntryPlace)
    }

    private let content: Content

    /// Makes an entry.
    ///
    /// - Parameters:
    ///   - key: The name.
    ///   - value: The value.
    public init(key: String, value: Data) {
        var key = key
        key.makeContiguousUTF8()
        content = .own(key: key, value: value)
    }

    package init(_ memory: SharedSecret, _ place: EntryPlace) { content = .shared(memory, place) }

    /// The name.
    public var key: String {
        switch content {
        case .own(let key, _): key
        case .shared(let memory, let place):
            memory.bytes.withBytes { bytes in
                unsafe bytes.extracting(place.name).withUnsafeBufferPointer {
                    unsafe String(decoding: $0, as: UTF8.self)
                }
            }
        }
    }

    /// The value.
    ///
    /// It is ordinary memory; use ``withValue(_:)`` where that matters.
    public var value: Data {
        switch content {
        case .own(_, let value): value
        case .shared(let memory, let place): memory.bytes.withBytes { Data(copying: $0.extracting(place.value)) }
        }
    }

    /// Gives the bytes of the value to a body, which must not keep them, without a copy.
    ///
    /// - Parameter body: Reads the bytes.
    /// - Returns: What the body returned.
    /// - Throws: What the body threw.
    public func withValue<R: ~Copyable, E: Error>(_ body: (Span<UInt8>) throws(E) -> R) throws(E) -> R {
        switch content {
        case .own(_, let value): try body(value.span)
        case .shared(let memory, let place):
            try memory.bytes.withBytes { (bytes) throws(E) in try body(bytes.extracting(place.value)) }
        }
    }

    private func withKey<R>(_ body: (UnsafeBufferPointer<UInt8>) -> R) -> R {
        switch content {
        // Made contiguous at the start, so the closure always runs.
        case .own(let key, _): unsafe key.utf8.withContiguousStorageIfAvailable { unsafe body($0) }!
        case .shared(let memory, let place):
            memory.bytes.withBytes { bytes in
                unsafe bytes.extracting(place.name).withUnsafeBufferPointer { unsafe body($0) }
            }
        }
    }

    /// Negative when this name comes first in byte order, 0 when both have the same bytes.
    func order(against other: Entry) -> Int {
        unsafe withKey { mine in unsafe other.withKey { unsafe byteOrder(mine, $0) } }
    }

    /// The same for a name whose UTF-8 is contiguous.
    func order(against key: String) -> Int {
        unsafe withKey { mine in
            unsafe key.utf8.withContiguousStorageIfAvailable { unsafe byteOrder(mine, $0) }!
        }
    }
}

/// Where a name and a value stand side by side in memory that many entries share.
package struct EntryPlace: Sendable {
    package let offset: Int
    package let nameLength: Int32
    package let valueLength: Int32

    package init(offset: Int, nameLength: Int, valueLength: Int) {
        self.offset = offset
        self.nameLength = Int32(nameLength)
        self.valueLength = Int32(valueLength)
    }

    package var name: Range<Int> { offset..<offset + Int(nameLength) }
    package var value: Range<Int> { name.upperBound..<name.upperBound + Int(valueLength) }
}

extension [EntryPlace] {
    /// The same places in byte order of the names.
    ///
    /// Names of one program often begin alike, so eight bytes behind what all have in common decide most comparisons.
    func inOrder(_ memory: borrowing SecureBuffer) -> [EntryPlace] {
        guard let first else { return [] }
        return memory.withBytes { bytes in
            unsafe bytes.withUnsafeBufferPointer { bytes in
                func name(_ place: EntryPlace) -> UnsafeBufferPointer<UInt8> {
                    unsafe UnsafeBufferPointer(rebasing: bytes[place.name])
                }
                let model = unsafe name(first)
                var shared = model.count
                for place in self {
                    let other = unsafe name(place)
                    shared = Swift.min(shared, other.count)
                    while shared > 0, unsafe memcmp(model.baseAddress!, other.baseAddress!, shared) != 0 { shared -= 1 }
                }
                var keyed = map { place in
                    var key: UInt64 = 0
                    for index in 0..<8 {
                        let at = shared + index
                        key = key << 8 | (at < place.nameLength ? unsafe UInt64(bytes[place.offset + at]) : 0)
                    }
                    return (key: key, place: place)
                }
                keyed.sort { left, right in
                    if left.key != right.key { return left.key < right.key }
                    return unsafe byteOrder(name(left.place), name(right.place)) < 0
                }
                return keyed.map(\.place)
            }
        }
    }
}

/// Negative when the left bytes come first, 0 when both are the same.
func byteOrder(_ left: UnsafeBufferPointer<UInt8>, _ right: UnsafeBufferPointer<UInt8>) -> Int {
    let common = min(left.count, right.count)
    if common > 0 {
        let difference = unsafe memcmp(left.baseAddress!, right.baseAddress!, common)
        if difference != 0 { return Int(difference) }
    }
    return left.count - right.count
}

extension Entry: Equatable {
    /// Whether names and values have the same bytes.
    public static func == (left: Entry, right: Entry) -> Bool {
        left.order(against: right) == 0 && left.value == right.value
    }
}

extension Entry: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// A fixed text.
    public var description: String { "Entry(redacted)" }
    /// A fixed text.
    public var debugDescription: String { description }
    /// An empty mirror.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
