internal import CredentialStorage
internal import CredentialStorageSealing

extension VaultEngine {
    /// Changes what the header says, and nothing else.
    ///
    /// - Parameters:
    ///   - change: Makes the new header from the present one, which is proven, and the master key.
    ///   - refused: Is told of a failure, while the lock is still held.
    /// - Throws: `conflict` when there is no vault; `notConfirmed` when nobody can tell whether the change happened.
    func changeHeader(
        _ change: (VaultHeader, SharedSecret) throws(StorageFault) -> VaultHeader,
        ifRefused refused: (StorageFault) -> Void = { _ in }
    ) throws(StorageFault) {
        try queue.alone { () throws(StorageFault) in
            try withWriterLock(creating: nil) { (held) throws(StorageFault) in
                do throws(StorageFault) {
                    guard let held else { throw .conflict }
                    try held.session.checkPrivate()
                    if held.session.isPoisoned {
                        try VaultRewriting(engine: self, patience: .zero).run(holding: held)
                    }
                    try changeHeader(of: held.session, change)
                } catch {
                    refused(error)
                    throw error
                }
            }
        }
    }

    private func changeHeader(
        of session: VaultSession,
        _ change: (VaultHeader, SharedSecret) throws(StorageFault) -> VaultHeader
    ) throws(StorageFault) {
        let (present, masterKey) = (try provenHeader(session), session.masterKey)
        var next = try change(present, masterKey)
        next.headerSequence = present.headerSequence &+ 1
        // The box of the data key is bound to the length of the header.
        let dataKey = try SlotCrypto.unwrapDataKey(present, masterKey: masterKey.bytes)
        try SlotCrypto.wrapDataKey(dataKey, into: &next, masterKey: masterKey.bytes, randomness: options.randomness)
        guard next.length <= UnfinishedVault.markPlace else { throw .unsupported }
        try write(next, replacing: present, to: session)
    }

    private func write(
        _ next: VaultHeader,
        replacing present: VaultHeader,
        to session: VaultSession
    ) throws(StorageFault) {
        // A rename that is not on the disk yet could bring back another file, with another header.
        try VaultAppend(fileSystem: fileSystem, session: session).syncDirectoryOnce()
        let copies = HeaderCopies(fileSystem: fileSystem, file: session.file)
        let outcome: HeaderCopies.Outcome
        do throws(StorageFault) {
            let key = session.masterKey
            outcome = try copies.write(
                try SlotCrypto.encode(next, masterKey: key.bytes),
                replacing: try SlotCrypto.encode(present, masterKey: key.bytes))
        } catch {
            session.wantsHeaderMended = true
            throw error
        }
        state.write { _ in
            session.header = next
            session.slot = next.slots.first { $0.id == session.slot.id } ?? next.slots[0]
        }
        announce(session)
        if case .oneCopy(let error) = outcome {
            // A key that was removed may open the older copy until a writer makes both the same.
            session.wantsHeaderMended = true
            throw .unavailable(.notConfirmed, .errno(error.number))
        }
    }

    /// The header that counts in the file now; another process may have changed it.
    func provenHeader(_ session: VaultSession) throws(StorageFault) -> VaultHeader {
        let copies = try VaultUnlocking.readCopies(session.file, fileSystem)
        let candidates = try VaultUnlocking.candidates(copies)
        guard let proven = try VaultUnlocking.first(of: candidates, under: session.masterKey) else { throw .damaged }
        return proven.header
    }

    /// Makes both copies of the header the same again: somebody was stopped between them, or one is damaged.
    ///
    /// The caller holds the file's lock. Only the copy that does not count is written.
    func mendHeader(_ session: VaultSession) {
        session.wantsHeaderMended = false
        do throws(StorageFault) {
            let findings = try VaultUnlocking.readCopies(session.file, fileSystem)
            let candidates = try VaultUnlocking.candidates(findings)
            let proven = try VaultUnlocking.first(of: candidates, under: session.masterKey)
            guard let proven, proven.header == session.header else { return }
            let bytes = try SlotCrypto.encode(proven.header, masterKey: session.masterKey.bytes)
            let copies = HeaderCopies(fileSystem: fileSystem, file: session.file)
            for (number, finding) in findings.enumerated() where finding != .sound(proven) {
                try faulting { () throws(SystemError) in try copies.put(bytes, copy: number) }
            }
        } catch {
            options.log.warning("one of the two copies of the header could not be mended")
        }
    }
}
