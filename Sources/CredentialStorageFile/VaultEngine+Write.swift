internal import CredentialStorage
internal import CredentialStorageSealing
internal import Glibc

extension VaultEngine {
    /// Writes one request, together with those of other threads that wait at the same time.
    func write(_ request: WriteRequest) throws(StorageFault) -> Bool {
        try checkUsable()
        let ticket = WriteTicket(request)
        return try queue.perform(ticket) { group in lead(group) }
    }

    private func lead(_ group: [WriteTicket]) -> [Result<Bool, StorageFault>] {
        var results: [Result<Bool, StorageFault>] = []
        do throws(StorageFault) {
            let makes = group.contains { $0.request.makesVault }
            try withWriterLock(creating: makes ? .firstWrite : nil) { session throws(StorageFault) in
                guard let session else {
                    // Nothing to remove from, and nothing to compare with.
                    results = group.map { _ in .success(false) }
                    return
                }
                var commit = Commit(session)
                for ticket in group {
                    let before = commit
                    do throws(StorageFault) {
                        results.append(.success(try commit.stage(ticket.request)))
                    } catch {
                        commit = before
                        results.append(.failure(error))
                    }
                }
                try append(commit, to: session)
            }
        } catch {
            // What was staged and not written fails with it; what failed before keeps its own reason.
            let failed = results
            results = group.indices.map { index in
                if index < failed.count, case .failure = failed[index] { return failed[index] }
                return .failure(error)
            }
        }
        return results
    }

    /// Holds the file's lock while the body runs, with a session that knows everything that is in the file.
    ///
    /// The caller has the turn. A missing vault is made for the purpose given; without one the body gets no session.
    func withWriterLock<R>(
        creating purpose: KeyPurpose?,
        _ body: (VaultSession?) throws(StorageFault) -> R
    ) throws(StorageFault) -> R {
        let deadline = ContinuousClock.now + options.deadline
        while true {
            guard let session = try presentSession(creating: purpose) else { return try body(nil) }
            guard session.isWritable else { throw try unwritable(session) }
            try FileLock.wait(until: deadline) { () throws(SystemError) in
                try fileSystem.tryLock(session.file, shared: false)
            }
            defer { fileSystem.unlock(session.file) }
            if isSamePlace(session) {
                try state.write { (_) throws(StorageFault) in try catchUp(session) }
                return try body(session)
            }
            try reopen()
            guard ContinuousClock.now < deadline else { throw .unavailable(.lockTimedOut) }
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

    /// Why a vault could only be opened for reading.
    private func unwritable(_ session: VaultSession) throws(StorageFault) -> StorageFault {
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
    private func catchUp(_ session: VaultSession) throws(StorageFault) {
        let isKnown = session.companion.map { $0.word() ?? 0 == session.word } ?? true
        if isKnown, session.isTailUnchanged { return }
        if session.isLastFrameInPlace {
            if try session.readPublished(log: options.log), session.isTailUnchanged { return }
            let record = session.companion?.record(session.keys)
            if record == nil || record?.headerSequence == session.header.headerSequence {
                return try VaultCatchUp(options: options).run(session, fromStart: false)
            }
        }
        try VaultCatchUp(options: options).run(session, fromStart: true)
    }

    /// Makes a commit durable, then known.
    ///
    /// The caller holds the file's lock.
    func append(_ commit: Commit, to session: VaultSession) throws(StorageFault) {
        guard !commit.isEmpty else { return }
        guard !session.isPoisoned else { throw .unavailable(.ioError) }
        let (bytes, result) = try commit.sealed(randomness: options.randomness)
        try VaultAppend(fileSystem: fileSystem, session: session).write(bytes, isRemoval: commit.isRemoval)
        try state.write { (_) throws(StorageFault) in
            unsafe bytes.withUnsafeBytes { unsafe session.bytes.append($0, at: session.position.offset) }
            for item in result.items { session.table.apply(item) }
            session.position = result.end
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
    fileprivate var code: StatusCode {
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
