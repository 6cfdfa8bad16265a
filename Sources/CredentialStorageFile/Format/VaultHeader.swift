/// What stands in a vault's header, without its two hashes.
package struct VaultHeader: Sendable, Equatable {
    package static let logIDPlace = 32

    /// For the life of the file.
    package var fileID: Bytes16
    /// New in every new file, so that no frame fits into another one.
    package var logID: Bytes16
    package var baseSequence: UInt64
    package var headerSequence: UInt32
    package var dataKeyNumber: UInt32
    package var logStart: UInt64
    package var indexOffset: UInt64
    /// The highest slot id that was ever given in this file.
    package var highestSlotID: UInt32
    package var nonce: [UInt8]
    package var sealedDataKey: [UInt8]
    package var slots: [SlotRecord]

    package init(
        fileID: Bytes16, logID: Bytes16, baseSequence: UInt64, headerSequence: UInt32, dataKeyNumber: UInt32,
        logStart: UInt64 = UInt64(Layout.logStart), indexOffset: UInt64 = 0,
        highestSlotID: UInt32 = 0, nonce: [UInt8] = [UInt8](repeating: 0, count: 24),
        sealedDataKey: [UInt8] = [UInt8](repeating: 0, count: 48), slots: [SlotRecord]
    ) {
        self.fileID = fileID
        self.logID = logID
        self.baseSequence = baseSequence
        self.headerSequence = headerSequence
        self.dataKeyNumber = dataKeyNumber
        self.logStart = logStart
        self.indexOffset = indexOffset
        // One that stands there was given, whatever the number says.
        self.highestSlotID = slots.reduce(highestSlotID) { max($0, $1.id) }
        self.nonce = nonce
        self.sealedDataKey = sealedDataKey
        self.slots = slots
    }

    package var length: Int {
        Layout.headerFixedLength + slots.reduce(0) { $0 + $1.length } + Layout.headerHashesLength
    }

    /// Everything before the two hashes.
    package var encoded: [UInt8] {
        var result = Layout.magic
        result.append(Layout.version)
        result.append(UInt16(0))
        result.append(UInt32(length))
        result.append(fileID)
        result.append(logID)
        result.append(baseSequence)
        result.append(headerSequence)
        result.append(dataKeyNumber)
        result.append(logStart)
        result.append(indexOffset)
        result += nonce
        result += sealedDataKey
        result.append(UInt16(slots.count))
        result.append(UInt16(0))
        result.append(highestSlotID)
        for slot in slots { result += slot.encoded }
        return result
    }

    /// What the wrapped data key is bound to: header bytes 0…31 and the data-key number.
    package var dataKeyContext: [UInt8] {
        var result = Array(encoded.prefix(32))
        result.append(dataKeyNumber)
        return result
    }
}

/// One copy of a header as it was found in a file.
package struct HeaderCopy: Sendable, Equatable {
    package var header: VaultHeader
    /// The bytes that both hashes cover.
    package var covered: [UInt8]
    /// The keyed hash; it also covers nothing that the plain one does not.
    package var mac: [UInt8]

    /// What a header copy can be.
    package enum Finding: Sendable, Equatable {
        case sound(HeaderCopy)
        /// The magic is not there.
        case foreign
        case newer(Int)
        case damaged
    }

    /// Reads one copy.
    ///
    /// `plainHash` gives the BLAKE2b-256 of its argument; it tells damage before any key is tried.
    package static func read(_ bytes: Span<UInt8>, plainHash: (Span<UInt8>) -> [UInt8]) -> Finding {
        let start = bytes.array(0..<min(bytes.count, Layout.magic.count))
        guard !start.isEmpty, Layout.magic.starts(with: start) else { return .foreign }
        guard bytes.count >= Layout.headerRoom else { return .damaged }
        let length = Int(bytes.load(UInt32.self, at: 12))
        let smallest = Layout.headerFixedLength + Layout.headerHashesLength
        guard (smallest...Layout.headerRoom).contains(length) else { return .damaged }
        let hashOffset = length - 32
        guard plainHash(bytes.extracting(0..<hashOffset)) == bytes.array(hashOffset..<length) else { return .damaged }
        let version = bytes.load(UInt16.self, at: 8)
        guard version == Layout.version else { return version == 0 ? .damaged : .newer(Int(version)) }
        guard let header = VaultHeader(bytes, length: length) else { return .damaged }
        let macOffset = length - Layout.headerHashesLength
        return .sound(
            HeaderCopy(
                header: header, covered: bytes.array(0..<macOffset), mac: bytes.array(macOffset..<hashOffset)))
    }
}

extension VaultHeader {
    fileprivate init?(_ bytes: Span<UInt8>, length: Int) {
        let limit = length - Layout.headerHashesLength
        let count = Int(bytes.load(UInt16.self, at: 152))
        guard (1...Layout.maximumSlots).contains(count) else { return nil }
        var slots: [SlotRecord] = []
        var offset = Layout.headerFixedLength
        for _ in 0..<count {
            guard let slot = SlotRecord(bytes, at: offset, limit: limit) else { return nil }
            slots.append(slot)
            offset += slot.length
        }
        guard offset == limit else { return nil }
        self.init(
            fileID: Bytes16(bytes, at: 16),
            logID: Bytes16(bytes, at: Self.logIDPlace),
            baseSequence: bytes.load(UInt64.self, at: 48),
            headerSequence: bytes.load(UInt32.self, at: 56),
            dataKeyNumber: bytes.load(UInt32.self, at: 60),
            logStart: bytes.load(UInt64.self, at: 64),
            indexOffset: bytes.load(UInt64.self, at: 72),
            highestSlotID: bytes.load(UInt32.self, at: 156),
            nonce: bytes.array(80..<104),
            sealedDataKey: bytes.array(104..<152),
            slots: slots)
        guard logStart == UInt64(Layout.logStart) else { return nil }
    }
}
