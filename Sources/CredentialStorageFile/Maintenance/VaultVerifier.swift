internal import CredentialStorage

/// Reads a whole vault and opens every box in it.
struct VaultVerifier {
    let engine: VaultEngine

    /// Looks at the vault, or answers `nil` when there is none.
    func run() throws(StorageFault) -> VaultReport? {
        // Opened the ordinary way first, so that the key source is asked once.
        let witness = try engine.read { (session) throws(StorageFault) -> (isRolledBack: Bool, key: SharedSecret)? in
            session.map { ($0.isRolledBack, $0.masterKey) }
        }
        guard let witness else { return nil }
        return try engine.queue.alone { () throws(StorageFault) in
            let opening = VaultOpening(engine: engine, known: witness.key)
            guard let session = try opening.openFile(try engine.location()) else { return nil }
            let deadline = ContinuousClock.now + engine.options.deadline
            try FileLock.wait(until: deadline) { () throws(SystemError) in
                try engine.fileSystem.tryLock(session.file, shared: true)
            }
            defer { engine.fileSystem.unlock(session.file) }
            var report = try report(on: session)
            report.isRolledBack = witness.isRolledBack
            return report
        }
    }

    /// The same for who holds the lock of the vault that is open.
    func look(beside held: VaultSession) throws(StorageFault) -> VaultReport? {
        let opening = VaultOpening(engine: engine, known: held.masterKey)
        guard let session = try opening.openFile(held.location) else { return nil }
        var report = try report(on: session)
        report.isRolledBack = held.isRolledBack
        return report
    }

    private func report(on session: VaultSession) throws(StorageFault) -> VaultReport {
        let status = try faulting { () throws(SystemError) in try session.fileSystem.status(of: session.file) }
        session.bytes.setSize(status.size)
        try session.bytes.load(upTo: status.size)
        let record = session.companion?.record(session.keys).flatMap { session.isAbout($0) ? $0 : nil }
        let result = try session.scanner().readAll(
            from: LogPosition(startOf: session.header), published: record.map { Int($0.tail) })
        var table = EntryTable()
        try table.makeRoom(for: result.items.count)
        try MemoryRoom.check(result.items.count * MemoryLayout<VaultReport.Frame>.stride * 2)
        for item in result.items { table.apply(item) }

        var report = VaultReport()
        report.version = Int(Layout.version)
        report.size = status.size
        // Again under the lock: a key change may have been under way when they were read first.
        let copies = try VaultUnlocking.readCopies(session.file, session.fileSystem)
        report.headerCopies = copies.map(\.isSound)
        report.headerCopiesDiffer = copies.allSatisfy(\.isSound) && copies[0] != copies[1]
        report.slots = session.header.slots.count
        report.lost = table.lost
        for item in result.items {
            switch item {
            case .frame(let frame):
                let opens = try opens(frame, session)
                report.frames.append(finding(on: frame, opens: opens, table))
                if opens, frame.head.kind == .value, isLatest(frame, table) { report.entries += 1 }
            case .damage(let damage): report.frames += findings(on: damage)
            }
        }
        report.damaged = report.frames.count { $0.state == .damaged }
        report.damagedEntries = table.present.count - report.entries
        return report
    }

    /// Whether the box of a frame opens, where it has one.
    private func opens(_ frame: LocatedFrame, _ session: VaultSession) throws(StorageFault) -> Bool {
        guard frame.head.kind == .value else { return true }
        let slot = EntrySlot(
            offset: frame.offset, bodyLength: frame.head.bodyLength, state: .live, older: 0)
        do throws(StorageFault) {
            return try session.open(slot, frame.head.nameHash).hasName()
        } catch {
            guard case .cause(.undecryptable) = error else { throw error }
            return false
        }
    }

    private func isLatest(_ frame: LocatedFrame, _ table: EntryTable) -> Bool {
        frame.head.kind == .index || table.slots[frame.head.nameHash]?.offset == frame.offset
    }

    private func finding(on frame: LocatedFrame, opens: Bool, _ table: EntryTable) -> VaultReport.Frame {
        let state: VaultReport.FrameState = isLatest(frame, table) ? .live : .superseded
        return VaultReport.Frame(
            offset: frame.offset, length: frame.head.frameLength, kind: .init(frame.head.kind),
            state: opens && frame.isEchoSound ? state : .damaged)
    }

    private func findings(on damage: DamagedRange) -> [VaultReport.Frame] {
        if damage.frames.isEmpty, !damage.range.isEmpty {
            let whole = VaultReport.Frame(
                offset: damage.range.lowerBound, length: damage.range.count, kind: .unknown, state: .damaged)
            return [whole]
        }
        return damage.frames.map { frame in
            VaultReport.Frame(
                offset: frame.offset, length: frame.length, kind: frame.kind.map { .init($0) } ?? .unknown,
                state: .damaged)
        }
    }
}

extension VaultReport.FrameKind {
    fileprivate init(_ kind: FrameKind) {
        self =
            switch kind {
            case .value: .value
            case .delete: .delete
            case .index: .index
            }
    }
}
