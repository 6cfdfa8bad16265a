import CredentialStorage
import Testing

@testable import CredentialStorageFile

@Suite("Scanner: sequence numbers and lengths that no writer of ours makes")
struct ScannerNumberTests {
    /// A frame as only a holder of the frame key can make it.
    private static func frame(_ name: String, at offset: Int, sequence: UInt64, body: Int = 64) -> [UInt8] {
        let head = FrameHead(
            kind: .value, bodyLength: body, position: 0, commitCount: 1, headerSequence: 1, sequence: sequence,
            previous: 0, nameHash: TestLog.hash(name))
        var frame = head.encoded + [UInt8](repeating: 0xFF, count: 40)
        frame.append(TestLog.mac(frame.span, offset))
        frame += [UInt8](repeating: 9, count: body)
        frame.append(head.nameHash)
        return frame
    }

    @Test("gaps that are too large for any file are counted without an overflow, however many there are")
    func hugeGaps() throws {
        var log = TestLog()
        log.commit([.value("a")])
        var file = log.file()
        var table = EntryTable()
        for (index, sequence) in [UInt64.max / 2, .max - 1, .max, 5].enumerated() {
            let place = log.end + index * 192
            file.replaceSubrange(place..<place + 192, with: Self.frame("\(index)", at: place, sequence: sequence))
        }
        let result = try TestLog.scan(file)
        for item in result.items { table.apply(item) }
        #expect(result.frames.count == 5)
        #expect(table.lost > 1 << 33)
    }

    @Test("what is appended behind a frame that was cut does not count as older than that frame")
    func appendedAfterCut() throws {
        var log = TestLog()
        log.commit([.value("a")])
        for name in ["b", "c", "d"] { log.commit([.value(name)]) }
        log.commit([.value("cut", 256)])
        let cut = log.frames[4]
        var file = Array(log.file().prefix(cut.offset + 200))
        // No head tells how many frames stood before the one that was cut.
        for place in log.frames[1].offset..<cut.offset { file[place] = 0x5A }
        let first = try TestLog.scan(file)
        #expect(first.torn == nil && first.frames == Array(log.frames.prefix(1)) && first.lost > 0)
        #expect(first.end.offset >= cut.end && first.end.nextSequence > cut.head.sequence)
        file += [UInt8](repeating: 0, count: first.end.offset - file.count)
        file += Self.frame("new", at: first.end.offset, sequence: first.end.nextSequence)
        file += [UInt8](repeating: 0, count: 512 + (512 - file.count % 512))
        let second = try TestLog.scan(file)
        #expect(second.frames.map(\.head.nameHash).last == TestLog.hash("new"))
    }

    @Test("an older frame whose end is beyond the file hides nothing that is met when the file is longer")
    func olderAndLonger() throws {
        var log = TestLog()
        for name in ["a", "b"] { log.commit([.value(name)]) }
        var file = log.file(room: 4096)
        func put(_ frame: some Collection<UInt8>, at offset: Int) {
            file.replaceSubrange(offset..<offset + frame.count, with: frame)
        }
        put(Self.frame("c", at: log.end, sequence: 1, body: 1 << 16).prefix(256), at: log.end)
        put(Self.frame("c", at: log.end + 256, sequence: 1000), at: log.end + 256)
        let first = try TestLog.scan(file, published: log.end)
        #expect(first.end.nextSequence > 1000 && first.end.offset == log.end + 256 + 192)
        put(Self.frame("new", at: first.end.offset, sequence: first.end.nextSequence), at: first.end.offset)
        file += [UInt8](repeating: 0, count: 1 << 17)
        let second = try TestLog.scan(file, published: first.end.offset + 192)
        #expect(second.frames.map(\.head.nameHash).last == TestLog.hash("new"))
        #expect(second.frames.dropLast() == first.frames[...])
    }

    @Test("an older frame that was put back hides nothing that stands before its end")
    func insideOlder() throws {
        var log = TestLog()
        for name in ["a", "b", "c"] { log.commit([.value(name)]) }
        var file = log.file()
        // It claims 512 bytes of which only the first are there.
        file.replaceSubrange(
            log.end..<log.end + 128, with: Self.frame("old", at: log.end, sequence: 2, body: 384).prefix(128))
        let first = try TestLog.scan(file, published: log.end + 128)
        #expect(first.end.offset == log.end + 128)
        file.replaceSubrange(
            first.end.offset..<first.end.offset + 192,
            with: Self.frame("new", at: first.end.offset, sequence: first.end.nextSequence))
        let second = try TestLog.scan(file)
        #expect(second.frames.map(\.head.nameHash) == ["a", "b", "c", "new"].map(TestLog.hash))
    }

    @Test("a published end behind the end of the file is not believed")
    func publishedBehindTheEnd() throws {
        var log = TestLog()
        log.commit([.value("a")])
        log.commit([.value("b", 256)])
        let file = Array(log.file().prefix(log.end - 40))
        let scanner = LogScanner(ArraySource(bytes: file)) { head, offset in
            TestLog.mac(head, offset) == Bytes16(head, at: FrameHead.macPlace.lowerBound)
        } vouch: { (_, _) throws(StorageFault) in
            false
        }
        #expect(try scanner.readPublished(from: TestLog.start, to: log.end) == nil)
        #expect(try scanner.readPublished(from: TestLog.start, to: log.frames[0].end)?.frames.count == 1)
    }
}
