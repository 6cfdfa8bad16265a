import CredentialStorage
import CredentialStorageFile
import Foundation
import Testing

@Suite("A vault whose bytes were changed or cut", .timeLimit(.minutes(30)))
struct ChangedBytesTests {
    /// Opens a changed copy and judges it; the companion is there in half of the cases.
    private static func judge(
        _ sample: (vault: TestVault, truth: Truth),
        _ bytes: [UInt8],
        companion: [UInt8]?,
        _ place: String,
        mayBeOlder: Bool = false,
        mustName: Bool = false,
        number: Int = 0
    ) throws {
        let copy = try sample.vault.copy(number, vault: bytes, companion: companion)
        let found = sample.truth.violations(
            of: copy.quickStore, mayBeOlder: mayBeOlder, mustName: mustName,
            asking: runsLongTests ? nil : ["account 3", "account 17"])
        #expect(found.isEmpty, "\(place), companion \(companion == nil ? "gone" : "kept"): \(found)")
    }

    /// The changes of one run: every bit of four frames, one bit of every other byte, or all bits.
    ///
    /// Nonces are sampled unless the long tests run: a name under a changed nonce is searched for, which takes time.
    private static func flips(_ bytes: [UInt8]) throws -> [(place: Int, mask: UInt8)] {
        let frames = RawFrame.all(in: bytes)
        #expect(frames.count == 28)
        let end = try #require(frames.last).range.upperBound
        // A value that stays, a removal, a frame in a batch, and the last one.
        let everyBit = [frames[1], frames[23], frames[25], frames[27]].map(\.range)
        var flips: [(place: Int, mask: UInt8)] = []
        for place in Array(0..<362) + Array(8192..<8192 + 362) + Array(16384..<end) {
            let isNonce = frames.contains { (56..<80).contains(place - $0.offset) }
            if isNonce, !runsLongTests {
                if place % 12 == 0 { flips.append((place, UInt8(1 << (place % 8)))) }
            } else if runsLongTests || everyBit.contains(where: { $0.contains(place) }) {
                flips += (0..<8).map { (place, 1 << $0) }
            } else {
                flips.append((place, UInt8(1 << (place % 8))))
            }
        }
        return flips
    }

    private static let parts = 8

    @Test("gives each right value or an error at every changed bit, and names what it omits", arguments: 0..<parts)
    func flips(part: Int) throws {
        let sample = try makeSample()
        let (bytes, companion) = (try sample.vault.bytes(), try sample.vault.companionBytes())
        let flips = try Self.flips(bytes)
        for index in stride(from: part, to: flips.count, by: runsLongTests ? Self.parts : 3 * Self.parts) {
            let flip = flips[index]
            var changed = bytes
            changed[flip.place] ^= flip.mask
            for kept in runsLongTests ? [nil, companion] : [index / (3 * Self.parts) % 2 == 0 ? nil : companion] {
                try Self.judge(
                    sample, changed, companion: kept, "bit \(flip.mask) of byte \(flip.place)",
                    mustName: flip.place >= 16384)
            }
        }
    }

    @Test("names what it omits at bytes that were changed altogether")
    func bytes() throws {
        let sample = try makeSample()
        let (bytes, companion) = (try sample.vault.bytes(), try sample.vault.companionBytes())
        let end = try #require(RawFrame.all(in: bytes).last).range.upperBound
        for place in stride(from: 16384, to: end, by: runsLongTests ? 1 : 53) {
            var changed = bytes
            changed[place] = changed[place] == 0 ? 0xFF : 0
            try Self.judge(
                sample, changed, companion: place % 2 == 0 ? companion : nil, "byte \(place)", mustName: true)
        }
    }

    @Test("gives each right value or an error at every length, and reports what was cut off")
    func cuts() throws {
        let sample = try makeSample()
        let (bytes, companion) = (try sample.vault.bytes(), try sample.vault.companionBytes())
        let end = try #require(RawFrame.all(in: bytes).last).range.upperBound
        var lengths = Array(stride(from: 0, to: 16384, by: runsLongTests ? 1 : 251))
        lengths += [1, 8191, 8192, 8193, 16383]
        lengths += Array(stride(from: 16384, through: end + 32, by: runsLongTests ? 1 : 5))
        lengths += RawFrame.all(in: bytes).flatMap { [$0.offset, $0.offset + 112] } + [end, end + 15, end + 16]
        for length in lengths {
            for kept in [nil, companion] {
                try Self.judge(
                    sample, Array(bytes.prefix(length)), companion: kept, "cut at \(length)", mayBeOlder: true)
            }
        }
    }

