#if SecretService
    /// A value as it travels on the bus, in both directions.
    indirect enum BusValue: Sendable {
        case string(String)
        case path(ObjectPath)
        case boolean(Bool)
        case integer(Int32)
        case long(Int64)
        case unsigned32(UInt32)
        case unsigned(UInt64)
        /// An array of bytes, which stays where it is.
        case bytes(BusBytes)
        /// An array with the signature of its elements, which an empty one does not show.
        case array(of: String, [BusValue])
        /// A dictionary with the signatures of its keys and values.
        case dictionary(of: String, [(key: BusValue, value: BusValue)])
        case tuple([BusValue])
        case variant(BusValue)
        /// Anything of a type that the Secret Service does not use.
        case other
    }

    extension BusValue {
        var string: String? { if case .string(let text) = self { text } else { nil } }
        var path: ObjectPath? { if case .path(let path) = self { path } else { nil } }
        var boolean: Bool? { if case .boolean(let value) = self { value } else { nil } }
        var bytes: BusBytes? { if case .bytes(let bytes) = self { bytes } else { nil } }
        var inside: BusValue? { if case .variant(let value) = self { value } else { nil } }
        var elements: [BusValue]? { if case .tuple(let values) = self { values } else { nil } }

        /// The paths of an array of paths.
        var paths: [ObjectPath]? {
            guard case .array(of: "o", let values) = self else { return nil }
            return values.compactMap(\.path)
        }

        /// A dictionary with text as keys.
        var members: [(key: String, value: BusValue)]? {
            guard case .dictionary(_, let pairs) = self else { return nil }
            var members: [(key: String, value: BusValue)] = []
            for pair in pairs {
                guard let key = pair.key.string else { return nil }
                members.append((key, pair.value))
            }
            return members
        }

        static func paths(_ paths: [ObjectPath]) -> BusValue { .array(of: "o", paths.map { .path($0) }) }

        /// A dictionary of named properties.
        static func properties(_ properties: [(key: String, value: BusValue)]) -> BusValue {
            .dictionary(of: "sv", properties.map { (.string($0.key), .variant($0.value)) })
        }
    }

    /// The path of an object, as the service spelled it.
    struct ObjectPath: Sendable, Hashable {
        let text: String

        static let none = ObjectPath(text: "/")
        static let service = ObjectPath(text: "/org/freedesktop/secrets")
        static let bus = ObjectPath(text: "/org/freedesktop/DBus")

        /// The path of the object that holds this one.
        var parent: ObjectPath? {
            guard let slash = text.utf8.lastIndex(of: UInt8(ascii: "/")), slash != text.startIndex else { return nil }
            return ObjectPath(text: String(text[..<slash]))
        }

        /// Whether it names nothing: how the service says that there is no object.
        var isNone: Bool { text.utf8.elementsEqual("/".utf8) }
    }
#endif
