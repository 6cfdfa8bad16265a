import CredentialStorage
import Testing

@testable import CredentialStorageFile

@Suite("The scanner of a log", .timeLimit(.minutes(5)))
struct ScannerTests {
    private static let names: Set<String> = ["a", "b", "c", "d", "e"]

    private static func log() -> TestLog {
        var log = TestLog()
        log.commit([.value("a")])
        log.commit([.value("b", 512), .value("c", 32), .delete("a")])
        log.commit([.value("d", 96)])
        return log
    }

    @Test("finds whole commits, and where the next frame goes")
    func whole() throws {
        let log = Self.log()
        for published in [nil, log.end, log.commits[0][0].end] {
            let result = try TestLog.scan(log.file(), published: published)
            #expect(result.frames == log.frames)
            #expect(result.end == log.position)
            #expect(result.torn == nil && result.damage.isEmpty && result.chainBreaks == 0)
        }
    }

    @Test("finds nothing in an empty log")
    func empty() throws {
        let result = try TestLog.scan(TestLog().file())
        #expect(result == ScanResult(end: TestLog.start))
    }

    @Test("takes the rest of a commit of which any sectors are missing for torn, and keeps what was before it")
    func torn() throws {
        for contents: [TestLog.Content] in [
            [.value("e", 64)], [.value("e", 1024)], [.delete("b"), .delete("c"), .value("e", 768), .value("d", 32)],
            (0..<12).map { .delete("\($0)") },
        ] {
            var log = Self.log()
            let before = log
            log.commit(contents)
            let (begin, file) = (before.end, log.file())
            let sectors = Array(begin / 512..<(log.end + 511) / 512)
            #expect(sectors.count <= 6)
            for kept in 0..<(1 << sectors.count) - 1 {
                var torn = file
                for (index, sector) in sectors.enumerated() where kept & 1 << index == 0 {
                    for place in max(sector * 512, begin)..<min(sector * 512 + 512, log.end) { torn[place] = 0 }
                }
                let result = try TestLog.scan(torn, published: begin, knowing: Self.names)
                #expect(result.frames == before.frames, "sectors \(String(kept, radix: 2))")
                #expect(result.end == before.position)
                #expect(result.damage.isEmpty)
                let rest = torn[begin..<log.end].contains { $0 != 0 }
                #expect((result.torn != nil) == rest)
                if let range = result.torn {
                    #expect(range.lowerBound == begin && range.upperBound <= log.end)
                    #expect(torn[range.upperBound...].allSatisfy { $0 == 0 })
                }
            }
        }
    }

    @Test("takes no published commit for torn, whatever is zero in it")
    func published() throws {
        var log = Self.log()
        log.commit([.value("e", 1024)])
        let last = try #require(log.commits.last?.first)
        for sector in last.offset / 512..<(last.end + 511) / 512 {
            var file = log.file()
            let zeroed = max(sector * 512, last.offset)..<min(sector * 512 + 512, last.end)
            for place in zeroed { file[place] = 0 }
            let witnessed = try TestLog.scan(file, published: log.end, knowing: Self.names)
            #expect(witnessed.torn == nil)
            let isHeadWhole = zeroed.lowerBound >= last.offset + Layout.headLength
            #expect(witnessed.frames.count == (isHeadWhole ? 5 + 1 : 5))
            #expect(isHeadWhole || witnessed.named == [TestLog.hash("e")] || witnessed.lost > 0)
            let alone = try TestLog.scan(file, published: nil, knowing: Self.names)
            #expect(alone.torn != nil && alone.frames.count == 5)
        }
    }

    @Test("names the entry at every single bit flip in the middle, and keeps all other frames")
    func flips() throws {
        let log = Self.log()
        let file = log.file()
        for frame in log.frames {
            for bit in 0..<frame.head.frameLength * 8 {
                var damaged = file
                damaged[frame.offset + bit / 8] ^= 1 << (bit % 8)
                for published in [nil, log.end] {
                    let result = try TestLog.scan(damaged, published: published, knowing: Self.names)
                    #expect(result.torn == nil)
                    let others = log.frames.filter { $0.offset != frame.offset }
                    #expect(result.frames.filter { $0.offset != frame.offset } == others, "bit \(bit)")
                    if result.frames.count == others.count {
                        #expect(result.named == [frame.head.nameHash], "bit \(bit) of the frame at \(frame.offset)")
                        #expect(result.lost == 0)
                    }
                    #expect(result.end.offset == log.end)
                    #expect(result.end.nextSequence == log.position.nextSequence)
                }
            }
        }
    }

