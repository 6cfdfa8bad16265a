internal import CCredentialSodium

/// Starts libsodium once; every primitive of this module asks for it first.
enum Sodium {
    private static let isStarted: Bool = sodium_init() >= 0

    static func start() {
        // It fails only where the kernel gives no randomness at all; nothing safe can be done then.
        precondition(isStarted, "libsodium cannot start")
    }
}
