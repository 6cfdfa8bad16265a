internal import CredentialStorage
internal import CredentialStorageFile
internal import FoundationEssentials
internal import Glibc

/// Writes and reads many entries under a limit of locked memory, and says what was reached and what a store answers
/// that demands all of it.
func lockMemory(count: Int, size: Int) throws {
    guard !mayLock(128 << 20) else { return say("this process may lock what it likes") }
    func value(_ index: Int) -> Data {
        Data("\(index) ".utf8) + Data(repeating: UInt8(truncatingIfNeeded: index), count: size - "\(index) ".utf8.count)
    }
    try storage.update { batch in
        for index in 0..<count { try batch.set(value(index), forKey: "entry \(index)") }
    }
    let reader = builder.build()
    let isRight = try (0..<count).allSatisfy { index in
        let name = "entry \(index)"
        let isSame = try reader.withSecret(forKey: name) { secret in
            if let secret { Data(copying: secret) == value(index) } else { false }
        }
        return try isSame && reader.get(name) == value(index)
    }
    let all = try reader.readAll()
    say(isRight && all.isComplete && all.entries.count == count ? "complete" : "not complete")
    say(try reader.protection.memory.rawValue)
    let strict = builder.lockedMemory(.required).build()
    say("get " + describe { _ = try strict.get("entry 1") })
    say("set " + describe { try strict.set("new", forKey: "entry 1") })
    say(try builder.build().get("entry 1") == value(1) ? "unchanged" : "changed")
}

/// Whether so much can be locked, more than any limit of the tests: root and holders of a capability can.
private func mayLock(_ length: Int) -> Bool {
    let start = unsafe mmap(nil, length, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
    guard let start = unsafe start, unsafe start != MAP_FAILED else { return false }
    defer { unsafe munmap(start, length) }
    return unsafe mlock(start, length) == 0
}
