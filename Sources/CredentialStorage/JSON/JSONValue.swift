/// One JSON value, as it was written.
///
/// An object is an ordered list of members, not a dictionary: `String` takes composed and decomposed forms of one
/// name as equal, and a dictionary of them would drop one. Names that stand twice are both kept. A number keeps its
/// text, so that nothing is lost to `Double`.
package enum JSONValue: Sendable {
    case null
    case bool(Bool)
    /// The number as its text, which is valid JSON.
    case number(String)
    case string(String)
    case array([JSONValue])
    case object([JSONMember])
}

/// One member of an object.
package struct JSONMember: Sendable {
    package let name: String
    package var value: JSONValue

    package init(_ name: String, _ value: JSONValue) {
        self.name = name
        self.value = value
    }

    /// Whether the name has exactly the bytes of this one.
    package func isNamed(_ other: String) -> Bool { name.utf8.elementsEqual(other.utf8) }
}

extension JSONValue {
    /// The text, if this is a string.
    package var string: String? {
        guard case .string(let text) = self else { return nil }
        return text
    }

    /// The text of the number, if this is one.
    package var number: String? {
        guard case .number(let text) = self else { return nil }
        return text
    }

    /// The elements, if this is an array.
    package var array: [JSONValue]? {
        guard case .array(let elements) = self else { return nil }
        return elements
    }

    /// The members, if this is an object.
    package var object: [JSONMember]? {
        guard case .object(let members) = self else { return nil }
        return members
    }

    /// The value of the only member with exactly this name; `nil` when there is none, or more than one.
    package subscript(name: String) -> JSONValue? {
        guard let members = object else { return nil }
        let found = members.filter { $0.isNamed(name) }
        return found.count == 1 ? found[0].value : nil
    }
}

extension JSONValue: Equatable {
    /// Whether both are the same text, byte for byte; `1` and `1.0` differ, and so do members in another order.
    package static func == (left: JSONValue, right: JSONValue) -> Bool {
        switch (left, right) {
        case (.null, .null): true
        case (.bool(let mine), .bool(let theirs)): mine == theirs
        case (.number(let mine), .number(let theirs)): mine.utf8.elementsEqual(theirs.utf8)
        case (.string(let mine), .string(let theirs)): mine.utf8.elementsEqual(theirs.utf8)
        case (.array(let mine), .array(let theirs)): mine == theirs
        case (.object(let mine), .object(let theirs)): mine == theirs
        default: false
        }
    }
}

extension JSONMember: Equatable {
    package static func == (left: JSONMember, right: JSONMember) -> Bool {
        left.isNamed(right.name) && left.value == right.value
    }
}

// Values hold tokens and names hold entry names, so neither is ever printed.

extension JSONValue: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package var description: String {
        switch self {
        case .null: "JSONValue(null)"
        case .bool: "JSONValue(bool)"
        case .number: "JSONValue(number)"
        case .string: "JSONValue(string)"
        case .array(let elements): "JSONValue(array of \(elements.count))"
        case .object(let members): "JSONValue(object of \(members.count))"
        }
    }
    package var debugDescription: String { description }
    package var customMirror: Mirror { Mirror(self, children: []) }
}

extension JSONMember: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package var description: String { "JSONMember(redacted)" }
    package var debugDescription: String { description }
    package var customMirror: Mirror { Mirror(self, children: []) }
}
