#if SecretService
    internal import CredentialStorage

    /// Agrees on a session with a provider.
    struct SessionOpening {
        let provider: Provider
        let encryption: SessionEncryption
        let log: StorageLog
        var randomness: any Randomness = SystemRandomness()

        /// How often a key is agreed on: once more where the shared number begins with a zero byte.
        ///
        /// Twice in a row is the provider's doing, and one that means it does as the specification says.
        private static var attempts: Int { 2 }

        func open(until deadline: Deadline) throws(BusFailure) -> SecretSession {
            for attempt in 1...Self.attempts {
                let agreement = try raising { () throws(StorageFault) in try KeyAgreement(randomness) }
                let number = BusBytes(copying: agreement.publicNumber)
                let reply: [BusValue]
                do throws(BusFailure) {
                    reply = try request(SecretSession.encryptedAlgorithm, .bytes(number), deadline)
                } catch {
                    // A KWallet without its cryptography plugin calls the arguments invalid.
                    guard error.kind == .notSupported || error.kind == .invalidArguments else { throw error }
                    return try openPlain(deadline)
                }
                guard let peer = reply[0].inside?.bytes?.withBytes({ bytes in bytes.indices.map { bytes[$0] } }),
                    let path = reply[1].path, let (key, isClear) = agreement.key(with: peer)
                else { throw .malformed }
                if isClear || attempt == Self.attempts {
                    return SecretSession(path: path, encryption: .encrypted(key: key))
                }
                provider.connection.post(provider.call("Session", "Close", on: path))
            }
            throw .malformed
        }

        private func openPlain(_ deadline: Deadline) throws(BusFailure) -> SecretSession {
            guard encryption == .preferred else { throw .store(.unsupported) }
            log.warning("the provider offers no encrypted session; secrets travel over the bus as they are")
            let reply = try request(SecretSession.plainAlgorithm, .string(""), deadline)
            guard let path = reply[1].path else { throw .malformed }
            return SecretSession(path: path, encryption: .plain)
        }

        private func request(
            _ algorithm: String, _ input: BusValue, _ deadline: Deadline
        ) throws(BusFailure) -> [BusValue] {
            let call = provider.call(
                "Service", "OpenSession", on: .service, [.string(algorithm), .variant(input)])
            let reply = try provider.answer(call, until: deadline)
            guard reply.count == 2, reply[0].inside != nil, let path = reply[1].path, !path.isNone else {
                throw .malformed
            }
            return reply
        }
    }
#endif
