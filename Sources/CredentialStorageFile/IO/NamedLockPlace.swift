internal import CredentialStorage
internal import CredentialStorageSealing

/// Where in the companion a named lock stands: far behind its end, at the first five bytes of a hash of the name.
///
/// Two names meet by chance once in 10^12, and then they only wait for each other.
enum NamedLockPlace {
    static func offset(of name: EntryKey) -> Int {
        let noKey: [UInt8] = []
        var hash = Blake2b(length: 16, key: noKey.span)
        hash.update("scv1 named lock")
        hash.update(noKey.span)
        unsafe name.withBytes { unsafe hash.update($0.span) }
        let bytes = hash.finish()
        return Layout.lockBase + bytes.prefix(5).reversed().reduce(0) { $0 << 8 | Int($1) }
    }
}
