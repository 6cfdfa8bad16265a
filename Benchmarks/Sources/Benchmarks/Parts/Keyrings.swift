internal import CBenchmarkBus
internal import CredentialStorage
internal import CredentialStorageFile
internal import CredentialStorageSealing
internal import CredentialStorageSecretService
internal import FoundationEssentials
internal import Glibc

/// A patient store: at ten thousand entries the provider itself takes seconds.
private func patientStore() -> SecretServiceStorage {
    StorageBuilder.SecretService(service: "service").deadline(.seconds(120)).build()
}

/// The Secret Service store beside libsecret and plain calls, on one gnome-keyring.
func measureSecretService(_ bench: Bench) throws {
    let workload = bench.workload
    let keyring = try Keyring(workload, in: bench.directory, runtime: bench.runtime)
    let store = patientStore()
    defer { store.close() }
    try check(raw_find_paths(keyring.raw) == workload.entries, "the provider does not hold the entries")
    try measureSingleReads(bench, keyring, store)
    try measureBulkReads(bench, keyring, store)
    try measureKeyringWrites(bench, keyring, store)
}

private func measureSingleReads(_ bench: Bench, _ keyring: Keyring, _ store: SecretServiceStorage) throws {
    let (names, length) = (bench.workload.names, bench.workload.valueBytes)
    let walks = (0..<4).map { Walk(bench.workload, from: 100 * $0) }
    try bench.measure(
        at: bench.slowPace,
        [
            Contender(point: bench.point(.secretService, .get)) {
                try check(store.get(names[walks[0].next()])?.count == length, "the store reads wrongly")
            },
            Contender(point: bench.point(.secretService, .withSecret)) {
                let read = try store.withSecret(forKey: names[walks[1].next()]) { $0?.count }
                try check(read == length, "the store reads wrongly")
            },
            Contender(point: bench.point(.libsecret, .get)) {
                try check(libsecret_lookup(names[walks[2].next()]) == length, "libsecret reads wrongly")
            },
            Contender(point: bench.point(.rawBus, .get)) {
                try check(raw_get(keyring.raw, walks[3].next()) == length, "the plain call reads wrongly")
            },
            Contender(point: bench.point(.rawBus, .ping)) {
                try check(raw_ping(keyring.raw) == 0, "the provider does not answer")
            },
        ])
}

private func measureBulkReads(_ bench: Bench, _ keyring: Keyring, _ store: SecretServiceStorage) throws {
    let count = bench.workload.entries
    var fresh: SecretServiceStorage?
    var contenders = [
        Contender(
            point: bench.point(.secretService, .readAllFirst), entries: count,
            prepare: {
                fresh?.close()
                fresh = patientStore()
            }, work: { try check(fresh?.readAll().entries.count == count, "readAll is not complete") }),
        Contender(point: bench.point(.secretService, .readAll), entries: count) {
            try check(store.readAll().entries.count == count, "readAll is not complete")
        },
        Contender(point: bench.point(.rawBus, .readAll), entries: count) {
            try check(raw_get_all(keyring.raw) == count, "GetSecrets is not complete")
        },
    ]
    // At ten thousand libsecret gives nothing after half a minute, and leaves the provider busy.
    if count <= 1000 {
        contenders.append(
            Contender(point: bench.point(.libsecret, .readAll), entries: count) {
                try check(libsecret_search_all() == count, "libsecret's search is not complete")
            })
    }
    _ = try store.readAll()
    try bench.measure(at: Pace(turns: 1, turn: .zero, samples: bench.isQuick ? 1 : 3, warms: false), contenders)
    fresh?.close()
}

private func measureKeyringWrites(_ bench: Bench, _ keyring: Keyring, _ store: SecretServiceStorage) throws {
    let workload = bench.workload
    let names = workload.names
    // A vault of the same entries, whose key the keyring holds.
    try makeDirectory(bench.directory + "/held")
    let held = StorageBuilder.EncryptedFile(service: "benchmark").path(bench.directory + "/held/credentials.vault")
        .keySource(.entry("vault-key", in: store)).build()
    defer { held.close() }
    try held.create()
    try Vaults.fill(held, workload)

    var stamp = 1_000_000
    func contender(_ subject: Subject, _ operation: Operation, _ set: @escaping (Data, Int) throws -> Void) -> Contender
    {
        let walk = Walk(workload, from: stamp)
        var value = Data()
        return Contender(
            point: bench.point(subject, operation),
            prepare: {
                stamp += 1
                value = workload.value(stamp)
            }, work: { try set(value, walk.next()) })
    }
    func text(_ value: Data) -> String { String(decoding: value, as: UTF8.self) }
    try bench.measure(
        at: bench.slowPace,
        [
            contender(.secretService, .overwrite) { try store.set($0, forKey: names[$1]) },
            contender(.libsecret, .overwrite) {
                try check(libsecret_store(names[$1], text($0)) == 0, "libsecret does not write")
            },
            contender(.rawBus, .overwrite) {
                try check(raw_set(keyring.raw, $1, text($0)) == 0, "SetSecret failed")
            },
            contender(.rawBus, .createItem) {
                try check(raw_create(keyring.raw, names[$1], text($0)) == 0, "CreateItem failed")
            },
            contender(.heldVault, .overwrite) { try held.set($0, forKey: names[$1]) },
        ])
}

