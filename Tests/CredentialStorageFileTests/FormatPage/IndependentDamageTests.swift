import CredentialStorage
import CredentialStorageFile
import CredentialStorageSealing
import Foundation
import Testing

@Suite(
    "Damage gets the same verdict from an implementation made from FORMAT.md alone", .timeLimit(.minutes(5)),
    .enabled(if: IndependentReader.isThere, Comment(rawValue: IndependentReader.reasonForSkip)))
struct IndependentDamageTests {
    private let place: PageVault
    private let vault: [UInt8]
    private let companion: [UInt8]
    /// Where each frame begins, and the tail.
    private let frames: [Int]

    private var tail: Int { frames[frames.count - 1] }

    init() throws {
        place = try PageVault()
        let storage = place.builder.build()
        try storage.create()
        try storage.set("one", forKey: "alpha")
        try storage.set("two", forKey: "beta")
        try storage.set("three, and longer than the first one", forKey: "alpha")
        #expect(try storage.delete("beta"))
        try storage.update { batch in
            try batch.set("four", forKey: "gamma")
            try batch.set("five", forKey: "delta")
            try batch.set("six", forKey: "epsilon")
        }
        vault = try place.bytes
        companion = try place.companion
        let report = try #require(try storage.verify())
        frames = report.frames.map(\.offset) + [report.frames.reduce(16384) { $0 + $1.length }]
    }

    /// One changed vault.
    private struct Case {
        let what: String
        let bytes: [UInt8]
    }

    private func changed(_ what: String, _ change: (inout [UInt8]) -> Void) -> Case {
        var bytes = vault
        change(&bytes)
        return Case(what: what, bytes: bytes)
    }

