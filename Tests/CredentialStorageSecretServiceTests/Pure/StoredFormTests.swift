#if SecretService
    import CredentialStorage
    import Foundation
    import Testing

    @testable import CredentialStorageSecretService

    @Suite("The stored form of values")
    struct StoredFormTests {
        private func stored(_ value: [UInt8]) -> [UInt8] {
            StoredForm.encode(value.span).withBytes { bytes in bytes.indices.map { bytes[$0] } }
        }

        private func value(_ stored: [UInt8]) -> [UInt8] {
            let secret = SharedSecret(SecureBuffer(copying: stored.span))
            return StoredForm.decode(secret).bytes.withBytes { bytes in bytes.indices.map { bytes[$0] } }
        }

        @Test(
            "text that every provider keeps is stored as it is",
            arguments: [
                "x", "two words", "#x", "k=v;[1]", "Grüße 🙂", "{\"a\": 1}", "{}", "{", "{1}", "a/b:c", "scs1",
                "\u{A0}x", "~",
            ])
        func safe(_ text: String) {
            #expect(stored(Array(text.utf8)) == Array(text.utf8))
            #expect(value(Array(text.utf8)) == Array(text.utf8))
        }

        @Test(
            "what a provider might change is stored as text behind the marker, and comes back",
            arguments: [
                [], Array(" x".utf8), Array("x ".utf8), Array("a\nb".utf8), Array("a\tb".utf8), Array("a\\nb".utf8),
                [0], [0x7F],
                [0xFF, 0x00, 0xFE], Array("scs1:base64:".utf8), Array("scs1:base64:AAAA".utf8), Array("a\u{85}b".utf8),
                [0xED, 0xA0, 0x80], Array("\u{FEFF}x".utf8), Array("x\u{FFFF}".utf8), Array("x\u{FFFE}y".utf8),
                [0xC0, 0x80], Array("{TITLE}".utf8), Array("x{ref:P@T:y}".utf8), (0...255).map { UInt8($0) },
            ])
        func unsafe(_ bytes: [UInt8]) {
            let form = stored(bytes)
            #expect(form.starts(with: Array("scs1:base64:".utf8)))
            #expect(form.allSatisfy { (0x20...0x7E).contains($0) && $0 != UInt8(ascii: "\\") })
            #expect(Data(base64Encoded: Data(form.dropFirst(12))) == Data(bytes))
            #expect(value(form) == bytes)
        }

        @Test(
            "what somebody else wrote and does not decode is returned as it is",
            arguments: [
                "scs1:base64:A", "scs1:base64:AA=A", "scs1:base64:AB==", "scs1:base64:a b=", "scs1:base64:====", "\nx",
            ])
        func foreign(_ text: String) { #expect(value(Array(text.utf8)) == Array(text.utf8)) }

        @Test("every length up to 300 comes back, of bytes and of text")
        func lengths() {
            for length in 0...300 {
                let bytes = (0..<length).map { UInt8(truncatingIfNeeded: $0 &* 37 &+ length) }
                #expect(value(stored(bytes)) == bytes)
                let text = Array(repeating: UInt8(ascii: "t"), count: length)
                #expect(value(stored(text)) == text)
            }
        }
    }
#endif