/// How long after its deadline a call ends when the provider has stopped.
func measureDeadline(_ bench: Bench) throws {
    let keyring = try Keyring(bench.workload, in: bench.directory, runtime: bench.runtime)
    let name = bench.workload.names[0]
    let deadline: UInt64 = 200_000_000
    let store = StorageBuilder.SecretService(service: "service").deadline(.milliseconds(200)).build()
    defer { store.close() }
    try check(store.get(name) != nil, "the store reads wrongly")
    let provider = raw_provider_process(keyring.raw)
    try check(provider > 0, "the provider has no process")
    kill(provider, SIGSTOP)
    defer { kill(provider, SIGCONT) }
    var samples = Samples()
    for _ in 0..<(bench.isQuick ? 3 : 10) {
        let start = now()
        var ended = false
        do { _ = try store.get(name) } catch { ended = error.category == .timedOut }
        let time = now() - start
        try check(ended, "the call did not end as timed out")
        samples.add(time > deadline ? time - deadline : 0)
    }
    try bench.report(samples.measurement(bench.point(.secretService, .overrun)))
}

/// libsecret's own encrypted file.
func measureLibsecretFile(_ bench: Bench) throws {
    setenv("SECRET_BACKEND", "file", 1)
    setenv("SECRET_FILE_TEST_PATH", bench.directory + "/secrets.keyring", 1)
    setenv("SECRET_FILE_TEST_PASSWORD", "benchmark", 1)
    let workload = bench.workload
    let text = { (stamp: Int) in String(decoding: workload.value(stamp), as: UTF8.self) }
    for (number, name) in workload.names.enumerated() {
        try check(libsecret_store(name, text(number)) == 0, "libsecret's file is not written")
    }
    let walk = Walk(workload)
    var value = ""
    var stamp = 1_000_000
    try bench.measure(
        at: bench.slowPace,
        [
            Contender(point: bench.point(.libsecretFile, .get)) {
                let read = libsecret_lookup(workload.names[walk.next()])
                try check(read == workload.valueBytes, "libsecret's file reads wrongly")
            },
            Contender(
                point: bench.point(.libsecretFile, .overwrite),
                prepare: {
                    stamp += 1
                    value = text(stamp)
                },
                work: {
                    try check(libsecret_store(workload.names[walk.next()], value) == 0, "libsecret does not write")
                }),
            Contender(point: bench.point(.libsecretFile, .readAll), entries: workload.entries) {
                try check(libsecret_search_all() == workload.entries, "libsecret's search is not complete")
            },
        ])
}

/// The two clients that Python programs use.
func measurePython(_ bench: Bench) throws {
    let keyring = try Keyring(bench.workload, in: bench.directory, runtime: bench.runtime)
    defer { withExtendedLifetime(keyring) {} }
    let script = URL(filePath: #filePath).appending(path: "../../../../Tools/python_peers.py").standardized.path
    for subject in [Subject.keyringPython, .secretStoragePython] {
        let command = ["/usr/bin/python3", "-B", script, subject.rawValue, String(bench.isQuick ? 0.3 : 1.5)]
        try runProgram(command, within: 120) { line in
            let words = line.split(separator: "\t").map(String.init)
            guard words.count == 3, let operation = Operation(rawValue: words[0]), let time = Double(words[1]) else {
                throw Failure("the Python program answered with something else")
            }
            try bench.report(
                Measurement(
                    point: bench.point(subject, operation), p50: time, p99: Double(words[2]) ?? time,
                    perSecond: 1e9 / time, samples: 1))
        }
    }
}

/// Whole programs that print one entry.
func measurePrograms(_ bench: Bench) throws {
    guard let credstore = bench.credstore else { throw Failure("there is no program credstore; see --credstore") }
    let keyring = try Keyring(bench.workload, in: bench.directory, runtime: bench.runtime)
    defer { withExtendedLifetime(keyring) {} }
    try Vaults.make(bench.workload, in: bench.directory).close()
    let name = bench.workload.names[bench.workload.entries / 2]
    let commands: [(Subject, [String])] = [
        (
            .credstore,
            [
                credstore, "--backend", "file", "--path", Vaults.file(in: bench.directory), "--key-file",
                Vaults.key(in: bench.directory), "get", name,
            ]
        ),
        (.secretTool, ["secret-tool", "lookup", "service", "service", "account", name]),
    ]
    var contenders: [Contender] = []
    for (subject, command) in commands {
        var printed = ""
        try runProgram(command, within: 20) { printed += $0 }
        try check(printed.utf8.count == bench.workload.valueBytes, "\(command[0]) printed something else")
        contenders.append(
            Contender(point: bench.point(subject, .program)) {
                try check(Child(command).wait() == 0, "\(command[0]) failed")
            })
    }
    try bench.measure(at: Pace(turns: 5, turn: .milliseconds(bench.isQuick ? 60 : 400)), contenders)
}
