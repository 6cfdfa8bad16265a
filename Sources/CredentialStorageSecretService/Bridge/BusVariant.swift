#if SecretService
    internal import CCredentialLibsecret

    extension BusValue {
        /// The value as GLib holds it, with a floating reference, or a full one for bytes.
        func makeVariant() -> OpaquePointer {
            switch self {
            case .string(let text): unsafe g_variant_new_string(text)
            case .path(let path): unsafe g_variant_new_object_path(path.text)
            case .boolean(let value): unsafe g_variant_new_boolean(value ? 1 : 0)
            case .integer(let number): unsafe g_variant_new_int32(number)
            case .long(let number): unsafe g_variant_new_int64(gint64(number))
            case .unsigned32(let number): unsafe g_variant_new_uint32(number)
            case .unsigned(let number): unsafe g_variant_new_uint64(guint64(number))
            case .bytes(let bytes): unsafe g_variant_take_ref(bytes.retained)
            case .array(let signature, let values):
                unsafe Self.withType(signature) { type in
                    unsafe Self.withChildren(values) { unsafe g_variant_new_array(type, $0, gsize(values.count)) }
                }
            case .dictionary(let signature, let pairs):
                unsafe Self.withType("{\(signature)}") { type in
                    let entries = unsafe pairs.map { pair in
                        unsafe g_variant_new_dict_entry(pair.key.makeVariant(), pair.value.makeVariant())
                            as OpaquePointer?
                    }
                    return unsafe g_variant_new_array(type, entries, gsize(entries.count))
                }
            case .tuple(let values):
                unsafe Self.withChildren(values) { unsafe g_variant_new_tuple($0, gsize(values.count)) }
            case .variant(let value): unsafe g_variant_new_variant(value.makeVariant())
            case .other: unsafe g_variant_new_tuple(nil, 0)
            }
        }

        private static func withType(_ signature: String, _ body: (OpaquePointer) -> OpaquePointer) -> OpaquePointer {
            let type = unsafe BusTypes.make(signature)
            defer { unsafe g_variant_type_free(type) }
            return unsafe body(type)
        }

        private static func withChildren(
            _ values: [BusValue],
            _ body: (UnsafePointer<OpaquePointer?>?) -> OpaquePointer
        ) -> OpaquePointer {
            let children = unsafe values.map { unsafe $0.makeVariant() as OpaquePointer? }
            return unsafe children.withUnsafeBufferPointer { unsafe body($0.baseAddress) }
        }

        /// Reads what came in; the caller keeps its reference.
        init(reading variant: OpaquePointer, depth: Int = 0) {
            // The bus allows 64 levels; the Secret Service needs six.
            guard depth < 16 else {
                self = .other
                return
            }
            let signature = unsafe String(cString: g_variant_get_type_string(variant))
            switch signature {
            case "s": self = unsafe .string(Self.text(variant))
            case "o": self = unsafe .path(ObjectPath(text: Self.text(variant)))
            case "b": self = unsafe .boolean(g_variant_get_boolean(variant) != 0)
            case "i": self = unsafe .integer(g_variant_get_int32(variant))
            case "x": self = unsafe .long(Int64(g_variant_get_int64(variant)))
            case "u": self = unsafe .unsigned32(g_variant_get_uint32(variant))
            case "t": self = unsafe .unsigned(UInt64(g_variant_get_uint64(variant)))
            case "ay": self = unsafe .bytes(BusBytes(owning: g_variant_ref(variant)))
            case "v": self = unsafe .variant(Self.children(variant, depth)[0])
            case _ where signature.hasPrefix("a{"):
                let pairs = unsafe Self.children(variant, depth).compactMap { $0.elements }
                self = .dictionary(
                    of: String(signature.dropFirst(2).dropLast()), pairs.map { (key: $0[0], value: $0[1]) })
            case _ where signature.hasPrefix("a"):
                self = unsafe .array(of: String(signature.dropFirst()), Self.children(variant, depth))
            case _ where signature.hasPrefix("(") || signature.hasPrefix("{"):
                self = unsafe .tuple(Self.children(variant, depth))
            default: self = .other
            }
        }

        private static func text(_ variant: OpaquePointer) -> String {
            unsafe String(cString: g_variant_get_string(variant, nil))
        }

        private static func children(_ variant: OpaquePointer, _ depth: Int) -> [BusValue] {
            let count = unsafe g_variant_n_children(variant)
            return (0..<count).map { index in
                let child = unsafe g_variant_get_child_value(variant, index)!
                defer { unsafe g_variant_unref(child) }
                return unsafe BusValue(reading: child, depth: depth + 1)
            }
        }
    }
#endif
