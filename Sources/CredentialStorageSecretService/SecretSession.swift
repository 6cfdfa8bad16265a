#if SecretService
    internal import CredentialStorage

    /// A session with a provider: how secrets travel to it and from it.
    struct SecretSession: Sendable {
        enum Encryption: Sendable {
            case plain
            case encrypted(key: SharedSecret)
        }

        static let encryptedAlgorithm = "dh-ietf1024-sha256-aes128-cbc-pkcs7"
        static let plainAlgorithm = "plain"
        /// Everything that we store is text; a provider that keeps the type shows it as such.
        static let contentType = "text/plain"

        let path: ObjectPath
        let encryption: Encryption

        var isEncrypted: Bool { if case .encrypted = encryption { true } else { false } }

        /// A secret in the form of the bus.
        func encode(
            _ secret: SharedSecret, _ randomness: any Randomness = SystemRandomness()
        ) throws(StorageFault) -> BusValue {
            let parameters: BusBytes
            let content: BusBytes
            switch encryption {
            case .plain:
                parameters = BusBytes(copying: [])
                content = BusBytes(secret)
            case .encrypted(let key):
                let initial = try randomness.bytes(SessionCipher.blockLength)
                let encrypted = secret.bytes.withBytes { SessionCipher.encrypt($0, key: key, initial: initial) }
                guard let encrypted else { throw .unavailable(.ioError) }
                parameters = BusBytes(copying: initial)
                content = BusBytes(encrypted)
            }
            return .tuple([.path(path), .bytes(parameters), .bytes(content), .string(Self.contentType)])
        }

        /// The bytes of a secret that came in.
        ///
        /// - Throws: `malformed` where it has another form, and `noSession` where it is of another session or does not
        ///   decrypt: a new session may help.
        func decode(_ value: BusValue) throws(BusFailure) -> SharedSecret {
            guard let parts = value.elements, parts.count == 4, let owner = parts[0].path,
                let parameters = parts[1].bytes, let content = parts[2].bytes
            else { throw .malformed }
            guard owner == path else { throw BusFailure(kind: .noSession) }
            switch encryption {
            case .plain: return content.withBytes { SharedSecret(SecureBuffer(copying: $0)) }
            case .encrypted(let key):
                let initial = parameters.withBytes { bytes in bytes.indices.map { bytes[$0] } }
                guard let decrypted = content.withBytes({ SessionCipher.decrypt($0, key: key, initial: initial) })
                else {
                    throw BusFailure(kind: .noSession)
                }
                return SharedSecret(decrypted)
            }
        }
    }
#endif
