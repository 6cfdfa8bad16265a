import CredentialStorage
import CredentialStorageSealing
import Testing

@testable import CredentialStorageFile

@Suite("The layout of format 1")
struct LayoutTests {
    private static func slot(_ id: UInt32, parameters: [UInt8]) -> SlotRecord {
        SlotRecord(
            kind: 2, flags: 1, id: id, passes: 3, kibibytes: 65536, salt: Array(1...16), check: Array(20..<52),
            nonce: Array(60..<84), sealedMasterKey: Array(100..<148), parameters: parameters)
    }

    private static func header(slots: Int = 2) -> VaultHeader {
        VaultHeader(
            fileID: Bytes16(first: 1, second: 2), logID: Bytes16(first: 3, second: 4), baseSequence: 5,
            headerSequence: 6, dataKeyNumber: 7, indexOffset: 8, nonce: Array(0..<24), sealedDataKey: Array(0..<48),
            slots: (0..<slots).map { slot(UInt32($0), parameters: Array(repeating: 9, count: $0 * 3)) })
    }

    private static func copy(_ header: VaultHeader) -> [UInt8] {
        var bytes = header.encoded + [UInt8](repeating: 0xCC, count: 32)
        bytes += hash(bytes.span)
        return bytes + [UInt8](repeating: 0, count: Layout.headerRoom - bytes.count)
    }

    private static func hash(_ bytes: Span<UInt8>) -> [UInt8] {
        let noKey: [UInt8] = []
        var hash = Blake2b(length: 32, key: noKey.span)
        hash.update(bytes)
        return hash.finish()
    }

    @Test("a header is read as it was written, with one to eight slots", arguments: 1...8)
    func header(slots: Int) throws {
        let header = Self.header(slots: slots)
        #expect(header.encoded.count + 64 == header.length)
        let bytes = Self.copy(header)
        guard case .sound(let copy) = HeaderCopy.read(bytes.span, plainHash: Self.hash) else {
            Issue.record("the header is not sound")
            return
        }
        #expect(copy.header == header)
        #expect(copy.covered == header.encoded)
        #expect(copy.mac == [UInt8](repeating: 0xCC, count: 32))
    }

    @Test("a header stands where the format says", arguments: [2])
    func places(slots: Int) throws {
        let bytes = Self.header(slots: slots).encoded
        #expect(Array(bytes[0..<8]) == [0x89, 0x53, 0x43, 0x56, 0x0D, 0x0A, 0x1A, 0x0A])
        #expect(bytes.span.load(UInt16.self, at: 8) == 1)
        #expect(Int(bytes.span.load(UInt32.self, at: 12)) == bytes.count + 64)
        #expect(Bytes16(bytes.span, at: 16) == Bytes16(first: 1, second: 2))
        #expect(Bytes16(bytes.span, at: 32) == Bytes16(first: 3, second: 4))
        #expect(bytes.span.load(UInt64.self, at: 48) == 5 && bytes.span.load(UInt32.self, at: 56) == 6)
        #expect(bytes.span.load(UInt32.self, at: 60) == 7 && bytes.span.load(UInt64.self, at: 64) == 16384)
        #expect(bytes.span.load(UInt64.self, at: 72) == 8 && Array(bytes[80..<104]) == Array(0..<24))
        #expect(bytes.span.load(UInt16.self, at: 152) == 2)
        #expect(bytes.span.load(UInt16.self, at: 160) == 138 && bytes[162] == 2 && bytes[163] == 1)
        #expect(bytes.span.load(UInt32.self, at: 168) == 3 && bytes.span.load(UInt32.self, at: 172) == 65536)
        #expect(Array(bytes[176..<192]) == Array(1...16) && Array(bytes[192..<224]) == Array(20..<52))
    }

