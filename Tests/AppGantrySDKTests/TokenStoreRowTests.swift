import CredentialStorage
import CredentialStorageFile
import CredentialStorageSealing
import CredentialTestSupport
import Foundation
import FoundationNetworking
import Testing

@testable import AppGantrySDK
@testable import CredentialStorageAutomatic

/// The rows about the token store, over memory and files.
@Suite("The token's store", .serialized, .timeLimit(.minutes(3)))
struct TokenStoreRowTests {
    private let server: UpdateServer

    init() throws { server = try UpdateServer() }

    private func vault(_ directory: String, key: UInt8 = 7) throws -> EncryptedFileStorage {
        let keys = StorageBuilder.InMemory().build()
        try keys.set(Data(repeating: key, count: 32), forKey: "vault-key")
        return StorageBuilder.EncryptedFile(service: "org.example.updates").path("\(directory)/credentials.vault")
            .keySource(.entry("vault-key", in: keys)).log(.silent).build()
    }

    @Test("T4, T27: a store of one's own sees every step, and nothing is kept elsewhere")
    func onlyStore() async throws {
        let store = RecordingTokenStore()
        var configuration = server.configuration()
        // A name that no store would take: the automatic one is not even asked.
        configuration.service = "-"
        let client = AppGantryUpdates(configuration: configuration, session: .shared, tokenStore: store)
        _ = try await client.checkForUpdate()
        _ = try await client.checkForUpdate()
        #expect(store.events == ["load", "load", "save token-1", "load"])
        #expect(client.tokenBackend == nil)
    }

    @Test("T6, T23, T24, T25: the default store is durable, under the service's name, and bound to this machine")
    func defaultStore() async throws {
        let client = AppGantryUpdates(configuration: server.configuration())
        let tokens = try #require(client.keeper.place.store as? StorageTokenStore<AutomaticStorage>)
        let automatic = try #require(tokens.tokenStorage as? AutomaticStorage)
        #expect(automatic.chooser.options.service == "org.example.updates")
        #expect(automatic.chooser.options.policy == .durable)
        #expect(!AutomaticPolicy.durable.allowed.contains(.memory))
        #expect(automatic.chooser.options.accessibility == .afterFirstUnlockThisDeviceOnly)
        #expect(client.coordination == .machine)
    }

    @Test("T25: a copy of the store on another machine is unreadable, and no reason to enrol")
    func anotherMachine() async throws {
        let directory = try TemporaryDirectory().path
        let keys = StorageBuilder.InMemory().build()
        try await keys.set(Data(repeating: 7, count: 32), forKey: "vault-key")
        let builder = StorageBuilder.EncryptedFile(service: "org.example.updates")
            .path("\(directory)/credentials.vault").keySource(.entry("vault-key", in: keys))
            .accessibility(.afterFirstUnlockThisDeviceOnly).log(.silent)
        try StorageTokenStore(builder.build()).save(SDKInstallToken(value: "held"))
        try Data("0123456789abcdef0123456789abcdef\n".utf8).write(to: URL(fileURLWithPath: directory + "/machine-id"))
        let elsewhere = builder.machineID(at: directory + "/machine-id").build()
        let client = server.client(StorageTokenStore(elsewhere))
        let error = await failure { try await client.checkForUpdate() }
        guard case .storage(let inner) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(inner.category == .keySourceUnavailable)
        #expect(try await server.calls().isEmpty)
    }

