internal import CredentialStorage

/// The two copies of a header in a file whose lock is held: changed one after the other, so that one is always whole.
struct HeaderCopies {
    let fileSystem: any FileSystem
    let file: FileHandle

    /// How a change ended.
    enum Outcome {
        /// Both copies hold it.
        case complete
        /// The second one does; what the first one holds is unknown, and does not count, but may still open.
        case oneCopy(SystemError)
    }

    /// Writes a new header in the place of an old one.
    ///
    /// - Parameters:
    ///   - new: One copy of the new header, whose sequence is higher.
    ///   - old: One copy of the old header.
    /// - Returns: How far it got; the new header counts either way.
    /// - Throws: `notConfirmed` when nobody can tell which header counts; after any other error the old one does.
    func write(_ new: [UInt8], replacing old: [UInt8]) throws(StorageFault) -> Outcome {
        let before = read(copy: 1)
        do throws(SystemError) {
            try place(new, copy: 1)
        } catch {
            // A full disk or a limit that refused a part refuses it again; only what was written is taken back.
            let written = written(over: before)
            if written > 0 { try takeBack(Array(old.prefix(written))) }
            throw error.fault
        }
        do throws(SystemError) {
            try fileSystem.syncData(file)
        } catch {
            try takeBack(old)
            throw error.fault
        }
        do throws(SystemError) {
            try put(new, copy: 0)
            return .complete
        } catch {
            return .oneCopy(error)
        }
    }

    /// Writes one copy and makes it durable.
    func put(_ bytes: [UInt8], copy: Int) throws(SystemError) {
        try place(bytes, copy: copy)
        try fileSystem.syncData(file)
    }

    private func place(_ bytes: [UInt8], copy: Int) throws(SystemError) {
        try fileSystem.write(file, bytes, at: copy * Layout.headerRoom)
    }

    private func read(copy: Int) -> [UInt8]? {
        try? fileSystem.read(file, count: Layout.headerRoom, at: copy * Layout.headerRoom)
    }

    /// How many bytes of copy 1 a write that failed may have changed.
    private func written(over before: [UInt8]?) -> Int {
        guard let before, let now = read(copy: 1), now.count == before.count else { return Layout.headerRoom }
        return now.indices.last { now[$0] != before[$0] }.map { $0 + 1 } ?? 0
    }

    /// After a failure nothing is known of what is on the disk; the old bytes and a sync that succeeds are.
    private func takeBack(_ old: [UInt8]) throws(StorageFault) {
        do throws(SystemError) { try put(old, copy: 1) } catch {
            throw .unavailable(.notConfirmed, .errno(error.number))
        }
    }
}
