internal import CredentialStorage
internal import CredentialStorageFile
internal import CredentialStorageSealing
internal import FoundationEssentials
internal import Glibc

/// Uses a vault through the doors that keep secrets in locked memory, and stays while somebody reads its memory.
///
/// The passphrase comes on standard input, `length` bytes of it. Then each line lets it take one step.
func remember(_ path: String, _ keyPath: String, length: Int) throws {
    let passphrase = try SharedPassphrase(length: length)
    let base = StorageBuilder.EncryptedFile(service: "test").path(path).lookingAhead(false).keyDerivation(.floor)
    let stores = [
        base.keySource(.keyFile(keyPath)).build(), base.keySource(.passphrase { passphrase.copy() }).build(),
    ]
    for (index, store) in stores.enumerated() {
        for name in try store.keys() {
            try store.withSecret(forKey: name) { secret in
                guard let secret else { return say("an entry is gone") }
                try store.setSecret(secret, forKey: "copy \(index) of \(name)")
            }
        }
        let slot = try store.addKey(.passphrase { passphrase.copy(isChanged: true) })
        try store.removeKey(inSlot: slot.id)
        try store.compact()
        try store.rotateDataKey()
        guard try store.verify()?.isSound == true, try store.get("never") == nil else { return say("not sound") }
    }
    // Names stand in front of their values; nothing comes after it that could write over what it left.
    for store in stores { _ = try store.keys() }
    next("used")
    passphrase.forget()
    for store in stores { store.close() }
    next("closed")
    // The control: what a caller takes out of the store is in ordinary memory, and the scan has to find it.
    let store = base.keySource(.keyFile(keyPath)).build()
    let kept = try store.readAll().entries.map(\.value)
    let key = try Data(contentsOf: URL(filePath: keyPath))
    store.close()
    next("kept")
    withExtendedLifetime((kept, key)) {}
}

/// Says what was done and waits for a line; `abort` ends the process as a crash would.
private func next(_ step: String) {
    say(step)
    var line: [UInt8] = []
    var byte: UInt8 = 0
    while unsafe read(0, &byte, 1) == 1, byte != UInt8(ascii: "\n") { line.append(byte) }
    if line == Array("abort".utf8) { abort() }
}

/// A passphrase that is never in ordinary memory.
private final class SharedPassphrase: @unchecked Sendable {
    // Unchecked: this program has one thread.
    private var bytes: SecureBuffer?

    init(length: Int) throws {
        var bytes = SecureBuffer(count: length)
        bytes.withMutableBytes { target in
            unsafe target.withUnsafeMutableBytes { target in
                var done = 0
                while done < length {
                    let got = unsafe read(0, target.baseAddress! + done, length - done)
                    guard got > 0 else { return }
                    done += got
                }
            }
        }
        self.bytes = consume bytes
    }

    /// The passphrase, or another one of its length.
    func copy(isChanged: Bool = false) -> SecureBuffer {
        guard let buffer = bytes.take() else { return SecureBuffer(count: 0) }
        var copy = buffer.withBytes { SecureBuffer(copying: $0) }
        bytes = consume buffer
        if isChanged { copy.withMutableBytes { $0[0] ^= 1 } }
        return copy
    }

    func forget() { bytes = nil }
}
