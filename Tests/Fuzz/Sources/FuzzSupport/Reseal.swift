@testable internal import CredentialStorage
@testable internal import CredentialStorageFile
@testable internal import CredentialStorageSealing

/// Makes hashes and MACs of changed bytes right again; without that an input would end at the first check.
enum Reseal {
    /// The hashes of a header copy whose length is possible.
    static func header(_ bytes: inout [UInt8], _ mode: Input.Mode, _ vault: KnownVault) {
        guard bytes.count >= Layout.headerRoom else { return }
        let length = Int(bytes.span.load(UInt32.self, at: 12))
        guard (Layout.headerFixedLength + Layout.headerHashesLength...Layout.headerRoom).contains(length) else {
            return
        }
        if mode.contains(.headerMAC) {
            let covered = Array(bytes.prefix(length - Layout.headerHashesLength))
            let mac = must { try SlotCrypto.headerMAC(covered, masterKey: vault.masterKey.bytes) }
            bytes.replaceSubrange(length - 64..<length - 32, with: mac)
        }
        if mode.contains(.plainHash) {
            let hash = KeyDerivation.plainHash(bytes.span.extracting(0..<length - 32))
            bytes.replaceSubrange(length - 32..<length, with: hash)
        }
    }

    /// The MAC of everything that begins like a frame, at its place in the file.
    static func frames(_ file: inout [UInt8], from start: Int, logID: Bytes16, _ keys: VaultKeys) {
        var offset = start
        while offset + Layout.headLength <= file.count {
            if file.span.load(UInt32.self, at: offset) == FrameHead.magicNumber {
                let mac = keys.frameMAC(
                    file.span.extracting(offset..<offset + Layout.headLength), logID: logID, offset: offset)
                let place = offset + FrameHead.macPlace.lowerBound
                file.replaceSubrange(place..<place + 16, with: mac.bytes)
            }
            offset += Layout.block
        }
    }
}