    @Test("keeps what is written after a cut, and goes on reporting the loss", arguments: [0, 1, 7, 16, 100, 129])
    func writesAfterCut(back: Int) throws {
        let sample = try makeSample()
        let bytes = try sample.vault.bytes()
        let end = try #require(RawFrame.all(in: bytes).last).range.upperBound
        let copy = try sample.vault.copy(0, vault: Array(bytes.prefix(end - back)))
        let store = copy.store
        for round in 0..<3 { try store.set("new \(round)", forKey: "new \(round)") }
        for reader in [store, copy.store] {
            for round in 0..<3 { #expect(try reader.string(forKey: "new \(round)") == "new \(round)") }
            #expect(try reader.readAll().lost > 0)
            #expect(failure { try reader.get("never") } == .readError(cause: .undecryptable(.damaged)))
            #expect(failure { try reader.keys() } != nil)
        }
    }

    @Test("keeps what is written after damage to the last entry, and goes on naming it")
    func writesAfterDamage() throws {
        let sample = try makeSample()
        let bytes = try sample.vault.bytes()
        let last = try #require(RawFrame.all(in: bytes).last)
        for place in stride(from: last.offset, to: last.range.upperBound, by: runsLongTests ? 3 : 13) {
            var changed = bytes
            changed[place] ^= 0x81
            let copy = try sample.vault.copy(0, vault: changed)
            let store = copy.quickStore
            try store.set("new", forKey: "new")
            for reader in [store, copy.quickStore] {
                #expect(try reader.string(forKey: "new") == "new")
                let bulk = try reader.readAll()
                let isGiven = bulk[key: "account 19"] == sample.truth.entries["account 19"]
                #expect(isGiven || bulk.omitted.map(\.key) == ["account 19"], "byte \(place)")
                #expect(bulk.lost == 0)
            }
        }
    }

    @Test("names a damaged entry whose name is long", arguments: [128, 256, 257, 1024])
    func longNames(length: Int) throws {
        let vault = try TestVault()
        let name = String(repeating: "n", count: length)
        try vault.store.set("value", forKey: name)
        try vault.store.set("other", forKey: "other")
        let bytes = try vault.bytes()
        let frame = RawFrame.all(in: bytes)[0]
        // Everywhere but in the name itself; a longer one that was hit is omitted without its name.
        let inName = frame.offset + 112 + 6..<frame.offset + 112 + 6 + length
        for place in stride(from: frame.offset, to: frame.range.upperBound, by: runsLongTests ? 11 : 101) {
            var changed = bytes
            changed[place] ^= 4
            let bulk = try vault.copy(0, vault: changed).quickStore.readAll()
            #expect(bulk[key: "other"] == Data("other".utf8))
            let isNamed = bulk[key: name] != nil || bulk.omitted.map(\.key) == [name]
            let isCounted = bulk.omitted.map(\.key) == [nil] || bulk.lost == 1
            #expect(isNamed || (length > 256 && inName.contains(place) && isCounted), "byte \(place)")
        }
    }

    @Test("a file of zeros and huge holes costs neither time nor memory")
    func sparse() throws {
        let vault = try TestVault()
        try vault.store.set("value", forKey: "name")
        for size in [off_t(1) << 33, off_t(1) << 39] {
            let copy = try vault.copy(0, vault: try vault.bytes())
            #expect(truncate(copy.path, size) == 0)
            #expect(try copy.store.string(forKey: "name") == "value")
            try copy.store.set("second", forKey: "second")
            #expect(try copy.store.keys() == ["name", "second"])
            // One byte at the far end is damage, and never a torn write of half a terabyte.
            let descriptor = open(copy.path, O_WRONLY)
            #expect(pwrite(descriptor, [1], 1, size - 1024) == 1)
            close(descriptor)
            // With a record that vouches for the log's end nobody looks behind it.
            unlink(copy.companionPath)
            let bulk = try copy.store.readAll()
            #expect(bulk.entries.count == 2 && bulk.lost > 0)
        }
    }
}
