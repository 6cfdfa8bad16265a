package import CredentialStorage

/// What a key source is told about the store that asks.
package struct KeyRequest: Sendable {
    package let service: ServiceName
    package let environment: Environment
    package let fileSystem: any FileSystem
    package let randomness: any Randomness
    /// Where the store's own files are; a key of its own making must not stand there.
    package let dataDirectory: String
    /// The paths of the store's own files; no key may be read from there or made there.
    package let ownFiles: [String]
    /// The key that a source made for this very request; others may use it by now.
    package let made = Locked<SharedSecret?>(nil)

    package init(
        service: ServiceName,
        environment: Environment,
        fileSystem: any FileSystem,
        randomness: any Randomness,
        dataDirectory: String,
        ownFiles: [String]
    ) {
        self.service = service
        self.environment = environment
        self.fileSystem = fileSystem
        self.randomness = randomness
        self.dataDirectory = dataDirectory
        self.ownFiles = ownFiles
    }

    /// 32 fresh bytes.
    func freshKey() throws(StorageFault) -> SecureBuffer {
        let key = try SecureBuffer(count: Box.keyLength, in: .shared)
        let start = unsafe key.address
        unsafe try randomness.fill(UnsafeMutableRawBufferPointer(start: start, count: Box.keyLength))
        return key
    }
}

/// Why a key is wanted.
package enum KeyPurpose: Sendable {
    /// A store exists; nothing may be made.
    case open
    /// A first write makes the store.
    case firstWrite
    /// The caller asked for a new store in so many words.
    case create
}

/// What a key source gave: a passphrase, or a key of 32 bytes.
package struct KeyMaterial: Sendable {
    /// The forms to try, in their order; a new slot is made for the first.
    package let forms: [SharedSecret]

    package init(_ secret: consuming SecureBuffer) { forms = [SharedSecret(secret)] }

    private init(_ first: consuming SecureBuffer, or second: consuming SecureBuffer) {
        forms = [SharedSecret(first), SharedSecret(second)]
    }

    /// A passphrase that is text: normalized form C first, so that it does not matter how a keyboard composes it, then
    /// as it was typed.
    package init(text: String) throws(StorageFault) {
        let (composed, typed) = (text._nfcCodeUnits, Array(text.utf8))
        let first = try SecureBuffer(copying: composed.span, in: .shared)
        guard composed != typed else {
            self.init(first)
            return
        }
        self.init(first, or: try SecureBuffer(copying: typed.span, in: .shared))
    }

    /// What a new slot is made for.
    package var first: SharedSecret { forms[0] }
}

/// Where the key of a store comes from.
package protocol KeyProvider: Sendable {
    var kind: KeySlotKind { get }

    /// Whether the key of this very source ends with the process or the next boot.
    var isVolatile: Bool { get }

    /// Gives the passphrase or the 32-byte key, never both, never a stand-in for one that is missing.
    ///
    /// A provider may make a key only on its proven absence, and only for a purpose other than
    /// ``KeyPurpose/open``. The key has reached the disk when this returns.
    func key(for purpose: KeyPurpose, _ request: KeyRequest) throws(StorageFault) -> KeyMaterial

    /// The path of the file that the key is looked for in, or `nil` where it is in no file.
    func place(_ request: KeyRequest) -> String?

    /// Whether the key is had at once: nobody is asked, and nothing is waited for.
    var isImmediate: Bool { get }

    /// Takes away the key that was made for a request, because of something that failed.
    func discard(_ request: KeyRequest)

    /// What keeps the key away now, as far as a look without a question and without a write tells.
    func obstacle() -> StorageFault?
}

extension KeyProvider {
    package var isVolatile: Bool { kind.isVolatile }
    package func place(_ request: KeyRequest) -> String? { nil }
    package var isImmediate: Bool { false }
    package func discard(_ request: KeyRequest) {}
    package func obstacle() -> StorageFault? { nil }
}
