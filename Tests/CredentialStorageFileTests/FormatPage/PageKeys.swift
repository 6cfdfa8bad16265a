import CredentialStorageSealing
import Testing

/// The key hierarchy of the page, computed here from the page's own words.
struct PageKeys {
    /// Name and value, in the order of the page.
    let all: [(name: String, value: [UInt8])]

    /// Opens the first header copy of a vault with one slot without parameters, under a key file.
    init(of vault: [UInt8], key: [UInt8]) throws {
        func part(_ offset: Int, _ count: Int) -> [UInt8] { Array(vault[offset..<offset + count]) }
        let length = Int(vault[12]) + Int(vault[13]) << 8
        let fileID = part(16, 16)
        let wrap = Self.derive(key, "scv1 slot wrap", fileID + part(162, 30))
        let check = Self.derive(key, "scv1 slot check", fileID + part(162, 30))
        #expect(check == part(192, 32))
        let master = try #require(
            Self.open(
                part(248, 32), tag: part(280, 16), nonce: part(224, 24), data: fileID + part(162, 62), key: wrap))
        let headerKey = Self.derive(master, "scv1 header")
        #expect(Self.hash(32, headerKey, part(0, length - 64)) == part(length - 64, 32))
        #expect(Self.hash(32, [], part(0, length - 32)) == part(length - 32, 32))
        let dataWrap = Self.derive(master, "scv1 data wrap")
        let dataKey = try #require(
            Self.open(
                part(104, 32), tag: part(136, 16), nonce: part(80, 24), data: part(0, 32) + part(60, 4), key: dataWrap))
        var all = [
            ("ikm", key), ("KEK", wrap), ("CHECK", check), ("MK", master), ("header key", headerKey),
            ("data wrap key", dataWrap), ("DK", dataKey),
        ]
        for (name, context, size) in [
            ("value key", "scv1 value", 32), ("nonce key", "scv1 nonce", 32), ("name-hash key", "scv1 name hash", 16),
            ("frame key", "scv1 frame", 16), ("index key", "scv1 index", 16), ("record key", "scv1 record", 16),
        ] {
            all.append((name, Array(Self.derive(dataKey, context, fileID + part(60, 4)).prefix(size))))
        }
        self.all = all
    }

    subscript(name: String) -> [UInt8] { all.first { $0.name == name }!.value }

    static func hash(_ length: Int, _ key: [UInt8], _ message: [UInt8]) -> [UInt8] {
        var hash = Blake2b(length: length, key: key.span)
        hash.update(message.span)
        return hash.finish()
    }

    static func derive(_ key: [UInt8], _ context: String, _ data: [UInt8] = []) -> [UInt8] {
        hash(32, key, Array(context.utf8) + [0] + data)
    }

    static func siphash(_ key: [UInt8], _ message: [UInt8]) -> [UInt8] {
        var result = [UInt8](repeating: 0, count: SipHash.length)
        result.withUnsafeMutableBufferPointer { SipHash.hash(message.span, key: key.span, into: $0.baseAddress!) }
        return result
    }

    static func open(_ box: [UInt8], tag: [UInt8], nonce: [UInt8], data: [UInt8], key: [UInt8]) -> [UInt8]? {
        var plain = [UInt8](repeating: 0, count: box.count)
        let isOpen = plain.withUnsafeMutableBufferPointer {
            Box.open(
                box.span, into: $0.baseAddress!, tag: tag.span, nonce: nonce.span, associatedData: data.span,
                key: key.span)
        }
        return isOpen ? plain : nil
    }
}