    @Test("T18: a token that cannot be stored fails its call, serves this process, and is stored when that works")
    func failedSave() async throws {
        let log = LogRecorder()
        let store = RecordingTokenStore()
        let time = Locked(ContinuousClock.now)
        let client = APIClient(server.configuration(), URLSessionTransport(.shared))
        let keeper = TokenKeeper(TokenPlace(store), client, log: log.log()) { time.withLock { $0 } }
        let check = {
            try await keeper.call { token throws(RequestFailure) in
                try await client.call(client.configuration.deployment.appMetadata, AppMetadata.self, token: token)
            }
        }
        store.breaks("save")
        let foreign = StorageError.unavailable(operation: .write, category: .foreign, code: .none)
        #expect(await failure(check) == .storage(.writeError(cause: foreign)))
        for _ in 0..<3 { #expect(try await check().name == "Example") }
        time.withLock { $0 += .seconds(60) }
        #expect(try await check().name == "Example")
        #expect(try await server.issued() == 1)
        #expect(log.warnings.filter { $0.contains("could not be stored") }.count == 1)
        #expect(store.events.filter { $0 == "save token-1" }.count == 2)
        #expect(try await server.requests().last?.authorization == "Bearer token-1")
        store.breaks()
        time.withLock { $0 += .seconds(60) }
        _ = try await check()
        #expect(try store.load()?.value == "token-1")
        #expect(try await server.issued() == 1)
    }

    @Test("T18: an unstored token that is refused is replaced, and not by the older one that the store still has")
    func unstoredTokenRefused() async throws {
        let store = RecordingTokenStore("old")
        let client = server.client(store)
        store.breaks("save")
        _ = await failure { try await client.checkForUpdate() }
        try await server.set(#"{"valid": []}"#)
        // The new token cannot be stored either, so that this call fails too, and the next has it.
        let error = await failure { try await client.checkForUpdate() }
        guard case .storage = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        _ = try await client.checkForUpdate()
        #expect(try await server.requests().last?.authorization == "Bearer token-2")
        #expect(try await server.issued() == 2)
    }

    @Test("T18: who was overtaken while the store failed takes the stored token")
    func overtakenWhileUnstored() async throws {
        let store = RecordingTokenStore()
        let time = Locked(ContinuousClock.now)
        let client = APIClient(server.configuration(), URLSessionTransport(.shared))
        let keeper = TokenKeeper(TokenPlace(store), client, log: .silent) { time.withLock { $0 } }
        store.breaks("save")
        _ = await keeper.change(.replacement([]))
        store.breaks()
        try store.save(SDKInstallToken(value: "theirs"))
        time.withLock { $0 += .seconds(60) }
        let used = try await keeper.call { token throws(RequestFailure) in token.value }
        #expect(used == "theirs")
        #expect(try store.load()?.value == "theirs")
    }

    @Test("T20, T30: a store that cannot be read is an error, never an enrolment")
    func unreadableStore() async throws {
        let store = RecordingTokenStore("held")
        store.breaks("load")
        let client = server.client(store)
        let foreign = StorageError.unavailable(operation: .read, category: .foreign, code: .none)
        let expected = SDKError.storage(.readError(cause: foreign))
        for call in Call.allCases {
            #expect(await failure { try await call.make(client) } == expected)
        }
        #expect(await failure { try await client.enroll() } == expected)
        #expect(await failure { try await client.refresh() } == expected)
        #expect(try await server.calls().isEmpty)
    }

    @Test("T20, T30: the wrong key, and a damaged entry, are errors, never an enrolment")
    func unreadableVault() async throws {
        let directory = try TemporaryDirectory().path
        try StorageTokenStore(vault(directory)).save(SDKInstallToken(value: "held"))
        let wrong = server.client(StorageTokenStore(try vault(directory, key: 8)))
        let error = await failure { try await wrong.checkForUpdate() }
        #expect(error == .storage(.readError(cause: .wrongKey)))
        let right = try vault(directory)
        try await right.set(Data("no token".utf8), forKey: "install-token")
        let damaged = server.client(StorageTokenStore(right))
        let second = await failure { try await damaged.checkForUpdate() }
        #expect(second == .storage(.readError(cause: .undecryptable(.damaged))))
        #expect(try await server.calls().isEmpty)
    }

    @Test("T19, T21, T22: a token in a file is replaced, removed, and removed again; the client enrols afterwards")
    func fileStore() async throws {
        let storage = try vault(try TemporaryDirectory().path)
        let store: any TokenStore = StorageTokenStore(storage)
        let client = server.client(store)
        _ = try await client.checkForUpdate()
        try await client.enroll()
        #expect(try store.load()?.value == "token-2")
        #expect(try await storage.keys() == ["install-token"])
        try store.clear()
        try store.clear()
        #expect(try store.load() == nil)
        _ = try await client.checkForUpdate()
        #expect(try store.load()?.value == "token-3")
        #expect(client.tokenBackend == .file)
        #expect(client.coordination == .machine)
    }

    @Test("T26, T28: memory is used only where it is named, and then there is one warning and a property that says so")
    func memory() async throws {
        let log = LogRecorder()
        let client = server.client(InMemoryTokenStore(), log: log.log())
        _ = try await client.checkForUpdate()
        try await client.enroll()
        #expect(log.warnings == ["the token is kept in memory only, and ends with this process"])
        #expect(client.tokenBackend == .memory)
        #expect(client.coordination == .process)
    }

    @Test("T28: a store that is not atomic says so once, and keeps no winner from its place")
    func plainStore() async throws {
        let log = LogRecorder()
        let store = PlainTokenStore("old")
        let configuration = server.configuration(log: log.log())
        // Somebody else, in another process, stores a token while this one enrols.
        let transport = ScriptedTransport { request in
            guard request.url.path.hasSuffix("enroll") else { return (401, [], Answer.uniform) }
            try store.save(SDKInstallToken(value: "theirs"))
            return (201, [], #"{"token": "mine"}"#)
        }
        let client = AppGantryUpdates(configuration: configuration, transport: transport, tokenStore: store)
        #expect(
            await failure { try await client.checkForUpdate() }?.isUnauthorized == true)
        #expect(try store.load()?.value == "theirs")
        #expect(log.warnings.count == 1)
        #expect(client.coordination == .process)
    }

    @Test("T17: who loses a race takes the winner's token, and leaves it where it is")
    func loser() async throws {
        let store = InMemoryTokenStore()
        try store.save(SDKInstallToken(value: "old"))
        // Somebody who does not use the lock stores a token while this one enrols.
        let transport = ScriptedTransport { request in
            if request.url.path.hasSuffix("enroll") {
                try store.save(SDKInstallToken(value: "theirs"))
                return (201, [], #"{"token": "mine"}"#)
            }
            let isTheirs = request.headers.contains { $0.value == "Bearer theirs" }
            return isTheirs ? (200, [], #"{"updateAvailable": true}"#) : (401, [], Answer.uniform)
        }
        let client = AppGantryUpdates(
            configuration: server.configuration(), transport: transport, tokenStore: store)
        #expect(try await client.checkForUpdate().updateAvailable)
        #expect(try store.load()?.value == "theirs")
    }

    @Test("T29: an HTTP session can be given, and its configuration is used")
    func session() async throws {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.httpAdditionalHeaders = ["Cookie": "given=1"]
        let session = URLSession(configuration: configuration)
        let client = AppGantryUpdates(
            configuration: server.configuration(), session: session, tokenStore: InMemoryTokenStore())
        _ = try await client.checkForUpdate()
        #expect(try await server.requests().allSatisfy { $0.cookie == "given=1" })
    }
}
