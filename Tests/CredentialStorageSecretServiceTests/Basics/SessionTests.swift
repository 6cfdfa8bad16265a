#if SecretService
    import CredentialStorage
    import Foundation
    import SecretServiceTestSupport
    import Testing

    @testable import CredentialStorageSecretService

    @Suite("Sessions", .serialized, .timeLimit(.minutes(10)))
    struct SessionTests {
        @Test("each of many encrypted sessions with gnome-keyring carries a secret both ways")
        func manySessions() throws {
            let keyring = try GnomeKeyring()
            let path = ObjectPath(text: try keyring.bus.createItem(["a": "b"], value: Data("first".utf8)))
            let deadline = Deadline(after: .seconds(540))
            let link = ProviderLink(keyring.bus.environment, .required, .silent)
            let provider = try link.provider(until: deadline)
            for number in 0..<(runsLongTests ? 2_000 : 150) {
                let session = try link.session(with: provider, until: deadline)
                #expect(session.isEncrypted)
                let secret = SharedSecret(SecureBuffer(copying: Array("secret \(number)".utf8).span))
                let encoded = try session.encode(secret)
                _ = try provider.answer(provider.call("Item", "SetSecret", on: path, [encoded]), until: deadline)
                let reply = try provider.answer(
                    provider.call("Item", "GetSecret", on: path, [.path(session.path)]), until: deadline)
                let read = try session.decode(reply[0])
                let isSame = secret.bytes.withBytes { read.bytes.isEqual(to: $0) }
                #expect(isSame, "session \(number)")
                provider.connection.post(provider.call("Session", "Close", on: session.path))
                provider.drop(session)
            }
            link.close()
        }

        @Test("public numbers have 128 bytes on the wire and begin with none that is zero")
        func publicNumbers() throws {
            for _ in 0..<300 {
                let number = try KeyAgreement().publicNumber
                #expect(number.count == 128)
                #expect(number[0] != 0)
            }
        }

        @Test("two sides derive one key, whether the peer leaves out leading zeros or not")
        func agreement() throws {
            for _ in 0..<50 {
                let (one, other) = (try KeyAgreement(), try KeyAgreement())
                let mine = try #require(one.key(with: other.publicNumber))
                let theirs = try #require(other.key(with: [0, 0] + one.publicNumber))
                let isSame = mine.key.bytes.withBytes { theirs.key.bytes.isEqual(to: $0) }
                #expect(isSame)
                #expect(mine.isClear == theirs.isClear)
            }
        }

        @Test("numbers that no sound peer sends give no key")
        func unsoundNumbers() throws {
            let agreement = try KeyAgreement()
            var last = KeyAgreement.prime
            last[127] -= 1
            for number in [[], [0], [1], [0, 1], last, KeyAgreement.prime, [1] + KeyAgreement.prime] {
                let key = agreement.key(with: number)
                #expect(key == nil)
            }
            let two = agreement.key(with: [2])
            #expect(two != nil)
        }

        @Test("AES and the key derivation agree with their published vectors")
        func vectors() throws {
            // NIST SP 800-38A, F.2.1, the first block; the padding is a block of its own.
            let key = SharedSecret(SecureBuffer(copying: bytes("2b7e151628aed2a6abf7158809cf4f3c").span))
            let initial = bytes("000102030405060708090a0b0c0d0e0f")
            let text = bytes("6bc1bee22e409f96e93d7e117393172a")
            let sealed = SessionCipher.encrypt(text.span, key: key, initial: initial)
            let encrypted = try #require(sealed)
            let first = encrypted.bytes.withBytes { span in (0..<16).map { span[$0] } }
            #expect(first == bytes("7649abac8119b246cee98e9b12e9197d"))
            let isSame = encrypted.bytes.withBytes { span in
                SessionCipher.decrypt(span, key: key, initial: initial)?.isEqual(to: text.span)
            }
            #expect(isSame == true)
            #expect(KeyDerivation.hash(Array("abc".utf8)).prefix(4) == [0xBA, 0x78, 0x16, 0xBF])
        }

        private func bytes(_ hexadecimal: String) -> [UInt8] {
            var bytes: [UInt8] = []
            var rest = hexadecimal[...]
            while let pair = UInt8(rest.prefix(2), radix: 16) {
                bytes.append(pair)
                rest = rest.dropFirst(2)
            }
            return bytes
        }
    }
#endif
