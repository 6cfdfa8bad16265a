import CredentialStorage
import CredentialStorageFile
import Foundation
import Testing

@Suite(.timeLimit(.minutes(2)))
struct FormatPageTests {
    private static let page = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../../FORMAT.md").standardizedFileURL
    private static let begin =
        "<!-- walk: begin, made by the test \"the walk in FORMAT.md is the one of a real vault\" -->\n"
    private static let end = "<!-- walk: end -->"

    /// `CREDSTORE_WRITE_WALK=1` makes this test write the walk into the page first.
    @Test("the walk in FORMAT.md is the one of a real vault")
    func walk() throws {
        let walk = "```text\n\(try makeWalk())```\n"
        let page = try String(decoding: Data(contentsOf: Self.page), as: UTF8.self)
        let head = try #require(page.range(of: Self.begin))
        let tail = try #require(page.range(of: Self.end))
        if ProcessInfo.processInfo.environment["CREDSTORE_WRITE_WALK"] == "1" {
            let written = page.replacingCharacters(in: head.upperBound..<tail.lowerBound, with: walk)
            try Data(written.utf8).write(to: Self.page)
            return
        }
        #expect(String(page[head.upperBound..<tail.lowerBound]) == walk)
    }

    private func makeWalk() throws -> String {
        let place = try PageVault()
        let storage = place.builder.randomness(CountingRandomness()).build()
        try storage.create()
        try storage.update { batch in
            try batch.set(Data("first value".utf8), forKey: "alpha")
            try batch.set(Data("a second value, over 32".utf8), forKey: "beta")
        }
        #expect(try storage.delete("alpha"))
        return try PageWalk(of: place.bytes, key: PageVault.read(place.keyFile)).text()
    }
}

/// The walk itself: every field of the page's tables, proven while it is printed.
private struct PageWalk {
    private let bytes: [UInt8]
    private let key: [UInt8]
    private var walk: HexWalk

    init(of bytes: [UInt8], key: [UInt8]) {
        self.bytes = bytes
        self.key = key
        walk = HexWalk(bytes)
    }

    private func part(_ offset: Int, _ count: Int) -> [UInt8] { walk.bytes(offset..<offset + count) }

    func text() throws -> String {
        var copy = self
        let keys = try copy.header()
        try copy.log(keys)
        return copy.walk.text
    }

    private mutating func header() throws -> PageKeys {
        let length = walk.number(12, 4)
        walk.title("header copy 0")
        for (size, meaning) in [
            (8, "magic"), (2, "version"), (2, "reserved"), (4, "used length L: \(length)"), (16, "file id"),
            (16, "log id"), (8, "base sequence"), (4, "header sequence"), (4, "data-key number"), (8, "log start"),
            (8, "no index frame"), (24, "nonce of DK"), (48, "sealed DK, tag last"), (2, "one slot"), (2, "reserved"),
            (4, "highest slot id"),
            (2, "slot: length 138"), (1, "kind: key file"), (1, "flags"), (4, "slot id"), (4, "passes: none"),
            (4, "memory: none"), (16, "salt"), (32, "CHECK"), (24, "nonce of MK"), (48, "sealed MK, tag last"),
            (2, "no parameters"), (32, "header MAC"), (32, "plain hash"),
        ] { walk.field(size, meaning) }
        #expect(walk.place == length)
        #expect(part(length, 8192 - length).allSatisfy { $0 == 0 })
        #expect(part(8192, 8192) == part(0, 8192))
        walk.line("zeros to 8192; there header copy 1, the same 8192 bytes")
        walk.title("keys")
        let keys = try PageKeys(of: bytes, key: key)
        for (name, value) in keys.all { walk.value(name, value) }
        return keys
    }

    private mutating func log(_ keys: PageKeys) throws {
        walk.move(to: 16384)
        try frame("value, first frame of the first commit", "alpha", "first value", keys)
        try frame("value, second frame of the first commit", "beta", "a second value, over 32", keys)
        try frame("delete, a commit of its own", "alpha", nil, keys)
        #expect(bytes.count == 65536)
        #expect(bytes[walk.place...].allSatisfy { $0 == 0 })
        walk.title("room")
        walk.line("\(walk.place)  zeros to the end of the file at \(bytes.count)")
    }

    private mutating func frame(
        _ title: String,
        _ name: String,
        _ value: String?,
        _ keys: PageKeys
    ) throws {
        let start = walk.place
        let body = walk.number(start + 8, 4)
        let nameHash = PageKeys.siphash(keys["name-hash key"], Array(name.utf8))
        walk.title("frame at \(start): \(title)")
        for (size, meaning) in [
            (4, "SCF1"), (1, value == nil ? "kind: delete" : "kind: value"), (3, "unused"), (4, "body length: \(body)"),
            (4, "position"), (4, "frames in the commit"), (4, "header sequence"), (8, "sequence"),
            (8, start == 16384 ? "previous: of the log id" : "previous"), (16, "name hash of \"\(name)\""),
            (24, value == nil ? "no nonce" : "nonce"), (16, value == nil ? "no tag" : "tag"), (16, "frame MAC"),
        ] { walk.field(size, meaning) }
        #expect(part(start + 40, 16) == nameHash)
        var offset: [UInt8] = []
        offset.append(UInt64(start))
        #expect(
            PageKeys.siphash(keys["frame key"], part(32, 16) + offset + part(start, 96)) == part(start + 96, 16))
        if let value { try box(start, body, name, value, nameHash, keys) }
        walk.field(16, "echo")
        #expect(part(walk.place - 16, 16) == nameHash)
    }

    private mutating func box(
        _ start: Int,
        _ body: Int,
        _ name: String,
        _ value: String,
        _ nameHash: [UInt8],
        _ keys: PageKeys
    ) throws {
        walk.field(body, "ciphertext")
        let data = Array("SCV1".utf8) + [1, 0, 0, 0] + part(16, 16) + nameHash
        let plain = try #require(
            PageKeys.open(
                part(start + 112, body), tag: part(start + 80, 16), nonce: part(start + 56, 24), data: data,
                key: keys["value key"]))
        #expect(Array(plain[6...].prefix(name.utf8.count + value.utf8.count)) == Array((name + value).utf8))
        walk.line("       its plaintext:")
        for start in stride(from: 0, to: plain.count, by: 16) {
            walk.line("       " + HexWalk.hex(plain[start..<start + 16]))
        }
    }
}
