/// A key slot: the master key, wrapped under a key from one source.
package struct SlotRecord: Sendable, Equatable {
    /// What a flag bit of a slot means.
    package enum Flag {
        package static let machineBound: UInt8 = 1
    }

    package var kind: UInt8
    package var flags: UInt8
    /// Never used again in the life of the file.
    package var id: UInt32
    package var passes: UInt32
    package var kibibytes: UInt32
    package var salt: [UInt8]
    package var check: [UInt8]
    package var nonce: [UInt8]
    package var sealedMasterKey: [UInt8]
    package var parameters: [UInt8]

    package init(
        kind: UInt8, flags: UInt8, id: UInt32, passes: UInt32, kibibytes: UInt32, salt: [UInt8],
        check: [UInt8] = [UInt8](repeating: 0, count: 32), nonce: [UInt8] = [UInt8](repeating: 0, count: 24),
        sealedMasterKey: [UInt8] = [UInt8](repeating: 0, count: 48), parameters: [UInt8]
    ) {
        self.kind = kind
        self.flags = flags
        self.id = id
        self.passes = passes
        self.kibibytes = kibibytes
        self.salt = salt
        self.check = check
        self.nonce = nonce
        self.sealedMasterKey = sealedMasterKey
        self.parameters = parameters
    }

    package var isMachineBound: Bool { flags & Flag.machineBound != 0 }

    package var length: Int { Layout.slotFixedLength + parameters.count }

    /// The whole slot as it stands in the header.
    package var encoded: [UInt8] {
        var result: [UInt8] = []
        result.append(UInt16(length))
        result.append(kind)
        result.append(flags)
        result.append(id)
        result.append(passes)
        result.append(kibibytes)
        result += salt
        result += check
        result += nonce
        result += sealedMasterKey
        result.append(UInt16(parameters.count))
        result += parameters
        return result
    }

    /// What the wrapping key and the check are bound to: slot bytes 2…31 and the parameters.
    package var derivationContext: [UInt8] { Array(encoded[2..<32]) + parameters }

    /// What the wrapped master key is bound to: slot bytes 2…63 and the parameters.
    package var wrappingContext: [UInt8] { Array(encoded[2..<64]) + parameters }

    /// Reads one slot that may end before `limit`.
    package init?(_ bytes: Span<UInt8>, at offset: Int, limit: Int) {
        guard offset + Layout.slotFixedLength <= limit else { return nil }
        let length = Int(bytes.load(UInt16.self, at: offset))
        let parameterCount = Int(bytes.load(UInt16.self, at: offset + 136))
        guard length == Layout.slotFixedLength + parameterCount, offset + length <= limit else { return nil }
        self.init(
            kind: bytes[offset + 2],
            flags: bytes[offset + 3],
            id: bytes.load(UInt32.self, at: offset + 4),
            passes: bytes.load(UInt32.self, at: offset + 8),
            kibibytes: bytes.load(UInt32.self, at: offset + 12),
            salt: bytes.array(offset + 16..<offset + 32),
            check: bytes.array(offset + 32..<offset + 64),
            nonce: bytes.array(offset + 64..<offset + 88),
            sealedMasterKey: bytes.array(offset + 88..<offset + 136),
            parameters: bytes.array(offset + 138..<offset + length))
    }
}

/// The parameters of a slot: a list of (tag 1, length 1, bytes).
package enum SlotParameter {
    package static let machineTag: UInt8 = 1
    package static let label: UInt8 = 2

    package static func encode(_ tag: UInt8, _ bytes: [UInt8]) -> [UInt8] { [tag, UInt8(bytes.count)] + bytes }

    package static func find(_ tag: UInt8, in parameters: [UInt8]) -> [UInt8]? {
        var rest = parameters[...]
        while rest.count >= 2 {
            let present = rest.removeFirst()
            let length = Int(rest.removeFirst())
            guard rest.count >= length else { return nil }
            if present == tag { return Array(rest.prefix(length)) }
            rest = rest.dropFirst(length)
        }
        return nil
    }
}
