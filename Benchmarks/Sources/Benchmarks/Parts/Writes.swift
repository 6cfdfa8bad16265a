internal import CBenchmarkPeers
internal import CredentialStorage
internal import CredentialStorageFile
internal import FoundationEssentials

/// Durable writes: one after the other, from many threads, and in batches.
func measureWrites(_ bench: Bench) throws {
    let workload = bench.workload
    let vault = try filling(.vault, bench) { try Vaults.make(workload, in: bench.directory) }
    let peers = try PeerStore.all(for: workload).map { subject in
        try filling(subject, bench) { try makePeer(subject, workload, in: bench.directory) }
    }

    try measureOverwrites(bench, vault, peers)
    for (threads, operation) in [(8, Operation.overwrite8), (32, .overwrite32)] {
        try measureWriters(bench, vault, peers, threads: threads, operation)
    }
    try measureNewEntries(bench, vault, peers)
    try measureBatches(bench, vault, peers)
}

/// Makes a store of all entries, and tells how long that took.
private func filling<Store>(_ subject: Subject, _ bench: Bench, _ make: () throws -> Store) throws -> Store {
    var samples = Samples()
    let start = now()
    let store = try make()
    samples.add(now() - start)
    try bench.report(samples.measurement(bench.point(subject, .fill), entries: bench.workload.entries))
    return store
}

private func measureOverwrites(_ bench: Bench, _ vault: EncryptedFileStorage, _ peers: [PeerStore]) throws {
    let workload = bench.workload
    let names = workload.names
    var contenders: [Contender] = []
    func join(_ subject: Subject, _ set: @escaping (Data, String) throws -> Void) {
        let walk = Walk(workload)
        var value = Data()
        var stamp = 0
        contenders.append(
            Contender(
                point: bench.point(subject, .overwrite),
                prepare: {
                    stamp += 1
                    value = workload.value(stamp)
                }, work: { try set(value, names[walk.next()]) }))
    }
    join(.vault) { try vault.set($0, forKey: $1) }
    for peer in peers { join(peer.subject) { try peer.set($0, forKey: $1) } }

    // The value, and what seals, names and frames it.
    let record = workload.valueBytes + 136
    guard let log = limit_append_open(bench.directory + "/append", max(16 << 20, 64 * record), record) else {
        throw Failure("the file of zeros cannot be made")
    }
    defer { limit_append_close(log) }
    contenders.append(
        Contender(
            point: bench.point(.append, .append),
            work: { try check(limit_append(log) == 0, "the append failed") }))
    try bench.measure(contenders)
}

private func measureWriters(
    _ bench: Bench, _ vault: EncryptedFileStorage, _ peers: [PeerStore], threads: Int, _ operation: Operation
) throws {
    let names = bench.workload.names
    let values = (0..<64).map { bench.workload.value(1000 + $0) }
    let name = { @Sendable (thread: Int, turn: Int) in names[(thread * 7919 + turn * 31) % names.count] }
    let time = bench.pace.turn * bench.pace.turns * 2
    try bench.report(
        crowd(bench.point(.vault, operation), threads: threads, for: time) { thread, turn in
            try vault.set(values[turn & 63], forKey: name(thread, turn))
        })
    // One handle of the others must not be used by two threads at once.
    for peer in peers where peer.subject == .lmdb {
        try bench.report(
            crowd(bench.point(.lmdb, operation), threads: threads, for: time) { thread, turn in
                try peer.set(values[turn & 63], forKey: name(thread, turn))
            })
    }
}

/// Writes new entries, and deletes entries.
private func measureNewEntries(_ bench: Bench, _ vault: EncryptedFileStorage, _ peers: [PeerStore]) throws {
    let workload = bench.workload
    let value = workload.value(1)
    var inserting: [Contender] = []
    var deleting: [Contender] = []
    func join(
        _ subject: Subject, set: @escaping (String) throws -> Void, delete: @escaping (String) throws -> Void
    ) {
        var number = workload.entries
        var name = ""
        let next = {
            name = Workload.name(number)
            number += 1
        }
        inserting.append(
            Contender(point: bench.point(subject, .insert), prepare: next, work: { try set(name) }))
        deleting.append(
            Contender(
                point: bench.point(subject, .delete),
                prepare: {
                    next()
                    try set(name)
                }, work: { try delete(name) }))
    }
    join(.vault, set: { try vault.set(value, forKey: $0) }, delete: { try check(vault.delete($0), "was absent") })
    for peer in peers { join(peer.subject, set: { try peer.set(value, forKey: $0) }, delete: peer.delete) }
    try bench.measure(inserting)
    try bench.measure(deleting)
}

private func measureBatches(_ bench: Bench, _ vault: EncryptedFileStorage, _ peers: [PeerStore]) throws {
    let workload = bench.workload
    // A commit of the vault holds at most 64 MiB.
    guard workload.valueBytes <= 16 << 10 else { return }
    let changes = (0..<1000).map { (Workload.name($0), workload.value($0)) }
    var contenders = [
        Contender(point: bench.point(.vault, .batch), entries: 1000) {
            try vault.update { batch in
                for (name, value) in changes { try batch.set(value, forKey: name) }
            }
        }
    ]
    for peer in peers {
        contenders.append(
            Contender(point: bench.point(peer.subject, .batch), entries: 1000) {
                try peer.batch { for (name, value) in changes { try peer.set(value, forKey: name) } }
            })
    }
    try bench.measure(contenders)
}

/// The same write into a small vault and into a large one, side by side.
func measureFlatness(_ bench: Bench) throws {
    let contenders = try [10, bench.workload.entries].map { entries in
        let workload = Workload(entries: entries, valueBytes: bench.workload.valueBytes)
        let vault = try Vaults.make(workload, in: "\(bench.directory)/\(entries)")
        let walk = Walk(workload)
        var value = Data()
        var stamp = 0
        return Contender(
            point: Point(
                subject: .vault, operation: .overwriteFlat, entries: entries, valueBytes: workload.valueBytes),
            prepare: {
                stamp += 1
                value = workload.value(stamp)
            }, work: { try vault.set(value, forKey: workload.names[walk.next()]) })
    }
    try bench.measure(contenders)
}
