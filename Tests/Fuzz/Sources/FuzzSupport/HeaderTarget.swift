@testable internal import CredentialStorage
@testable internal import CredentialStorageFile
@testable internal import CredentialStorageSealing

/// Reads two header copies and unlocks what they hold.
///
/// - Parameter input: A mode, the length of the first copy, and both copies.
public func fuzzHeader(_ input: UnsafeBufferPointer<UInt8>) {
    let input = Input(input)
    let vault = KnownVault.shared
    var file: [UInt8] = []
    for part in [input.first, input.mode.contains(.bothCopies) ? input.first : input.second] {
        var copy = Array(part.prefix(Layout.headerRoom))
        copy += [UInt8](repeating: 0, count: Layout.headerRoom - copy.count)
        Reseal.header(&copy, input.mode, vault)
        checkCopy(copy, vault)
        file += copy
    }
    file += [UInt8](repeating: 0, count: Layout.sector)
    checkUnlocking(file, input.mode, vault)
    checkWork(file)
}

private func checkCopy(_ bytes: [UInt8], _ vault: KnownVault) {
    // The fault: every plain hash is taken for the right one.
    let finding = HeaderCopy.read(bytes.span) { covered in
        hasFault ? Array(bytes[covered.count..<covered.count + 32]) : KeyDerivation.plainHash(covered)
    }
    guard case .sound(let copy) = finding else { return }
    let length = copy.header.length
    require((Layout.headerFixedLength...Layout.headerRoom).contains(length), "a header of impossible length")
    require((1...Layout.maximumSlots).contains(copy.header.slots.count), "an impossible number of slots")
    require(copy.covered.count == length - Layout.headerHashesLength, "slots that do not fill the header")
    let hash = KeyDerivation.plainHash(bytes.span.extracting(0..<length - 32))
    require(hash == Array(bytes[length - 32..<length]), "a damaged header that passes for a sound one")
    // What was read is what would be written, but for the reserved bytes.
    var again = copy.header.encoded + copy.mac
    again += KeyDerivation.plainHash(again.span)
    again += [UInt8](repeating: 0, count: Layout.headerRoom - again.count)
    guard case .sound(let second) = HeaderCopy.read(again.span, plainHash: KeyDerivation.plainHash) else {
        return require(false, "a header that cannot be read again")
    }
    require(second.header == copy.header, "a header that changes when it is written")
}

/// The key opens the sound header or nothing, and no key is asked for where too much work is demanded.
private func checkUnlocking(_ file: [UInt8], _ mode: Input.Mode, _ vault: KnownVault) {
    let disk = MemoryDisk([KnownVault.path: file])
    let engine = KnownVault.builder(disk).build().engine
    do throws(StorageFault) {
        guard let session = try VaultOpening(engine: engine, known: nil).openFile(engine.location()) else {
            return require(false, "a vault that is there and not found")
        }
        let isSame = vault.masterKey.bytes.withBytes { session.masterKey.bytes.isEqual(to: $0) }
        require(isSame, "another master key")
        require(session.header.fileID == vault.header.fileID, "another vault's keys")
        require(session.keys.nameHash([1].span) == vault.keys.nameHash([1].span), "other keys")
        if mode.isWithoutKey { require(session.header == vault.header, "a changed header that opens") }
    } catch {
        requireTyped(error)
    }
}

private func checkWork(_ file: [UInt8]) {
    let passphrase = CountedPassphrase()
    let disk = MemoryDisk([KnownVault.path: file])
    // No work at all is allowed, so that a slot of a passphrase is refused before anything is asked or derived.
    let engine = KnownVault.builder(disk, KeySource(passphrase))
        .keyDerivationLimits(Argon2Limits(passes: 0, kibibytes: 0, product: 0)).build().engine
    do throws(StorageFault) {
        _ = try VaultOpening(engine: engine, known: nil).openFile(engine.location())
        require(false, "a passphrase that opens what it never sealed")
    } catch {
        requireTyped(error)
        if error == .cause(.parametersOutOfRange) {
            require(passphrase.asked.withLock { $0 } == 0, "a question for a file that demands too much")
        }
    }
}

/// A file with a broken header has one of a few answers.
private func requireTyped(_ fault: StorageFault) {
    switch fault {
    case .notAStore, .damaged, .wrongKey, .unavailable(.keySourceUnavailable, _), .cause(.parametersOutOfRange),
        .cause(.unsupportedVersion):
        break
    default: require(false, "the answer \(fault)")
    }
}
