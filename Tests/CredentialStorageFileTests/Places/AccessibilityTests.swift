import CredentialStorage
import CredentialStorageFile
import CredentialStorageSealing
import Foundation
import Testing

@Suite("A vault that is closed while the session is locked", .timeLimit(.minutes(2)))
struct AccessibilityTests {
    /// A session that a test locks.
    private final class Session: SessionState {
        enum State { case open, locked, unknown }

        struct Trouble: Error {}

        let state = Locked(State.open)
        let questions: AsyncStream<Void>
        private let asked: AsyncStream<Void>.Continuation

        // What nobody waits for is no news later.
        init() { (questions, asked) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(0)) }

        func isLocked() throws -> Bool {
            asked.yield()
            switch state.withLock({ $0 }) {
            case .open: return false
            case .locked: return true
            case .unknown: throw Trouble()
            }
        }
    }

    private let vault: TestVault
    private let session = Session()

    init() throws {
        vault = try TestVault(isMade: false)
        try writeFile(vault.root + "/machine-id", Array("0123456789abcdef0123456789abcdef\n".utf8))
    }

    private var builder: StorageBuilder.EncryptedFile {
        vault.builder.machineID(at: vault.root + "/machine-id").accessibility(.whenUnlockedThisDeviceOnly)
    }

    @Test("while it is locked, or nobody can tell, everything is refused and nothing changes; then all is there again")
    func closed() throws {
        let builder = builder.sessionState(session)
        let store = builder.build()
        try store.create()
        try store.set("value", forKey: "name")
        #expect(try store.protection.accessibility == .whenUnlockedThisDeviceOnly)
        for (state, category) in [
            (Session.State.locked, UnavailableCategory.sessionLocked), (.unknown, .sessionStateUnknown),
        ] {
            session.state.withLock { $0 = state }
            try KeySourceTests.expect(KeySourceTests.unavailable(category), of: builder, vault, "\(category)")
            // The one that was open is closed as well.
            #expect(failure { try store.get("name") }?.category == category)
            #expect(failure { try store.addKey(.keyFile(vault.root + "/b")) }?.category == category)
            #expect(store.probe().reason?.category == category)
            #expect(store.probe().isLocked == (state == .locked ? true : nil))
            #expect(access(vault.root + "/b", F_OK) != 0)
        }
        session.state.withLock { $0 = .open }
        #expect(try store.string(forKey: "name") == "value")
        #expect(store.probe() == .usable)
    }

    @Test("a first start under a locked session, or without a way to know, makes nothing")
    func firstStart() throws {
        session.state.withLock { $0 = .locked }
        for (store, category) in [
            (builder.sessionState(session).build(), UnavailableCategory.sessionLocked),
            (builder.build(), .sessionStateUnknown),
        ] {
            #expect(failure { try store.set("value", forKey: "name") }?.category == category)
            #expect(failure { try store.create() }?.category == category)
            #expect(failure { try store.get("name") }?.category == category)
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: vault.directory).isEmpty)
        #expect(access(vault.keyPath, F_OK) != 0)
    }

    @Test("a wait ends when the session is unlocked, and by an error when nobody can tell any more")
    func waiting() async throws {
        let store = builder.sessionState(session).build()
        try store.create()
        for (state, category) in [(Session.State.open, nil), (.unknown, UnavailableCategory.sessionStateUnknown)] {
            session.state.withLock { $0 = .locked }
            let wait = Task { () -> UnavailableCategory? in
                do { try await store.waitUntilAvailable() } catch { return (error as? StorageError)?.category }
                return nil
            }
            // It has seen the lock before anything changes.
            var questions = session.questions.makeAsyncIterator()
            await questions.next()
            session.state.withLock { $0 = state }
            #expect(await wait.value == category)
        }
        session.state.withLock { $0 = .locked }
        let cancelled = Task { try await store.waitUntilAvailable() }
        cancelled.cancel()
        #expect(await failure { try await cancelled.value }?.category == .cancelled)
    }

    @Test("the default level needs no session, and stays open while it is locked")
    func afterFirstUnlock() throws {
        session.state.withLock { $0 = .locked }
        let store = builder.accessibility(.afterFirstUnlockThisDeviceOnly).sessionState(session).build()
        try store.create()
        try store.set("value", forKey: "name")
        #expect(try store.string(forKey: "name") == "value")
        #expect(try store.protection.accessibility == .afterFirstUnlockThisDeviceOnly)
    }
}

private func failure<R>(_ body: () async throws -> R) async -> StorageError? {
    do {
        _ = try await body()
        return nil
    } catch {
        return error as? StorageError
    }
}
