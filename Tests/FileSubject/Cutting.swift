internal import CredentialStorage
internal import CredentialStorageFile
internal import FoundationEssentials
internal import Glibc

/// Reads on while the file beside the vault, which is mapped, is emptied and written over.
func cutCompanion(_ path: String) throws {
    try storage.set("first", forKey: "name")
    say(try storage.string(forKey: "name") ?? "nil")
    guard unsafe truncate(path, 0) == 0 else { return say("cannot be cut") }
    say(try storage.string(forKey: "name") ?? "nil")
    try builder.build().set("second", forKey: "name")
    say(try storage.string(forKey: "name") ?? "nil")
    for length in [1, 8, 100, 5000] {
        guard unsafe truncate(path, length) == 0 else { return say("cannot be cut") }
        try storage.set("third \(length)", forKey: "name")
        guard unsafe truncate(path, 0) == 0 else { return say("cannot be cut") }
        say(try storage.string(forKey: "name") ?? "nil")
    }
}

/// Touches a page of an empty file that is none of the store's.
func touchForeignPage(_ path: String, isHandled: Bool) throws {
    if isHandled {
        signal(SIGBUS) { _ in
            say("handled")
            _exit(7)
        }
    }
    try storage.set("value", forKey: "name")
    let file = unsafe open(path, O_RDWR | O_CREAT, 0o600)
    let page = unsafe mmap(nil, 4096, PROT_READ, MAP_SHARED, file, 0)!
    say("mapped")
    say("\(unsafe page.load(as: UInt8.self))")
}