    @Test("no changed byte of a header goes unnoticed by its plain hash, and no cut of it is read")
    func damage() throws {
        let header = Self.header()
        let bytes = Self.copy(header)
        for place in 0..<header.length {
            var damaged = bytes
            damaged[place] ^= 0x10
            let finding = HeaderCopy.read(damaged.span, plainHash: Self.hash)
            #expect(finding == (place < 8 ? .foreign : .damaged), "byte \(place)")
        }
        for length in [0, 1, 8, 159, 160, header.length, Layout.headerRoom - 1] {
            let cut = Array(bytes.prefix(length))
            let finding = HeaderCopy.read(cut.span, plainHash: Self.hash)
            #expect(finding == (length == 0 ? .foreign : .damaged), "length \(length)")
        }
    }

    @Test("impossible lengths and counts are damage, whatever the hash says")
    func impossible() throws {
        let changes: [(String, @Sendable (inout [UInt8]) -> Void)] = [
            ("no slot", { $0[152] = 0 }), ("nine slots", { $0[152] = 9 }), ("many slots", { $0[153] = 0xFF }),
            ("one slot less", { $0[152] = 1 }), ("one slot more", { $0[152] = 3 }),
            ("a longer slot", { $0[160] &+= 1 }), ("a shorter slot", { $0[160] &-= 1 }),
            ("long parameters", { $0[160 + 137] = 0xFF }), ("another start of the log", { $0[64] ^= 1 }),
            ("version 0", { $0[8] = 0 }),
        ]
        for (name, change) in changes {
            var covered = Self.header().encoded + [UInt8](repeating: 0, count: 32)
            change(&covered)
            covered += Self.hash(covered.span)
            let bytes = covered + [UInt8](repeating: 0, count: Layout.headerRoom - covered.count)
            let finding = HeaderCopy.read(bytes.span, plainHash: Self.hash)
            #expect(finding == .damaged, "\(name)")
        }
        for length: UInt32 in [0, 1, 223, 8193, .max] {
            var bytes = Self.copy(Self.header())
            for index in 0..<4 { bytes[12 + index] = UInt8(truncatingIfNeeded: length >> (8 * index)) }
            let finding = HeaderCopy.read(bytes.span, plainHash: Self.hash)
            #expect(finding == .damaged, "length \(length)")
        }
    }

    @Test("a newer version is told by number, where its length and hash hold")
    func newer() throws {
        var covered = Self.header().encoded + [UInt8](repeating: 0, count: 32)
        covered[8] = 0x02
        covered[9] = 0x01
        covered += Self.hash(covered.span)
        let bytes = covered + [UInt8](repeating: 0, count: Layout.headerRoom - covered.count)
        let finding = HeaderCopy.read(bytes.span, plainHash: Self.hash)
        #expect(finding == .newer(258))
    }

    @Test("slot parameters are found by their tag, and never beyond their end")
    func parameters() throws {
        let list = SlotParameter.encode(2, [1, 2, 3]) + SlotParameter.encode(1, []) + SlotParameter.encode(9, [7])
        #expect(SlotParameter.find(2, in: list) == [1, 2, 3])
        #expect(SlotParameter.find(1, in: list) == [])
        #expect(SlotParameter.find(9, in: list) == [7])
        #expect(SlotParameter.find(3, in: list) == nil)
        #expect(SlotParameter.find(9, in: Array(list.dropLast())) == nil)
        #expect(SlotParameter.find(5, in: [5]) == nil)
        #expect(SlotParameter.find(5, in: [5, 255, 1]) == nil)
    }

