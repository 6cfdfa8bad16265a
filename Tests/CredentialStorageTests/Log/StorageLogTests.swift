internal import CredentialStorage
internal import CredentialTestSupport
internal import FoundationEssentials
internal import Testing

@Suite("Logs", .timeLimit(.minutes(10)))
struct StorageLogTests {
    private func collecting(
        _ minimumLevel: StorageLog.Level,
        tag: String = StorageLog.storageTag
    ) -> (StorageLog, Locked<[StorageLog.Record]>) {
        let records = Locked<[StorageLog.Record]>([])
        let log = StorageLog(tag: tag, minimumLevel: minimumLevel) { record in
            records.withLock { $0.append(record) }
        }
        return (log, records)
    }

    @Test("records below the minimum level are dropped", arguments: StorageLog.Level.allCases)
    func levels(minimum: StorageLog.Level) {
        let (log, records) = collecting(minimum)
        for level in StorageLog.Level.allCases { log.record(level, "message") }
        #expect(records.withLock { $0.map(\.level) } == StorageLog.Level.allCases.filter { $0 >= minimum })
    }

    @Test("a record has the log's tag, the message and the entry's name")
    func contents() throws {
        let (log, records) = collecting(.debug, tag: "TAG")
        log.warning("message", entry: "name")
        log.debug("other")
        let all = records.withLock { $0 }
        #expect(all.map(\.tag) == ["TAG", "TAG"])
        #expect(all.map(\.message) == ["message", "other"])
        #expect(all.map(\.entry) == ["name", nil])
    }

    @Test("the default tag is the documented one")
    func tag() {
        #expect(StorageLog.storageTag == "HAAPI_DRIVER_STORAGE")
        #expect(StorageLog.default.tag == StorageLog.storageTag)
        #expect(StorageLog { _ in }.tag == StorageLog.storageTag)
        #expect(StorageLog { _ in }.minimumLevel == .warning)
    }

    @Test("levels are ordered from debug to error")
    func order() {
        #expect(StorageLog.Level.allCases == [.debug, .info, .warning, .error])
        #expect(StorageLog.Level.allCases.sorted() == StorageLog.Level.allCases)
    }

    @Test("getAll logs one warning for each omission, with its name, and one for each loss")
    func omissions() throws {
        let (log, records) = collecting(.debug)
        let bulk = BulkRead(
            entries: [Entry(key: "good", value: Data([1]))],
            omitted: [OmittedEntry(key: "bad", reason: .damaged), OmittedEntry(key: nil, reason: .damaged)], lost: 1)
        let all = try FixedStorage(bulk: bulk, log: log).getAll()
        #expect(all == ["good": Data([1])])
        let found = records.withLock { $0 }
        #expect(found.map(\.level) == [.warning, .warning, .warning])
        #expect(found.map(\.entry) == ["bad", nil, nil])
        #expect(found.allSatisfy { $0.tag == StorageLog.storageTag })
    }

    @Test("a store reports to the log that its builder was given")
    func builder() {
        let (log, _) = collecting(.debug, tag: "MINE")
        #expect(StorageBuilder.InMemory().log(log).build().log.tag == "MINE")
        #expect(StorageBuilder.InMemory().build().log.tag == StorageLog.storageTag)
    }

    @Test("the default log is silent until a sink is installed, and the first sink stays")
    func installation() async throws {
        // In a process of its own: the sink is installed once for the life of a process.
        let result = try await Subject.run("default-log")
        #expect(result.status == 0, "\(result.output)")
        #expect(result.output == "first: warning HAAPI_DRIVER_STORAGE after\n")
    }
}

/// Answers one bulk read.
private struct FixedStorage: Storage {
    let bulk: BulkRead
    let log: StorageLog

    func get(_ key: String) throws -> Data? { bulk[key: key] }
    func set(_ value: Data, forKey key: String) throws { throw StorageError.writeError(cause: .unsupported) }
    func delete(_ key: String) throws -> Bool { throw StorageError.deleteError(cause: .unsupported) }
    func readAll() throws -> BulkRead { bulk }
    func keys() throws -> [String] { bulk.entries.map(\.key) }
}
