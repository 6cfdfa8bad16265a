/// A place for one installation token.
///
/// The three members are synchronous and have no async overloads on purpose: a type of yours that implements them
/// satisfies the protocol as it is, and async code calls them without wondering which form it gets. They may block
/// for as long as the store behind them does; ``AtomicTokenStore/withRefreshLock(timeout:_:)`` does not block.
public protocol TokenStore: Sendable {
    /// Reads the token.
    ///
    /// - Returns: The token, or `nil` when there is proven to be none.
    /// - Throws: When it cannot be told or read; that is not the same as none.
    func load() throws -> SDKInstallToken?

    /// Stores a token in place of an earlier one.
    ///
    /// - Parameter token: The token.
    /// - Throws: When it could not be stored.
    func save(_ token: SDKInstallToken) throws

    /// Removes the token. It is no error when there is none.
    ///
    /// - Throws: When it could not be removed.
    func clear() throws
}

/// A place for one installation token that several tasks and processes can change without losing each other's work.
///
/// A program whose token was refused removes it with `replace(refused, with: nil)`, never with
/// ``TokenStore/clear()``: somebody else may have stored a fresh one meanwhile.
public protocol AtomicTokenStore: TokenStore {
    /// Changes the token only if it still is the expected one.
    ///
    /// - Parameters:
    ///   - expected: The token that must be there now; `nil` for none.
    ///   - new: The token to put there; `nil` to remove it.
    /// - Returns: `false` when another token was there, or none; nothing changed then.
    /// - Throws: When the present token cannot be read or the new one not stored.
    func replace(_ expected: SDKInstallToken?, with new: SDKInstallToken?) throws -> Bool

    /// Runs a body while nobody else, in this or any other process, runs one under the same lock.
    ///
    /// Load the token inside the body: who waited for the lock usually finds that the refresh is done.
    ///
    /// - Parameters:
    ///   - timeout: How long to wait for another holder.
    ///   - body: What to do meanwhile; it runs where the caller runs.
    /// - Returns: What the body returned.
    /// - Throws: When the lock could not be taken, or what the body threw.
    nonisolated(nonsending) func withRefreshLock<R>(
        timeout: Duration,
        _ body: () async throws -> R
    ) async throws -> R
}
