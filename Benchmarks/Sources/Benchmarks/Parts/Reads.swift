internal import CBenchmarkPeers
internal import CredentialStorage
internal import CredentialStorageFile
internal import FoundationEssentials

/// How many reads one sample holds.
private let block = 16

/// Reads by name from stores that were opened long ago.
func measureReads(_ bench: Bench) throws {
    let workload = bench.workload
    let (names, length) = (workload.names, workload.valueBytes)
    let vault = try Vaults.make(workload, in: bench.directory)
    var contenders = readers(of: vault, as: .vault, bench)
    for subject in PeerStore.all(for: workload) {
        let peer = try makePeer(subject, workload, in: bench.directory)
        let walk = Walk(workload)
        contenders.append(
            Contender(point: bench.point(subject, .get), operations: block) {
                for _ in 0..<block { try peer.get(names[walk.next()], expecting: length) }
            })
    }
    try check(limit_sodium_ready() == 0, "libsodium is not ready")
    contenders.append(
        Contender(point: bench.point(.libsodium, .unseal), operations: block) {
            try check(limit_open(length, block) == 0, "libsodium does not open")
        })
    contenders.append(
        Contender(point: bench.point(.libsodium, .seal), operations: block) { limit_seal(length, block) })
    try bench.measure(contenders)

    let walks = [Walk(workload), Walk(workload, from: 4096)]
    for (threads, operation) in [(1, Operation.oneThread), (2, .twoThreads)] {
        try bench.report(
            crowd(
                bench.point(.vault, operation), threads: threads, for: bench.pace.turn * bench.pace.turns,
                operations: block
            ) { thread, _ in
                for _ in 0..<block { try readSecret(vault, names[walks[thread].next()], length) }
            })
    }
}

private func readSecret(_ store: some Storage, _ name: String, _ length: Int) throws {
    let read = try store.withSecret(forKey: name) { $0?.count ?? -1 }
    try check(read == length, "reads \(read) bytes, not \(length)")
}

private func readers(of store: some Storage, as subject: Subject, _ bench: Bench) -> [Contender] {
    let (names, length) = (bench.workload.names, bench.workload.valueBytes)
    let walks = [Walk(bench.workload), Walk(bench.workload)]
    return [
        Contender(point: bench.point(subject, .withSecret), operations: block) {
            for _ in 0..<block { try readSecret(store, names[walks[0].next()], length) }
        },
        Contender(point: bench.point(subject, .get), operations: block) {
            for _ in 0..<block { try check(store.get(names[walks[1].next()])?.count == length, "reads wrongly") }
        },
    ]
}

/// Reads from the store in memory, beside a dictionary.
func measureMemoryStore(_ bench: Bench) throws {
    let workload = bench.workload
    let (names, length) = (workload.names, workload.valueBytes)
    let store = StorageBuilder.InMemory().build()
    var dictionary: [String: [UInt8]] = [:]
    for number in 0..<workload.entries {
        let value = workload.value(number)
        try store.set(value, forKey: names[number])
        dictionary[names[number]] = [UInt8](value)
    }
    let walk = Walk(workload)
    let room = UnsafeMutableRawBufferPointer.allocate(byteCount: length, alignment: 16)
    defer { room.deallocate() }
    let bare = Contender(point: bench.point(.dictionary, .get), operations: block) {
        for _ in 0..<block {
            guard let value = dictionary[names[walk.next()]] else { throw Failure("an entry is missing") }
            room.copyBytes(from: value)
        }
    }
    try bench.measure(readers(of: store, as: .memory, bench) + [bare])
}

/// Reads of everything at once.
func measureBulk(_ bench: Bench) throws {
    let workload = bench.workload
    let (count, length) = (workload.entries, workload.valueBytes)
    let vault = try Vaults.make(workload, in: bench.directory)
    var contenders = [
        Contender(point: bench.point(.vault, .readAll), entries: count) {
            try check(vault.readAll().entries.count == count, "readAll is not complete")
        },
        Contender(point: bench.point(.vault, .getAll), entries: count) {
            try check(vault.getAll().count == count, "getAll is not complete")
        },
    ]
    for subject in PeerStore.all(for: workload) {
        let peer = try makePeer(subject, workload, in: bench.directory)
        contenders.append(
            Contender(point: bench.point(subject, .readAll), entries: count) { try peer.readAll(expecting: count) })
    }
    try check(limit_sodium_ready() == 0, "libsodium is not ready")
    contenders.append(
        Contender(point: bench.point(.libsodium, .unseal), operations: block) {
            try check(limit_open(length, block) == 0, "libsodium does not open")
        })
    try bench.measure(contenders)
    try bench.report(
        crowd(
            bench.point(.libsodium, .unsealTwoThreads), threads: 2, for: bench.pace.turn * bench.pace.turns,
            operations: block
        ) { _, _ in try check(limit_open(length, block) == 0, "libsodium does not open") })
}
