internal import CredentialStorage
internal import CredentialStorageFile

/// Opens a store and reads one entry: with a fresh object, and in a fresh process.
func measureOpening(_ bench: Bench) throws {
    let workload = bench.workload
    let (directory, length) = (bench.directory, workload.valueBytes)
    try Vaults.make(workload, in: directory).close()
    // SQLCipher derives a key of its own for each database; with a raw key that is quick.
    for subject in PeerStore.all(for: workload) { _ = try makePeer(subject, workload, in: directory) }
    let name = workload.names[workload.entries / 2]

    var vault: EncryptedFileStorage?
    var contenders = [
        Contender(
            point: bench.point(.vault, .open),
            prepare: {
                vault?.close()
                vault = nil
            },
            work: {
                let opened = Vaults.open(in: directory)
                vault = opened
                try check(opened.get(name)?.count == length, "the vault does not read")
            })
    ]
    for subject in PeerStore.all(for: workload) {
        // Closing it is no part of opening the next one.
        let last = Shared<PeerStore?>(nil)
        contenders.append(
            Contender(
                point: bench.point(subject, .open), prepare: { last.with { $0 = nil } },
                work: {
                    let opened = try PeerStore(subject, in: directory + "/" + subject.folder)
                    last.with { $0 = opened }
                    try opened.get(name, expecting: length)
                }))
    }
    try bench.measure(contenders)

    for subject in [.vault] + PeerStore.all(for: workload) {
        var samples = Samples()
        for _ in 0..<(bench.isQuick ? 7 : 21) {
            let time = try runSubject("open", subject, bench)
            samples.add(UInt64(time))
        }
        try bench.report(samples.measurement(bench.point(subject, .openProcess)))
    }
}

/// The size of the files, and the memory of a process that works with them.
func measureSize(_ bench: Bench) throws {
    let workload = bench.workload
    let vault = try Vaults.make(workload, in: bench.directory)
    try vault.compact()
    vault.close()
    try bench.report(.vault, .size, Double(bytes(of: Vaults.file(in: bench.directory))))
    for subject in PeerStore.all(for: workload) {
        _ = try makePeer(subject, workload, in: bench.directory)
        try bench.report(subject, .size, Double(bytes(in: bench.directory + "/" + subject.folder)))
    }
    for subject in [.vault] + PeerStore.all(for: workload) {
        try bench.report(subject, .memory, runSubject("memory", subject, bench))
        try bench.report(subject, .wholeMemory, runSubject("whole-memory", subject, bench))
    }
}

/// Lets a fresh process of this program do something with a store, and gives the number that it prints.
private func runSubject(_ what: String, _ subject: Subject, _ bench: Bench) throws -> Double {
    let size = [String(bench.workload.entries), String(bench.workload.valueBytes)]
    var number: Double?
    try runProgram([ownProgram, "subject", what, subject.rawValue, bench.directory] + size, within: 60) {
        number = Double($0)
    }
    guard let number else { throw Failure("\(subject.rawValue), \(what): no answer") }
    return number
}

/// The fresh process.
func beSubject(_ arguments: [String]) throws {
    guard arguments.count == 5, let subject = Subject(rawValue: arguments[1]), let entries = Int(arguments[3]),
        let length = Int(arguments[4])
    else { throw Failure("subject WHAT SUBJECT DIRECTORY ENTRIES BYTES") }
    let directory = arguments[2]
    let name = Workload.name(entries / 2)
    if subject != .vault { try PeerStore.load(subject) }
    let before = residentBytes()
    let start = now()
    let read = try opened(subject, in: directory, length)
    try read(name)
    let time = now() - start
    if arguments[0] == "open" { return say(String(time)) }
    // Spread over the store, each read once.
    for number in stride(from: 0, to: entries, by: max(1, entries / 10_000)) { try read(Workload.name(number)) }
    say(String(arguments[0] == "memory" ? max(0, residentBytes() - before) : residentBytes()))
}

private func opened(_ subject: Subject, in directory: String, _ length: Int) throws -> (String) throws -> Void {
    guard subject == .vault else {
        let peer = try PeerStore(subject, in: directory + "/" + subject.folder)
        return { try peer.get($0, expecting: length) }
    }
    let vault = Vaults.open(in: directory)
    return { name in
        let read = try vault.withSecret(forKey: name) { $0?.count ?? -1 }
        try check(read == length, "the vault reads \(read) bytes, not \(length)")
    }
}