    @Test("a head is read as it was written, and stands where the format says")
    func head() throws {
        let head = FrameHead(
            kind: .value, bodyLength: 96, position: 2, commitCount: 5, headerSequence: 6, sequence: 7, previous: 8,
            nameHash: Bytes16(first: 9, second: 10))
        let bytes = head.encoded + [UInt8](repeating: 0xFF, count: 56)
        #expect(head.encoded.count == 56)
        #expect(FrameHead(bytes.span, at: 0) == head)
        #expect(Array(bytes[0..<8]) == Array("SCF1".utf8) + [1, 0xFF, 0xFF, 0xFF])
        #expect(bytes.span.load(UInt32.self, at: 8) == 96 && bytes.span.load(UInt32.self, at: 12) == 2)
        #expect(bytes.span.load(UInt32.self, at: 16) == 5 && bytes.span.load(UInt32.self, at: 20) == 6)
        #expect(bytes.span.load(UInt64.self, at: 24) == 7 && bytes.span.load(UInt64.self, at: 32) == 8)
        for length in 0..<112 { #expect(FrameHead(Array(bytes.prefix(length)).span, at: 0) == nil) }
    }

    @Test("a head with impossible numbers is none")
    func impossibleHead() throws {
        let head = FrameHead(
            kind: .value, bodyLength: 96, position: 0, commitCount: 1, headerSequence: 1, sequence: 1, previous: 1,
            nameHash: .zero)
        let changes: [(String, @Sendable (inout [UInt8]) -> Void)] = [
            ("magic", { $0[3] = 0x32 }), ("kind 0", { $0[4] = 0 }), ("kind 4", { $0[4] = 4 }),
            ("a removal with a body", { $0[4] = 2 }), ("a value without a body", { $0[8] = 0 }),
            ("a length that is no multiple of 16", { $0[8] = 97 }), ("a huge length", { $0[11] = 0xF0 }),
            ("a place behind the commit", { $0[12] = 1 }), ("an empty commit", { $0[16] = 0 }),
            ("a huge commit", { $0[19] = 1 }),
        ]
        for (name, change) in changes {
            var bytes = head.encoded + [UInt8](repeating: 0xFF, count: 56)
            change(&bytes)
            #expect(FrameHead(bytes.span, at: 0) == nil, "\(name)")
        }
    }

    @Test("a record is read as it was written")
    func record() throws {
        let record = CompanionRecord(
            word: 1, tail: 2, sequence: 3, indexOffset: 4, logID: Bytes16(first: 5, second: 6),
            fileID: Bytes16(first: 7, second: 8), headerSequence: 9, isDirectorySynced: true, lastFrameOffset: 10,
            lastMAC: 11, bootTag: Bytes16(first: 12, second: 13))
        #expect(record.encoded.count == 112)
        let bytes = record.encoded + [UInt8](repeating: 0, count: 16)
        #expect(CompanionRecord(bytes.span) == record)
        #expect(CompanionRecord(Array(bytes.dropLast()).span) == nil)
        var huge = record
        huge.tail = 1 << 40 + 1
        #expect(CompanionRecord((huge.encoded + [UInt8](repeating: 0, count: 16)).span) == nil)
    }

    @Test("padding is a multiple of 32 that grows with the length, and above 512 bytes at most 12 % long")
    func padding() {
        var last = 0
        var lengths: Set<Int> = []
        for count in Array(0...70_000) + stride(from: 70_000, through: 17 << 20, by: 9973) {
            let padded = Padding.length(for: count)
            #expect(padded >= count && padded % 32 == 0 && padded >= last && padded >= 32)
            if count <= 512 {
                #expect(padded - count < 32 || count == 0)
            } else {
                #expect(Double(padded - count) <= 0.12 * Double(count))
            }
            #expect(Padding.length(for: padded) == padded, "a padded length stays as it is")
            last = padded
            lengths.insert(padded)
        }
        #expect(lengths.count < 500, "few lengths tell little")
        #expect(Padding.length(for: Layout.maximumValue + 1030) <= Layout.maximumBody)
    }

    @Test("numbers are little-endian")
    func numbers() {
        var bytes: [UInt8] = []
        bytes.append(UInt16(0x0102))
        bytes.append(UInt32(0x0304_0506))
        bytes.append(UInt64(0x0708_090A_0B0C_0D0E))
        #expect(bytes == [2, 1, 6, 5, 4, 3, 0xE, 0xD, 0xC, 0xB, 0xA, 9, 8, 7])
        #expect(bytes.span.load(UInt16.self, at: 0) == 0x0102)
        #expect(bytes.span.load(UInt32.self, at: 2) == 0x0304_0506)
        #expect(bytes.span.load(UInt64.self, at: 6) == 0x0708_090A_0B0C_0D0E)
    }
}
