internal import CredentialStorage
internal import CredentialStorageSealing

/// What is known of a log at one moment; what was written by then never changes.
struct LogSnapshot {
    /// Keeps the file open.
    let session: VaultSession
    let header: VaultHeader
    let table: EntryTable
    let position: LogPosition

    init(_ session: VaultSession) {
        self.session = session
        header = session.header
        table = session.table
        position = session.position
    }
}

/// The log of a new file, made from the entries of an old one: each frame is a commit of its own.
///
/// With the same keys boxes are moved as they are, otherwise they are sealed anew. Each is opened in either case, and
/// one that does not open stops the copy: what cannot be decrypted is never left behind.
struct LogCopy {
    /// Where the frames come from.
    let source: LogSnapshot
    /// The keys of the new log.
    let keys: VaultKeys
    let header: VaultHeader
    let randomness: any Randomness
    private let file: FileHandle
    private let fileSystem: any FileSystem
    private let arena: SecureArena
    private(set) var position: LogPosition
    private(set) var table = EntryTable()
    /// Frames that are not written yet.
    private var pending: [UInt8] = []
    /// The new name hash for each old one, where the keys are new.
    private var renamed: [Bytes16: Bytes16] = [:]

    init(
        of source: LogSnapshot, into file: FileHandle, header: VaultHeader, keys: VaultKeys,
        randomness: any Randomness
    ) {
        self.source = source
        self.file = file
        self.header = header
        self.keys = keys
        self.randomness = randomness
        fileSystem = source.session.fileSystem
        arena = source.session.arena
        position = LogPosition(startOf: header)
    }

    private var isResealing: Bool { keys !== source.session.keys }

    /// Copies the value of each entry that is there, the ones that were written first before the others.
    mutating func copyEntries(_ progress: (_ done: Int, _ of: Int) -> Void) throws(StorageFault) {
        let entries = try entriesInOrder()
        for (index, entry) in entries.enumerated() {
            try copyEntry(entry.hash, entry.slot)
            progress(index + 1, entries.count)
        }
        try flush()
    }

    private mutating func entriesInOrder() throws(StorageFault) -> [(hash: Bytes16, slot: EntrySlot)] {
        try table.makeRoom(for: source.table.count)
        try MemoryRoom.check(source.table.count * 3 * MemoryLayout<(Bytes16, EntrySlot)>.stride)
        return source.table.present.sorted { $0.slot.offset < $1.slot.offset }
    }

    /// The same, leaving out what does not open.
    ///
    /// - Returns: The entries that were left out.
    /// - Throws: Only when the disk fails.
    mutating func copyWhatOpens() throws(StorageFault) -> [(hash: Bytes16, slot: EntrySlot)] {
        var omitted: [(hash: Bytes16, slot: EntrySlot)] = []
        for entry in try entriesInOrder() {
            do throws(StorageFault) {
                guard entry.slot.state == .live else { throw .damaged }
                try copyEntry(entry.hash, entry.slot)
            } catch {
                guard error == .damaged else { throw error }
                omitted.append(entry)
            }
        }
        try flush()
        return omitted
    }

    private mutating func copyEntry(_ hash: Bytes16, _ slot: EntrySlot) throws(StorageFault) {
        let frame = try read(at: slot.offset, count: slot.frameLength)
        let head = try head(of: frame, at: slot.offset)
        guard head.kind == .value, head.nameHash == hash else { throw .damaged }
        try copyValue(head, frame)
    }

    /// Copies, in their order, the frames that were written since the snapshot.
    mutating func copyFrames(upTo end: LogPosition) throws(StorageFault) {
        var offset = source.position.offset
        while offset < end.offset {
            let start = try read(at: offset, count: Layout.headLength)
            let head = try head(of: start, at: offset)
            switch head.kind {
            case .value: try copyValue(head, try read(at: offset, count: head.frameLength))
            case .delete: try put(.delete, renamed[head.nameHash] ?? head.nameHash)
            case .index: break
            }
            offset += head.frameLength
        }
        try flush()
    }

    private func read(at offset: Int, count: Int) throws(StorageFault) -> [UInt8] {
        try faulting { () throws(SystemError) in
            try fileSystem.read(source.session.file, count: count, at: offset)
        }
    }

