internal import CredentialStorage
internal import CredentialStorageSealing
internal import Glibc

extension VaultEngine {
    /// Writes one request, together with those of other threads that wait at the same time.
    func write(_ request: WriteRequest) throws(StorageFault) -> Bool {
        try checkUsable()
        let ticket = WriteTicket(request)
        let answer = try queue.perform(ticket) { group in lead(group) }
        compactIfWasteful()
        return answer
    }

    private func lead(_ group: [WriteTicket]) -> [Result<Bool, StorageFault>] {
        var results: [Result<Bool, StorageFault>] = []
        do throws(StorageFault) {
            let makes = group.contains { $0.request.makesVault }
            try withWriterLock(creating: makes ? .firstWrite : nil) { held throws(StorageFault) in
                guard let held else {
                    // Nothing to remove from, and nothing to compare with.
                    results = group.map { _ in .success(false) }
                    return
                }
                results = write(group, to: held)
            }
        } catch {
            if results.isEmpty { results = group.map { _ in .failure(error) } }
        }
        return results
    }

    /// Writes for a whole group under as few syncs as it fits into.
    private func write(_ group: [WriteTicket], to held: HeldVault) -> [Result<Bool, StorageFault>] {
        var results: [Result<Bool, StorageFault>] = []
        var largest = group.count
        while results.count < group.count {
            let (commit, staged) = stage(group[results.count...].prefix(largest), held.session)
            do throws(StorageFault) {
                try append(commit, to: held)
                results += staged
            } catch {
                // One that is too large for the room that is left must not take the others with it.
                if case .unavailable(.noSpace, _) = error, staged.count > 1 {
                    largest = 1
                } else {
                    results += fail(staged, error)
                }
            }
        }
        return results
    }

    /// Stages as many of the requests as one commit holds, but at least one.
    private func stage(
        _ requests: ArraySlice<WriteTicket>,
        _ session: VaultSession
    ) -> (Commit, [Result<Bool, StorageFault>]) {
        var commit = Commit(session)
        var results: [Result<Bool, StorageFault>] = []
        for ticket in requests {
            let before = commit
            do throws(StorageFault) {
                results.append(.success(try commit.stage(ticket.request)))
            } catch {
                commit = before
                if !commit.isEmpty, Commit.isTooMuch(error) { break }
                results.append(.failure(error))
            }
        }
        return (commit, results)
    }

    /// What was staged and not written fails with it; what failed before keeps its own reason.
    private func fail(
        _ results: [Result<Bool, StorageFault>],
        _ error: StorageFault
    ) -> [Result<Bool, StorageFault>] {
        results.map { result in
            if case .failure = result { return result }
            return .failure(error)
        }
    }

    /// Holds the file's lock while the body runs, with a session that knows everything that is in the file.
    ///
    /// The caller has the turn. A missing vault is made for the purpose given; without one the body gets no session.
    /// The copies of the header are made the same first, unless the caller keeps the file as it is.
    func withWriterLock<R>(
        creating purpose: KeyPurpose?,
        patience: Duration? = nil,
        mendingHeader: Bool = true,
        _ body: (HeldVault?) throws(StorageFault) -> R
    ) throws(StorageFault) -> R {
        var deadline: ContinuousClock.Instant?
        while true {
            guard let session = try presentSession(creating: purpose) else { return try body(nil) }
            guard session.isWritable else { throw try unwritable(session) }
            if session.companion == nil { try refuseUnannounced(session) }
            // A person may have typed a passphrase until now; only the wait for other processes is limited.
            let end = deadline ?? .now + (patience ?? options.deadline)
            deadline = end
            try FileLock.wait(until: end) { () throws(SystemError) in
                try fileSystem.tryLock(session.file, shared: false)
            }
            do {
                let held = HeldVault(session)
                defer { fileSystem.unlock(held.session.file) }
                if isSamePlace(session) {
                    let isKnown = try state.write { (_) throws(StorageFault) in try catchUp(session) }
                    if isKnown {
                        if mendingHeader, session.wantsHeaderMended { mendHeader(session) }
                        return try body(held)
                    }
                }
            }
            // Opening waits for the lock, so it must be free by now.
            try reopen()
            guard ContinuousClock.now < end else { throw .unavailable(.lockTimedOut) }
        }
    }