    @Test("counts what it cannot name as lost, and never believes a hash that nothing vouches for")
    func unnamed() throws {
        let log = Self.log()
        for frame in log.frames {
            var file = log.file()
            file[frame.offset + 100] ^= 1
            for place in frame.end - 16..<frame.end { file[place] = 0x5A }
            for place in frame.offset + 40..<frame.offset + 56 { file[place] = 0x5A }
            let result = try TestLog.scan(file, published: log.end, knowing: Self.names)
            #expect(result.named.isEmpty)
            #expect(result.lost == 1)
            #expect(result.frames.count == log.frames.count - 1)
        }
    }

    @Test("takes a frame that was erased in part for no index frame")
    func erased() throws {
        var log = TestLog()
        for content: TestLog.Content in [.value("a"), .index, .value("b"), .value("c")] { log.commit([content]) }
        let frame = log.commits[2][0]
        var file = log.file()
        for place in frame.offset + 56..<frame.end { file[place] = 0xFF }
        for known: Set<String> in [[], ["b"]] {
            let result = try TestLog.scan(file, published: log.end, knowing: known)
            #expect(result.named == Set(known.map(TestLog.hash)))
            #expect(result.lost == 1 - known.count)
            #expect(result.frames.count == 3)
        }
    }

    @Test("counts frames that are missing, with zeros or with nothing in their place")
    func missing() throws {
        let log = Self.log()
        for frame in log.frames.dropLast() {
            var zeroed = log.file()
            for place in frame.offset..<frame.end { zeroed[place] = 0 }
            let result = try TestLog.scan(zeroed, published: log.end, knowing: Self.names)
            #expect(result.lost == 1 && result.frames.count == log.frames.count - 1 && result.torn == nil)

            var removed = log.file()
            removed.removeSubrange(frame.offset..<frame.end)
            let moved = try TestLog.scan(removed, published: log.end, knowing: Self.names)
            #expect(moved.frames == log.frames.filter { $0.offset < frame.offset })
            #expect(moved.lost > 0)
        }
    }

    @Test("does not believe a frame that stands in another one's place")
    func misplaced() throws {
        var log = TestLog()
        for name in ["a", "b", "c", "d"] { log.commit([.value(name)]) }
        let frames = log.frames
        for target in frames {
            for source in frames where source != target {
                var file = log.file()
                file.replaceSubrange(target.offset..<target.end, with: file[source.offset..<source.end])
                let result = try TestLog.scan(file, published: log.end, knowing: Self.names)
                #expect(result.frames == frames.filter { $0 != target })
                #expect(result.lost == 1)
                #expect(result.named.isEmpty)
            }
        }
    }

