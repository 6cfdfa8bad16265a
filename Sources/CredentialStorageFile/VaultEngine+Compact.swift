internal import CredentialStorage
internal import Synchronization

extension VaultSession {
    /// What replaced and removed entries take in the log.
    var waste: Int { position.offset - Int(header.logStart) - table.liveBytes }
}

extension VaultEngine {
    /// Waste below this is never worth a new file.
    private static let toleratedWaste = 128 << 10
    /// How long a compaction that nobody asked for waits for other processes.
    private static let patienceUnasked = Duration.milliseconds(100)

    /// Writes the vault anew without what was replaced and removed.
    func compact() throws(StorageFault) {
        try checkUsable()
        _ = try VaultRewriting(engine: self, patience: options.deadline).run { HeaderRenewal.none($0) }
    }

    /// Compacts once more of the file is waste than is in use.
    ///
    /// Called behind an answered write, whose success does not depend on it.
    func compactIfWasteful() {
        let sizes = state.read { state in state.session.map { (waste: $0.waste, live: $0.table.liveBytes) } }
        guard let sizes, sizes.waste > max(sizes.live, Self.toleratedWaste),
            sizes.waste >= nextCompaction.load(ordering: .relaxed),
            !isCompacting.exchange(true, ordering: .acquiring)
        else { return }
        defer { isCompacting.store(false, ordering: .releasing) }
        do throws(StorageFault) {
            _ = try VaultRewriting(engine: self, patience: Self.patienceUnasked).run { HeaderRenewal.none($0) }
            nextCompaction.store(0, ordering: .relaxed)
        } catch {
            // Not again for each write: only when there is much more to gain.
            nextCompaction.store(2 * sizes.waste, ordering: .relaxed)
            if error == .damaged { options.log.warning("the vault is not compacted, because it is damaged") }
        }
    }

    /// Makes room for a commit that the disk has none for, by leaving out what is waste.
    ///
    /// The caller holds the vault's lock.
    ///
    /// - Returns: Whether it is worth another try.
    func makeRoom(for size: Int, in held: HeldVault) -> Bool {
        guard held.session.waste >= size else { return false }
        do throws(StorageFault) {
            try VaultRewriting(engine: self, patience: .zero).run(holding: held)
            return true
        } catch {
            return false
        }
    }
}