    private func presentSession(creating purpose: KeyPurpose?) throws(StorageFault) -> VaultSession? {
        let present = try state.read { (state) throws(StorageFault) -> VaultSession? in
            guard !state.isClosed else { throw .unavailable(.closed) }
            return state.session
        }
        if let present, isSamePlace(present), present.companion != nil || !present.isWritable { return present }
        if let session = try reopen() { return session }
        guard let purpose else { return nil }
        let session = try VaultCreation(engine: self, purpose: purpose).create()
        return try install(session)
    }

    /// Where the disk is too full for a companion, other processes could not be told of a write.
    private func refuseUnannounced(_ session: VaultSession) throws(StorageFault) {
        do throws(StorageFault) {
            _ = try CompanionFile.open(session.location.companion, fileSystem)
        } catch {
            if case .unavailable(.noSpace, _) = error { throw error }
        }
    }

    /// Why a vault could only be opened for reading.
    func unwritable(_ session: VaultSession) throws(StorageFault) -> StorageFault {
        let location = try location()
        do throws(SystemError) {
            fileSystem.close(try fileSystem.open(location.vault, .readWrite))
            return .unavailable(.readOnly)
        } catch {
            return error.fault
        }
    }

    /// Reads what others wrote since; cheap when nobody did.
    ///
    /// The caller holds the file's lock and the state.
    ///
    /// - Returns: `false` when the file holds another log by now, put there by a program that knows nothing of locks.
    private func catchUp(_ session: VaultSession) throws(StorageFault) -> Bool {
        guard session.isLastFrameInPlace else { return false }
        let isKnown = session.companion.map { $0.word() ?? 0 == session.word } ?? true
        if session.isRoomKnown {
            if isKnown, session.readTailBlock() == session.tailBlock { return true }
            if try session.readPublished(log: options.log), session.isTailUnchanged { return true }
        }
        if let record = session.companion?.record(session.keys) {
            guard !session.isAbout(record) || record.headerSequence <= session.header.headerSequence else {
                return false
            }
        }
        try VaultCatchUp(options: options).run(session, fromStart: false)
        return true
    }

    /// Makes a commit durable, then known.
    ///
    /// The caller holds the file's lock. Where nothing can be appended to the file, or the disk has no room for it, the
    /// entries go to a new file first.
    func append(_ commit: Commit, to held: HeldVault) throws(StorageFault) {
        guard !commit.isEmpty else { return }
        var commit = commit
        if held.session.isPoisoned {
            do throws(StorageFault) {
                try VaultRewriting(engine: self, patience: .zero).run(holding: held)
            } catch {
                throw .unavailable(.ioError, error.code)
            }
            commit.move(to: held.session)
        }
        do throws(StorageFault) {
            try append(commit, to: held.session)
        } catch {
            guard case .unavailable(.noSpace, _) = error, makeRoom(for: commit.size, in: held) else { throw error }
            commit.move(to: held.session)
            try append(commit, to: held.session)
        }
    }

    private func append(_ commit: Commit, to session: VaultSession) throws(StorageFault) {
        // Growing moves the table, which readers look at.
        try state.write { (_) throws(StorageFault) in try session.table.makeRoom(for: commit.count) }
        let (bytes, result) = try commit.sealed(randomness: options.randomness)
        let reserve = commit.isRemoval ? 0 : VaultAppend.reserve(for: session.table.count + commit.count)
        try VaultAppend(fileSystem: fileSystem, session: session).write(bytes, reserve: reserve)
        try state.write { (_) throws(StorageFault) in
            unsafe bytes.withUnsafeBytes { unsafe session.bytes.append($0, at: session.position.offset) }
            for item in result.items { session.table.apply(item) }
            session.position = result.end
            session.tailBlock = VaultSession.emptyBlock
            guard let companion = session.companion else { return }
            let word = session.word &+ 1
            do throws(StorageFault) {
                try companion.publish(session.record(word: word), session.keys)
                session.word = word
            } catch {
                // It is on the disk, and other processes cannot be told: the outcome is not the one that was promised.
                throw .unavailable(.notConfirmed, error.code)
            }
        }
    }
}

extension StorageFault {
    /// The code that a fault carries.
    var code: StatusCode {
        if case .unavailable(_, let code) = self { code } else { .none }
    }
}

extension WriteRequest {
    /// Whether it puts something where nothing was.
    fileprivate var makesVault: Bool {
        switch self {
        case .set: true
        case .compareAndSet(_, let expected, let new): expected == nil && new != nil
        case .delete, .deleteAll, .alone: false
        }
    }
}