    @Test("tells a file that was cut at any length, and keeps what is whole")
    func cuts() throws {
        let log = Self.log()
        let file = log.file()
        for length in Layout.logStart..<file.count {
            for published in [nil, log.end] {
                let result = try TestLog.scan(Array(file.prefix(length)), published: published, knowing: Self.names)
                #expect(result.frames == log.frames.filter { $0.end <= length }, "cut at \(length)")
                #expect(result.torn == nil || length >= log.end)
                if length < log.end + 16 { #expect(result.lost > 0, "cut at \(length)") }
            }
        }
    }

    @Test("finds the same losses again after something was appended behind damage")
    func appended() throws {
        let log = Self.log()
        let file = log.file()
        for length in stride(from: Layout.logStart, through: log.end, by: 4) {
            let first = try TestLog.scan(Array(file.prefix(length)), published: log.end, knowing: Self.names)
            let offset = first.end.offset
            #expect(offset % 16 == 0 && offset >= length, "the next frame begins at a multiple of 16")
            let head = FrameHead(
                kind: .delete, bodyLength: 0, position: 0, commitCount: 1, headerSequence: 1,
                sequence: first.end.nextSequence, previous: first.end.lastMAC, nameHash: TestLog.hash("e"))
            var frame = head.encoded + [UInt8](repeating: 0xFF, count: 40)
            frame.append(TestLog.mac(frame.span, offset))
            frame.append(head.nameHash)
            var longer = Array(file.prefix(length))
            longer += [UInt8](repeating: 0, count: offset - length) + frame + [UInt8](repeating: 0, count: 512)
            let second = try TestLog.scan(longer, published: nil, knowing: Self.names)
            #expect(second.frames.last?.offset == offset, "cut at \(length)")
            #expect(second.lost > 0, "cut at \(length)")
            // A head that survived whole names its entry as a frame, whose box does not open.
            let known = second.named.union(second.frames.map(\.head.nameHash))
            #expect(known.isSuperset(of: first.named), "cut at \(length)")
            #expect(second.frames.prefix(first.frames.count) == first.frames[...], "cut at \(length)")
        }
    }

    @Test("takes garbage behind the log for damage, and a short rest for torn")
    func garbage() throws {
        let log = Self.log()
        for count in [1, 15, 16, 112] {
            var file = log.file()
            for place in 0..<count { file[log.end + place] = 0xAB }
            let result = try TestLog.scan(file, published: log.end, knowing: Self.names)
            #expect(result.torn != nil && result.end == log.position)
        }
        var file = log.file()
        for place in 0..<256 { file[log.end + place] = 0xAB }
        let result = try TestLog.scan(file, published: log.end, knowing: Self.names)
        #expect(result.torn == nil && result.lost > 0 && result.frames == log.frames)
        #expect(result.end.offset == log.end + 256)
    }

    @Test("never takes a rest that is longer than any commit for torn")
    func farGarbage() throws {
        let log = Self.log()
        var file = log.file(room: Layout.maximumCommitBytes + 4096)
        file[file.count - 1024] = 1
        let result = try TestLog.scan(file, published: log.end, knowing: Self.names)
        #expect(result.torn == nil && result.frames == log.frames && result.lost > 0)
    }

    @Test("keeps a commit whose middle frame is damaged, with a witness and without one")
    func middleOfLastCommit() throws {
        var log = TestLog()
        log.commit([.value("a")])
        log.commit([.value("b"), .value("c"), .value("d")])
        for frame in log.commits[1] {
            var file = log.file()
            file[frame.offset + 20] ^= 0x40
            for published in [nil, log.end] {
                let result = try TestLog.scan(file, published: published, knowing: Self.names)
                #expect(result.torn == nil)
                #expect(result.frames.count == 3)
                #expect(result.named == [frame.head.nameHash])
            }
        }
    }

    @Test("notices a frame that does not follow the one before it")
    func chain() throws {
        var log = TestLog()
        log.commit([.value("a")])
        var fork = log
        log.commit([.value("b", 64)])
        fork.commit([.value("c", 64)])
        log.commit([.value("d")])
        var file = log.file()
        let range = log.frames[1].offset..<log.frames[1].end
        file.replaceSubrange(range, with: fork.file()[range])
        let result = try TestLog.scan(file, published: log.end, knowing: Self.names)
        #expect(result.chainBreaks == 1 && result.frames.count == 3)
    }

    @Test("ignores an older frame that stands where a newer one was")
    func stale() throws {
        var old = TestLog()
        old.commit([.value("a")])
        old.commit([.value("b")])
        var log = TestLog()
        log.commit([.value("a")])
        var later = log
        later.commit([.delete("a"), .value("c"), .value("d")])
        // The old frame claims sequence 2 at a place where the log is already at 3.
        var file = later.file()
        let place = later.frames[2]
        let head = FrameHead(
            kind: .value, bodyLength: 64, position: 0, commitCount: 1, headerSequence: 1, sequence: 1, previous: 0,
            nameHash: TestLog.hash("b"))
        var frame = head.encoded + [UInt8](repeating: 0xFF, count: 40)
        frame.append(TestLog.mac(frame.span, place.offset))
        frame += [UInt8](repeating: 9, count: 64)
        frame.append(head.nameHash)
        file.replaceSubrange(place.offset..<place.end, with: frame)
        let result = try TestLog.scan(file, published: later.end, knowing: Self.names)
        #expect(result.frames == later.frames.filter { $0 != place })
        #expect(result.lost == 1)
    }
}
