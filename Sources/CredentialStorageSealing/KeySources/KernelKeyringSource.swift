internal import CCredentialShims
internal import CredentialStorage
internal import Glibc

/// One of the keyrings that the kernel keeps in memory.
public enum KernelKeyring: Sendable, CaseIterable {
    /// The user's: all sessions of the user share it.
    case user
    /// The session's: it goes when the session ends.
    case session

    /// The number by which the kernel knows it.
    fileprivate var number: Int32 {
        switch self {
        case .session: -3
        case .user: -4
        }
    }

    fileprivate var name: String {
        switch self {
        case .session: "session"
        case .user: "user"
        }
    }
}

/// A key in the kernel's memory, which is gone after the next boot at the latest.
struct KernelKeyringSource: KeyProvider {
    let keyring: KernelKeyring

    var kind: KeySlotKind { .kernelKeyring }
    var isImmediate: Bool { true }

    /// The session's keyring leads to the user's; a name of its own keeps their keys apart.
    private func name(_ request: KeyRequest) -> String {
        "swift-credential-storage:\(keyring.name):\(request.service.text)"
    }

    func key(for purpose: KeyPurpose, _ request: KeyRequest) throws(StorageFault) -> KeyMaterial {
        let name = name(request)
        if let present = try present(name) { return KeyMaterial(present) }
        guard purpose != .open else { throw .unavailable(.keySourceMissing) }
        let key = SharedSecret(try request.freshKey())
        let status = unsafe ccs_keyring_add(keyring.number, name, key.bytes.address, key.bytes.count)
        guard status == 0 || errno == EEXIST else { throw Self.meaning(of: errno) }
        guard let made = try present(name) else { throw .unavailable(.keySourceUnavailable) }
        if status == 0 { request.made.withLock { $0 = key } }
        return KeyMaterial(made)
    }

    func discard(_ request: KeyRequest) {
        let name = name(request)
        guard let made = request.made.withLock({ $0 }), let present = try? present(name),
            present.withBytes({ made.bytes.isEqual(to: $0) })
        else { return }
        _ = unsafe ccs_keyring_remove(keyring.number, name)
    }

    /// The key, or `nil` where the kernel knows of none.
    private func present(_ name: String) throws(StorageFault) -> SecureBuffer? {
        let key = try SecureBuffer(count: Box.keyLength, in: .shared)
        let length = unsafe ccs_keyring_read(keyring.number, name, key.address, key.count)
        guard length >= 0 else {
            if errno == ENOKEY { return nil }
            throw Self.meaning(of: errno)
        }
        guard length == Box.keyLength else { throw .unavailable(.keySourceUnavailable) }
        return key
    }

    private static func meaning(of number: Int32) -> StorageFault {
        switch number {
        case EACCES: .unavailable(.accessDenied, .errno(number))
        case EDQUOT: .unavailable(.noSpace, .errno(number))
        // Expired, revoked, or a host that forbids the calls.
        default: .unavailable(.keySourceUnavailable, .errno(number))
        }
    }
}