    /// Reads each with both, and each once more with the other implementation after the library mended it.
    @discardableResult
    private func compare(_ cases: [Case], companion: [UInt8]?, alsoAfterwards: Bool = true) throws -> [Verdict] {
        var all: [Verdict] = []
        // One process reads many vaults, for most of its time goes into its start.
        for start in stride(from: 0, to: cases.count, by: 512) {
            let group = cases[start..<min(start + 512, cases.count)]
            let directory = "\(place.directory)/group"
            try FileManager.default.createDirectory(
                atPath: directory, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
            defer { try? FileManager.default.removeItem(atPath: directory) }
            let paths = group.map { _ in "\(directory)/\(UUID().uuidString)" }
            for (path, item) in zip(paths, group) {
                try PageVault.write(item.bytes, to: path)
                if let companion { try PageVault.write(companion, to: "\(path).lock") }
            }
            let before = try IndependentReader.read(paths, ["--key-file", place.keyFile])
            let verdicts = try paths.map { try Verdict(reading: place.builder.path($0).build()) }
            let after = try IndependentReader.read(paths, ["--key-file", place.keyFile])
            all += verdicts
            for (index, item) in group.enumerated() {
                #expect(before[index].verdict == verdicts[index], "\(item.what)")
                guard alsoAfterwards else { continue }
                #expect(after[index].verdict == verdicts[index], "\(item.what), after the library opened it")
                #expect(after[index].torn == nil, "\(item.what)")
                #expect(after[index].tail == before[index].tail, "\(item.what)")
                // A witness to a newer state is left alone by readers; else the end of the log is published.
                let (tail, witness) = (after[index].tail, before[index].published)
                #expect([tail, witness].contains(after[index].published), "\(item.what)")
                #expect(after[index].published ?? 0 >= tail ?? 0, "\(item.what)")
            }
        }
        return all
    }

    @Test("one flipped bit anywhere in the log", arguments: [false, true])
    func flips(withCompanion: Bool) throws {
        let step = withCompanion ? 29 : 7
        // No multiple of 16, so that all fields are hit in one frame or another.
        let cases = stride(from: 16384, to: tail, by: runsLongTests ? step : 5 * step).map { offset in
            changed("flip at \(offset)") { $0[offset] ^= 1 << (offset % 8) }
        }
        try compare(cases, companion: withCompanion ? companion : nil)
    }

    @Test("stray bytes in the last blocks of the room")
    func strayBytes() throws {
        var cases: [Case] = []
        for size in [vault.count, tail + 512, tail + 32, tail + 16] {
            for back in [1, 2, 15, 16, 17, 32, 33, 100, 129] where size - back >= tail {
                cases.append(
                    changed("one byte \(back) before the end of \(size)") { bytes in
                        bytes.removeSubrange(size...)
                        bytes[size - back] = 1
                    })
                cases.append(
                    changed("two bytes, one \(back) before the end of \(size)") { bytes in
                        bytes.removeSubrange(size...)
                        bytes[size - back] = 1
                        bytes[size - 1] = 1
                    })
            }
        }
        let losses = Set(try compare(cases, companion: nil).map(\.lost))
        #expect(losses.contains(0) && losses.count > 1)
    }

    @Test("an acknowledged commit is never torn by one flipped bit, not even without a companion")
    func flipIsNotTorn() throws {
        for offset in stride(from: 16384, to: tail, by: runsLongTests ? 1 : 16) {
            let path = "\(place.directory)/\(offset)"
            try PageVault.write(changed("") { $0[offset] ^= 0x10 }.bytes, to: path)
            let all = try place.builder.path(path).build().readAll()
            // The two halves of a damaged frame still name its entry, so nothing is lost and at most one is omitted.
            #expect(all.entries.count + all.omitted.count >= 4 && all.lost == 0, "flip at \(offset)")
            #expect(all.entries.count >= 3, "flip at \(offset)")
        }
    }

    @Test("blocks of zeros, as a power cut leaves them", arguments: [false, true])
    func zeros(withCompanion: Bool) throws {
        var ranges = frames.dropLast().map { $0..<$0 + 112 }
        for start in stride(from: 16384, to: tail, by: runsLongTests ? 16 : 80) {
            ranges += [start..<tail, start..<start + 16]
        }
        for start in stride(from: 16384, to: tail, by: 512) { ranges.append(start..<min(start + 512, tail)) }
        let cases = ranges.map { range in
            changed("zeros in \(range)") { bytes in for i in range { bytes[i] = 0 } }
        }
        try compare(cases, companion: withCompanion ? companion : nil)
    }

    @Test(
        "a power cut that keeps any subset of a commit's sectors leaves all of it or nothing", arguments: [false, true])
    func powerCuts(withCompanion: Bool) throws {
        let storage = place.builder.build()
        let before = try Verdict(reading: storage)
        try storage.update { batch in
            for name in ["alpha", "zeta", "eta"] { try batch.set(Data(repeating: 1, count: 450), forKey: name) }
        }
        let after = try Verdict(reading: storage)
        let written = try place.bytes
        let end = try #require(written.lastIndex { $0 != 0 }) + 1
        let sectors = Array(tail / 512...(end - 1) / 512)
        let cases = (0..<1 << sectors.count).map { kept in
            var bytes = written
            for (index, sector) in sectors.enumerated() where kept >> index & 1 == 0 {
                let range = sector * 512..<sector * 512 + 512
                bytes.replaceSubrange(range, with: vault[range])
            }
            return Case(what: "sectors \(kept)", bytes: bytes)
        }
        let verdicts = try compare(cases, companion: withCompanion ? companionOfEarlierBoot() : nil)
        #expect(verdicts.last == after)
        #expect(verdicts.dropLast().allSatisfy { $0 == before })
    }

    /// The record as a power cut leaves it: the machine has another boot id afterwards.
    private func companionOfEarlierBoot() throws -> [UInt8] {
        var record = Array(companion[..<112])
        record.replaceSubrange(88..<104, with: [UInt8](repeating: 0xB0, count: 16))
        let keys = try PageKeys(of: vault, key: PageVault.read(place.keyFile))
        #expect(PageKeys.siphash(keys["record key"], Array(companion[..<112])) == Array(companion[112..<128]))
        return record + PageKeys.siphash(keys["record key"], record) + companion[128...]
    }

    @Test("a file that was cut", arguments: [false, true])
    func cuts(withCompanion: Bool) throws {
        let step = runsLongTests ? 7 : 97
        let lengths =
            [0, 3, 8, 200, 8191, 8192, 8200, 12000, 16383] + Array(stride(from: 16384, to: tail + 48, by: step))
        let ends = frames.flatMap { [$0, $0 + 15, $0 + 16] }
        var cases = (lengths + ends).map { Case(what: "cut to \($0)", bytes: Array(vault[..<$0])) }
        // The last frame also ends in zeros, so that the data seem to end inside it.
        for length in [tail, tail + 1, tail + 15, tail + 16, vault.count] {
            cases.append(
                changed("zeros at the end, cut to \(length)") { bytes in
                    for index in tail - 40..<tail { bytes[index] = 0 }
                    bytes.removeSubrange(length...)
                })
        }
        try compare(cases, companion: withCompanion ? companion : nil)
    }

    @Test("frames that were moved, swapped, repeated and removed")
    func splices() throws {
        var cases: [Case] = []
        let pieces = zip(frames, frames.dropFirst()).map { Array(vault[$0..<$1]) }
        func log(_ what: String, _ pieces: [[UInt8]]) {
            let log = pieces.flatMap { $0 }
            cases.append(
                Case(
                    what: what,
                    bytes: Array(vault[..<16384]) + log + [UInt8](repeating: 0, count: 65536 - 16384 - log.count)))
        }
        for first in pieces.indices {
            var removed = pieces
            removed.remove(at: first)
            log("without \(first)", removed)
            for second in pieces.indices where [1, 4].contains((second - first + 7) % 7) {
                var swapped = pieces
                swapped.swapAt(first, second)
                log("swapped \(first) and \(second)", swapped)
                var repeated = pieces
                repeated[second] = pieces[first]
                log("\(first) in the place of \(second)", repeated)
                var inserted = pieces
                inserted.insert(pieces[first], at: second)
                log("\(first) again before \(second)", inserted)
            }
            let (start, end) = (frames[first], frames[first + 1])
            cases.append(
                changed("noise over \(first)") { bytes in for i in start..<end { bytes[i] = UInt8(i % 251) | 1 } })
            cases.append(
                changed("noise over the head of \(first)") { bytes in for i in start..<start + 112 { bytes[i] = 0x5A } }
            )
        }
        try compare(cases, companion: nil)
    }

    @Test("several faults at once", arguments: [false, true])
    func severalFaults(withCompanion: Bool) throws {
        var random = SplitMix(state: withCompanion ? 1 : 2)
        let cases = (0..<(runsLongTests ? 256 : 16)).map { number in
            changed("several faults, number \(number)") { bytes in
                for _ in 0..<Int.random(in: 1...4, using: &random) { addFault(to: &bytes, &random) }
                if Int.random(in: 0..<8, using: &random) == 0 {
                    bytes.removeSubrange(Int.random(in: 16384..<tail + 40, using: &random)...)
                }
            }
        }
        // Where faults meet, zeroing a torn rest may change what can be told of the damage before it.
        try compare(cases, companion: withCompanion ? companionOfEarlierBoot() : nil, alsoAfterwards: false)
    }

    private func addFault(to bytes: inout [UInt8], _ random: inout SplitMix) {
        let frame = frames.randomElement(using: &random)!
        let other = frames.randomElement(using: &random)!
        let offset = Int.random(in: 16384..<tail, using: &random)
        switch Int.random(in: 0..<7, using: &random) {
        case 0: bytes[offset] ^= UInt8.random(in: 1...255, using: &random)
        case 1: for index in 0..<16 { bytes[offset / 16 * 16 + index] = 0 }
        case 2: for index in offset..<offset + 200 { bytes[index] = UInt8.random(in: 0...255, using: &random) }
        case 3: bytes.replaceSubrange(other..<other + 160, with: vault[frame..<frame + 160])
        case 4: for index in offset..<offset + 512 { bytes[index] = 0 }
        case 5: for index in frame..<frame + 112 { bytes[index] = UInt8.random(in: 0...255, using: &random) }
        default: bytes[tail + Int.random(in: 0...600, using: &random)] = 1
        }
    }

    @Test("headers: one copy or both, with and without a hash that was made to fit")
    func headers() throws {
        let length = Int(vault[12]) + Int(vault[13]) << 8
        var cases: [Case] = []
        for offset in stride(from: 0, to: length, by: 19) {
            cases.append(changed("copy 0 at \(offset)") { $0[offset] ^= 1 << (offset % 8) })
            cases.append(
                changed("both at \(offset)") { bytes in for start in [0, 8192] { bytes[start + offset] ^= 4 } })
        }
        for offset in 8..<length - 32 where offset < 16 || offset % 11 == 0 || (152..<168).contains(offset) {
            for starts in [[0], [0, 8192]] {
                cases.append(
                    changed("\(starts.count) made to fit at \(offset)") { bytes in
                        for start in starts {
                            bytes[start + offset] ^= 1
                            let hash = PageKeys.hash(32, [], Array(bytes[start..<start + length - 32]))
                            bytes.replaceSubrange(start + length - 32..<start + length, with: hash)
                        }
                    })
            }
        }
        try compare(cases, companion: nil)
    }
}

/// A small generator whose numbers are the same in every run.
private struct SplitMix: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
