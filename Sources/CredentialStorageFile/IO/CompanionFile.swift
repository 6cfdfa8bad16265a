internal import CredentialStorage

/// The small file beside a vault: what was published last, and the bytes that named locks stand on.
///
/// It holds no secret and may be deleted while nobody uses the store.
final class CompanionFile: Sendable {
    let file: FileHandle
    let status: FileStatus
    private let fileSystem: any FileSystem
    private let page: SharedPage?

    private init(_ file: FileHandle, _ status: FileStatus, _ fileSystem: any FileSystem) {
        self.file = file
        self.status = status
        self.fileSystem = fileSystem
        page = FileSystemKind.isMappable(file, fileSystem) ? fileSystem.sharedPage(of: file) : nil
    }

    deinit { fileSystem.close(file) }

    /// Opens the companion, or makes it.
    ///
    /// - Throws: `conflict` when something else stands at its path.
    static func open(_ path: String, _ fileSystem: any FileSystem) throws(StorageFault) -> CompanionFile {
        let file: FileHandle
        do throws(SystemError) { file = try fileSystem.open(path, .create) } catch { throw meaning(of: error) }
        do throws(StorageFault) {
            let status = try examine(file, fileSystem)
            // It holds nothing secret, so a mode that the umask or somebody else made is mended instead of refused.
            if status.mode != 0o600 {
                try faulting { () throws(SystemError) in try fileSystem.setMode(0o600, of: file) }
            }
            // Its room is taken now, so that a disk that is full later does not keep a write from being published.
            if status.size < Layout.companionSize {
                let room = [UInt8](repeating: 0, count: Layout.companionSize - status.size)
                try faulting { () throws(SystemError) in try fileSystem.write(file, room, at: status.size) }
            }
            return CompanionFile(file, status, fileSystem)
        } catch {
            fileSystem.close(file)
            throw error
        }
    }

    /// Throws what ``open(_:_:)`` would for what stands at the path; nothing is made or changed.
    static func check(_ path: String, _ fileSystem: any FileSystem) throws(StorageFault) {
        let file: FileHandle
        do throws(SystemError) { file = try fileSystem.open(path, .read) } catch {
            if error.isAbsence { return }
            throw meaning(of: error)
        }
        defer { fileSystem.close(file) }
        _ = try examine(file, fileSystem)
    }

    /// Whether a store does without a companion where making or opening it fails so.
    static func isDispensable(after error: StorageFault) -> Bool {
        switch error {
        case .unavailable(.readOnly, _), .unavailable(.accessDenied, _), .unavailable(.noSpace, _): true
        default: false
        }
    }

    private static func meaning(of error: SystemError) -> StorageFault {
        let meaning = VaultOpening.meaning(of: error)
        return meaning == .notAStore ? .conflict : meaning
    }

    private static func examine(
        _ file: FileHandle,
        _ fileSystem: any FileSystem
    ) throws(StorageFault) -> FileStatus {
        let status = try faulting { () throws(SystemError) in try fileSystem.status(of: file) }
        guard status.kind == .regular else { throw .conflict }
        guard status.owner == fileSystem.user else { throw .unavailable(.insecurePermissions) }
        guard try isCompanion(file, status, fileSystem) else { throw .conflict }
        return status
    }

    /// Whether the file is a companion: whatever bears the eight bytes that each record bears, and what is whole, cut or
    /// not yet written but for these, with zeros behind the room of the record and no file of another kind before.
    ///
    /// Anything else is somebody's, and is not written over.
    private static func isCompanion(
        _ file: FileHandle,
        _ status: FileStatus,
        _ fileSystem: any FileSystem
    ) throws(StorageFault) -> Bool {
        let bytes = try faulting { () throws(SystemError) in
            try fileSystem.read(file, count: min(status.size, Layout.companionSize), at: 0)
        }
        if CompanionRecord.isMarked(bytes) { return true }
        guard status.size <= Layout.companionSize else { return false }
        guard bytes.dropFirst(CompanionRecord.length).allSatisfy({ $0 == 0 }) else { return false }
        guard bytes.count < Layout.companionSize else { return !bytes.starts(with: Layout.magic) }
        return bytes.allSatisfy { $0 == 0 } || bytes.count >= CompanionRecord.length
    }

    /// The change word, or `nil` when nothing was published yet.
    func word() -> UInt64? {
        if let page {
            let word = page.word
            return word == 0 ? nil : word
        }
        var word: UInt64 = 0
        let count = unsafe withUnsafeMutableBytes(of: &word) { target in
            unsafe try? fileSystem.read(file, into: target.baseAddress!, count: 8, at: 0)
        }
        return count == 8 && word != 0 ? UInt64(littleEndian: word) : nil
    }

    /// The record, if it is whole and authentic.
    func record(_ keys: VaultKeys) -> CompanionRecord? {
        // A reader may meet a writer in the middle of a publication.
        for _ in 0..<3 {
            guard let bytes = try? fileSystem.read(file, count: CompanionRecord.length, at: 0),
                bytes.count == CompanionRecord.length
            else { return nil }
            let span = bytes.span
            let mac = Bytes16(span, at: CompanionRecord.macPlace.lowerBound)
            if keys.recordMAC(span.extracting(0..<CompanionRecord.macPlace.lowerBound)) == mac {
                return CompanionRecord(span)
            }
        }
        return nil
    }

    /// Publishes by one write, so that a reader sees the old record or the new one, or knows that it saw neither.
    func publish(_ record: CompanionRecord, _ keys: VaultKeys) throws(StorageFault) {
        var bytes = record.encoded
        bytes.append(keys.recordMAC(bytes.span))
        bytes += [UInt8](repeating: 0, count: Layout.companionSize - bytes.count)
        try faulting { () throws(SystemError) in try fileSystem.write(file, bytes, at: 0) }
    }
}