    private func head(of frame: [UInt8], at offset: Int) throws(StorageFault) -> FrameHead {
        guard frame.count >= Layout.headLength, let head = FrameHead(frame.span, at: 0) else { throw .damaged }
        let bytes = frame.span.extracting(0..<Layout.headLength)
        guard source.session.keys.isAuthentic(bytes, logID: source.header.logID, offset: offset) else {
            throw .damaged
        }
        return head
    }

    private mutating func copyValue(_ head: FrameHead, _ frame: [UInt8]) throws(StorageFault) {
        let body = Layout.headLength..<Layout.headLength + head.bodyLength
        // The echo behind the box proves nothing that the box does not, and is written anew.
        guard frame.count == head.frameLength else { throw .damaged }
        // The frame again, its parts, and what is not written yet.
        try MemoryRoom.check(4 * frame.count + pending.count)
        let old = source.session.keys
        let plain = try SecureBuffer(count: head.bodyLength, in: arena)
        let target = unsafe plain.address.assumingMemoryBound(to: UInt8.self)
        let span = frame.span
        let isOpen = unsafe old.open(
            span.extracting(body), into: target, head: span.extracting(0..<Layout.headLength),
            nameHash: head.nameHash)
        guard isOpen, let entry = OpenedEntry(plain), entry.withName({ old.nameHash($0) }) == head.nameHash,
            entry.hasName()
        else {
            throw .damaged
        }
        guard isResealing else {
            return try put(
                .value, head.nameHash, nonce: Array(frame[FrameHead.noncePlace]), tag: Array(frame[FrameHead.tagPlace]),
                body: Array(frame[body]))
        }
        try reseal(entry, replacing: head.nameHash)
    }

    private mutating func reseal(_ entry: borrowing OpenedEntry, replacing old: Bytes16) throws(StorageFault) {
        let hash = entry.withName { keys.nameHash($0) }
        renamed[old] = hash
        let random = try randomness.bytes(Box.nonceLength)
        let (nonce, sealed) = entry.withPlaintext { plain in
            let nonce = keys.nonce(random: random, kind: .value, nameHash: hash, plaintext: plain)
            var sealed = [UInt8](repeating: 0, count: plain.count + Box.tagLength)
            unsafe sealed.withUnsafeMutableBufferPointer { target in
                let start = target.baseAddress!
                unsafe keys.seal(plain, into: start, tag: start + plain.count, nonce: nonce, nameHash: hash)
            }
            return (nonce, sealed)
        }
        let length = sealed.count - Box.tagLength
        try put(.value, hash, nonce: nonce, tag: Array(sealed[length...]), body: Array(sealed[..<length]))
    }

    private mutating func put(
        _ kind: FrameKind,
        _ hash: Bytes16,
        nonce: [UInt8] = [UInt8](repeating: 0xFF, count: Box.nonceLength),
        tag: [UInt8] = [UInt8](repeating: 0xFF, count: Box.tagLength),
        body: [UInt8] = []
    ) throws(StorageFault) {
        let head = FrameHead(
            kind: kind, bodyLength: body.count, position: 0, commitCount: 1, headerSequence: header.headerSequence,
            sequence: position.nextSequence, previous: position.lastMAC, nameHash: hash)
        var bytes = head.encoded + nonce + tag
        let mac = keys.frameMAC(bytes.span, logID: header.logID, offset: position.offset)
        bytes.append(mac)
        bytes += body
        bytes.append(hash)
        let frame = LocatedFrame(offset: position.offset, head: head, mac: mac.first, isEchoSound: true)
        guard frame.end <= Layout.maximumFileSize else { throw .unavailable(.noSpace) }
        pending += bytes
        table.apply(.frame(frame))
        position = frame.positionAfter
        if pending.count >= 1 << 20 { try flush() }
    }

    private mutating func flush() throws(StorageFault) {
        let (bytes, start) = (pending, position.offset - pending.count)
        pending = []
        try faulting { () throws(SystemError) in try fileSystem.write(file, bytes, at: start) }
    }
}
