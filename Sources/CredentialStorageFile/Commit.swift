internal import CredentialStorage
internal import CredentialStorageSealing
internal import Glibc

/// The frames that one sync makes durable, in the making.
///
/// Requests are staged in the order of the queue, and each sees the ones before it. One that fails leaves nothing.
struct Commit {
    private struct Staged {
        let kind: FrameKind
        let hash: Bytes16
        let plaintext: Plaintext?
    }

    private var session: VaultSession
    private var staged: [Staged] = []
    private var latest: [Bytes16: Int] = [:]
    private(set) var size = 0
    /// Whether every frame only removes something; such a commit may use the last reserve of room.
    private(set) var isRemoval = true

    init(_ session: VaultSession) { self.session = session }

    /// Moves to the file that took the place of the one that the commit was staged for; its keys are the same.
    mutating func move(to session: VaultSession) { self.session = session }

    var isEmpty: Bool { staged.isEmpty }
    var count: Int { staged.count }

    /// Whether a request that failed so may fit into the next commit.
    static func isTooMuch(_ fault: StorageFault) -> Bool {
        if case .cause(.valueTooLarge) = fault { return true }
        return fault == .unsupported
    }

    /// Stages one request.
    ///
    /// - Returns: What the caller of the request is told: whether something was removed, whether a comparison held,
    ///   whether another round is needed to remove everything.
    mutating func stage(_ request: WriteRequest) throws(StorageFault) -> Bool {
        switch request {
        case .set(let key, let plaintext):
            try session.checkPrivate()
            try put(.value, session.keys.nameHash(key), plaintext)
            return true
        case .delete(let key):
            return try delete(key)
        case .compareAndSet(let key, let expected, let new):
            try session.checkPrivate()
            guard try matches(key, expected) else { return false }
            if let new {
                try put(.value, session.keys.nameHash(key), new)
            } else if expected != nil {
                try put(.delete, session.keys.nameHash(key), nil)
            }
            return true
        case .deleteAll:
            let present = session.table.present
            try MemoryRoom.check(present.count * 2 * MemoryLayout<Staged>.stride)
            let room = min(present.count, Layout.maximumCommitFrames - staged.count)
            for (hash, _) in present.prefix(room) { try put(.delete, hash, nil) }
            return room < present.count
        case .alone:
            return true
        }
    }

    mutating func put(_ key: EntryKey, _ plaintext: Plaintext?) throws(StorageFault) {
        let hash = session.keys.nameHash(key)
        if let plaintext {
            try put(.value, hash, plaintext)
        } else if try isPresent(hash) {
            try put(.delete, hash, nil)
        }
    }

    private mutating func put(_ kind: FrameKind, _ hash: Bytes16, _ plaintext: Plaintext?) throws(StorageFault) {
        let length = Layout.frameOverhead + (plaintext?.bytes.count ?? 0)
        guard staged.count < Layout.maximumCommitFrames else { throw .unsupported }
        guard size + length <= Layout.maximumCommitBytes else {
            throw .cause(.valueTooLarge(limit: Layout.maximumCommitBytes))
        }
        latest[hash] = staged.count
        staged.append(Staged(kind: kind, hash: hash, plaintext: plaintext))
        size += length
        if kind == .value { isRemoval = false }
    }

    private mutating func delete(_ key: EntryKey) throws(StorageFault) -> Bool {
        let hash = session.keys.nameHash(key)
        guard try isPresent(hash) else { return false }
        try put(.delete, hash, nil)
        return true
    }

    /// Whether there may be an entry to remove.
    ///
    /// One that cannot be proven absent is removed all the same, which proves it absent from then on.
    private func isPresent(_ hash: Bytes16) throws(StorageFault) -> Bool {
        if let index = latest[hash] { return staged[index].kind == .value }
        if case .absent = session.table.lookUp(hash) { return false }
        return true
    }

    private func matches(_ key: EntryKey, _ expected: SharedSecret?) throws(StorageFault) -> Bool {
        if let index = latest[session.keys.nameHash(key)] {
            guard let plaintext = staged[index].plaintext else { return expected == nil }
            guard let expected else { return false }
            let nameLength = key.name.utf8.count
            return plaintext.bytes.withBytes { bytes in
                let start = Layout.plaintextPrefix + nameLength
                let length = Int(bytes.load(UInt32.self, at: 2))
                return expected.bytes.isEqual(to: bytes.extracting(start..<start + length))
            }
        }
        guard let entry = try session.read(key) else { return expected == nil }
        guard let expected else { return false }
        return entry.withValue { expected.bytes.isEqual(to: $0) }
    }

    /// Seals everything and lays it out for its place in the file.
    ///
    /// - Returns: The bytes, and what a scan of them would find.
    func sealed(randomness: any Randomness) throws(StorageFault) -> (bytes: [UInt8], result: ScanResult) {
        let keys = session.keys
        // The bytes, the random ones, and what a scan would find.
        try MemoryRoom.check(size + staged.count * (2 * Box.nonceLength + 2 * MemoryLayout<ScanItem>.stride))
        var bytes = [UInt8](repeating: 0xFF, count: size)
        var result = ScanResult(end: session.position)
        let boxes = staged.count { $0.plaintext != nil }
        // One call for the whole commit: a system call costs as much as sealing a token.
        let random = try randomness.bytes(boxes * Box.nonceLength)
        var drawn = 0
        var place = 0
        for (index, frame) in staged.enumerated() {
            let head = FrameHead(
                kind: frame.kind, bodyLength: frame.plaintext?.bytes.count ?? 0, position: UInt32(index),
                commitCount: UInt32(staged.count), headerSequence: session.header.headerSequence,
                sequence: result.end.nextSequence, previous: result.end.lastMAC, nameHash: frame.hash)
            bytes.replace(at: place, with: head.encoded)
            if let plaintext = frame.plaintext {
                let slice = Array(random[drawn..<drawn + Box.nonceLength])
                drawn += Box.nonceLength
                let nonce = plaintext.bytes.withBytes { plain in
                    keys.nonce(random: slice, kind: frame.kind, nameHash: frame.hash, plaintext: plain)
                }
                bytes.replace(at: place + FrameHead.noncePlace.lowerBound, with: nonce)
                unsafe bytes.withUnsafeMutableBufferPointer { target in
                    let start = unsafe target.baseAddress! + place
                    plaintext.bytes.withBytes { plain in
                        unsafe keys.seal(
                            plain, into: start + Layout.headLength, tag: start + FrameHead.tagPlace.lowerBound,
                            nonce: nonce, nameHash: frame.hash)
                    }
                }
            }
            let offset = session.position.offset + place
            let mac = keys.frameMAC(
                bytes.span.extracting(place..<place + Layout.headLength), logID: session.header.logID, offset: offset)
            bytes.replace(at: place + FrameHead.macPlace.lowerBound, with: mac.bytes)
            place += head.frameLength
            bytes.replace(at: place - Layout.echoLength, with: frame.hash.bytes)
            let located = LocatedFrame(offset: offset, head: head, mac: mac.first, isEchoSound: true)
            result.items.append(.frame(located))
            result.end = located.positionAfter
        }
        return (bytes, result)
    }
}

extension [UInt8] {
    fileprivate mutating func replace(at place: Int, with bytes: [UInt8]) {
        for (index, byte) in bytes.enumerated() { self[place + index] = byte }
    }
}
