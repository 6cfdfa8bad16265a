import CredentialStorage
import Testing

@testable import AppGantrySDK

/// The state machine alone, without a store and a server.
@Suite("The lifecycle as a value")
struct TokenLifecycleTests {
    private static let old = SDKInstallToken(value: "old")
    private static let new = SDKInstallToken(value: "new")
    private static let theirs = SDKInstallToken(value: "theirs")
    private static let refusal = SDKError.api(status: 401, body: APIErrorBody(error: "a", message: "b"))
    private static let broken = SDKError.storage(.writeError(cause: .conflict))

    @Test("a call with a good token is one request")
    func goodToken() {
        var life = TokenLifecycle(.call)
        #expect(life.first == .read)
        #expect(life.handle(.read(.success(Self.old))) == .request(Self.old))
        #expect(life.handle(.answered) == .answer)
    }

    @Test("a call waits for a change once, whether the token was absent or refused")
    func once() {
        var life = TokenLifecycle(.call)
        #expect(life.handle(.read(.success(nil))) == .change(.replacement([])))
        #expect(life.handle(.changed(.success(Self.new))) == .request(Self.new))
        #expect(life.handle(.refused(Self.refusal)) == .fail(Self.refusal))

        life = TokenLifecycle(.call)
        #expect(life.handle(.read(.success(Self.old))) == .request(Self.old))
        #expect(life.handle(.refused(Self.refusal)) == .change(.replacement([Self.old])))
        #expect(life.handle(.changed(.success(Self.new))) == .request(Self.new))
        #expect(life.handle(.refused(Self.refusal)) == .fail(Self.refusal))
    }

    @Test("a failure that is no refusal changes no token")
    func otherFailure() {
        var life = TokenLifecycle(.call)
        _ = life.handle(.read(.success(Self.old)))
        #expect(life.handle(.failed(.unexpectedStatus(502))) == .fail(.unexpectedStatus(502)))
    }

    @Test(
        "a store that fails is the end, and never an enrolment",
        arguments: [TokenLifecycle.Goal.call, .replacement([]), .replacement([Self.old]), .enrolment, .renewal])
    func storeFails(_ goal: TokenLifecycle.Goal) {
        var life = TokenLifecycle(goal)
        #expect(life.handle(.read(.failure(Self.broken))) == .fail(Self.broken))
    }

    @Test("a change that finds another token than the refused one is done")
    func alreadyDone() {
        var life = TokenLifecycle(.replacement([Self.old]))
        #expect(life.handle(.read(.success(Self.theirs))) == .end(Self.theirs))
    }

    @Test("an enrolment is saved over what was found, and then is done", arguments: [nil, Self.old])
    func enrolment(_ present: SDKInstallToken?) {
        var life = TokenLifecycle(.replacement([Self.old]))
        #expect(life.handle(.read(.success(present))) == .enrol)
        #expect(life.handle(.obtained(.success(Self.new))) == .save(Self.new, over: present))
        #expect(life.handle(.saved(.success(true))) == .end(Self.new))
    }

    @Test("a refused enrolment is the end of a change")
    func refusedEnrolment() {
        var life = TokenLifecycle(.replacement([Self.old]))
        _ = life.handle(.read(.success(Self.old)))
        #expect(life.handle(.obtained(.failure(Self.refusal))) == .fail(Self.refusal))
    }

    @Test("who was overtaken takes the winner's token, or saves again where it is gone")
    func overtaken() {
        var life = TokenLifecycle(.enrolment)
        _ = life.handle(.read(.success(Self.old)))
        _ = life.handle(.obtained(.success(Self.new)))
        #expect(life.handle(.saved(.success(false))) == .read)
        var other = life
        #expect(life.handle(.read(.success(Self.theirs))) == .end(Self.theirs))
        #expect(other.handle(.read(.success(nil))) == .save(Self.new, over: nil))
        #expect(other.handle(.saved(.success(true))) == .end(Self.new))
    }

    @Test("a token that cannot be saved is kept, and the store's error goes up")
    func notSaved() {
        var life = TokenLifecycle(.enrolment)
        _ = life.handle(.read(.success(nil)))
        _ = life.handle(.obtained(.success(Self.new)))
        #expect(life.handle(.saved(.failure(Self.broken))) == .keep(Self.new, over: nil, Self.broken))
    }

    @Test("a renewal needs a token, and shows it")
    func renewal() {
        var life = TokenLifecycle(.renewal)
        #expect(life.handle(.read(.success(nil))) == .fail(.notEnrolled))
        life = TokenLifecycle(.renewal)
        #expect(life.handle(.read(.success(Self.old))) == .renew(Self.old))
        #expect(life.handle(.obtained(.success(Self.new))) == .save(Self.new, over: Self.old))
    }
}
