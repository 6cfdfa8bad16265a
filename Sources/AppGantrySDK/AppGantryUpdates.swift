public import CredentialStorage
internal import CredentialStorageAutomatic
public import FoundationNetworking

/// How far the promise reaches that one refused token leads to one enrolment.
public enum Coordination: Sendable, Equatable {
    /// Among all tasks of this process.
    case process
    /// Among all processes of this machine that use the same store.
    case machine
}

/// The update client: it asks the server, and looks after the installation's token by itself.
///
/// ```swift
/// let updates = AppGantryUpdates(configuration: configuration)
/// let info = try await updates.checkForUpdate()
/// ```
///
/// The first call enrols the installation and stores the token; a token that the server refuses is replaced once, and
/// the call made again. Several calls at once, and several processes over one store, enrol once. A store that
/// cannot be read or written is ``SDKError/storage(_:)``, and never a reason to enrol.
///
/// Every failure is an ``SDKError``. Nothing is tried again by itself but a refused token and a download that broke off.
/// Thread-safe; making one does no I/O.
public final class AppGantryUpdates: Sendable {
    let configuration: AppGantryConfiguration
    let client: APIClient
    let keeper: TokenKeeper

    /// Makes a client over `URLSession`.
    ///
    /// - Parameters:
    ///   - configuration: The app and its server.
    ///   - session: The session whose configuration is used: its proxy, its timeouts, its protocol classes. Cookies, caches
    ///     and its delegate are not.
    ///   - tokenStore: Where the token is kept; `nil` for the store that fits this machine, chosen once under the
    ///     configuration's service name.
    public convenience init(
        configuration: AppGantryConfiguration,
        session: URLSession = .shared,
        tokenStore: (any TokenStore)? = nil
    ) {
        self.init(configuration: configuration, transport: URLSessionTransport(session), tokenStore: tokenStore)
    }

    /// Makes a client over a transport of your own.
    ///
    /// - Parameters:
    ///   - configuration: The app and its server.
    ///   - transport: What carries its requests.
    ///   - tokenStore: Where the token is kept, as in ``init(configuration:session:tokenStore:)``.
    public init(
        configuration: AppGantryConfiguration,
        transport: any Transport,
        tokenStore: (any TokenStore)? = nil
    ) {
        self.configuration = configuration
        client = APIClient(configuration, transport)
        keeper = TokenKeeper(
            TokenPlace(tokenStore ?? Self.automaticStore(configuration)), client, log: configuration.clientLog)
    }

    private static func automaticStore(_ configuration: AppGantryConfiguration) -> any TokenStore {
        StorageTokenStore(
            StorageBuilder.automatic(service: configuration.service, policy: configuration.storePolicy)
                .accessibility(.afterFirstUnlockThisDeviceOnly)
                .log(configuration.log)
                .lookingAhead(false)
                .build())
    }

    /// How far the promise of one enrolment reaches with this store.
    ///
    /// It is ``Coordination/process`` over a store that is not an ``/CredentialStorage/AtomicTokenStore``, and over memory.
    public var coordination: Coordination { keeper.place.coordination }

    /// The kind of store that the token is kept in; `nil` where the store does not tell.
    ///
    /// It is `memory` only where memory was named. Before anything was stored the automatic store is `automatic`.
    public var tokenBackend: StorageBackend? { keeper.place.store.backend }
}

extension AppGantryConfiguration {
    /// The log with a tag of the client's own, unless the program chose one.
    var clientLog: StorageLog {
        var log = log
        if log.tag == StorageLog.storageTag { log.tag = Self.logTag }
        return log
    }

    /// The tag of the client's records, unless the log has another than a store's.
    public static let logTag = "APP_GANTRY_SDK"
}

extension AppGantryUpdates: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// A fixed text.
    public var description: String { "AppGantryUpdates(redacted)" }
    /// A fixed text.
    public var debugDescription: String { description }
    /// An empty mirror.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
