internal import CredentialStorage
internal import CredentialStorageFile
internal import CredentialStorageSealing
internal import FoundationEssentials
internal import Glibc

/// Lets the process map so much more than it has mapped by now.
private func limitMemory(to kibibytes: Int) -> Bool {
    guard let text = try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8),
        let pages = text.split(separator: " ").first.flatMap({ Int($0) })
    else { return false }
    let limit = rlim_t(pages * sysconf(Int32(_SC_PAGESIZE)) + kibibytes * 1024)
    var limits = rlimit(rlim_cur: limit, rlim_max: .max)
    return unsafe setrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &limits) == 0
}

private func liftLimit() {
    var limits = rlimit(rlim_cur: .max, rlim_max: .max)
    unsafe setrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &limits)
}

/// What each door answers when so much memory is left, each on a store of its own.
func starve(_ builder: StorageBuilder.EncryptedFile, kibibytes: Int) {
    // Everything that the first use of anything loads is there before the limit is.
    let warm = builder.build()
    say("warm " + describe { _ = try warm.get("small") })
    warm.close()
    let value = Data(repeating: 9, count: 1 << 20)
    guard limitMemory(to: kibibytes) else { return say("no limit") }
    say("get " + describe { _ = try builder.build().get("large 3") })
    say("keys " + describe { _ = try builder.build().keys() })
    say("readAll " + describe { _ = try builder.build().readAll() })
    say("set " + describe { try builder.build().set(value, forKey: "large 3") })
    say("update " + describe { try builder.build().update { try $0.set(value, forKey: "large 4") } })
    say("verify " + describe { _ = try builder.build().verify() })
    liftLimit()
    say((try? builder.build().verify()?.isSound) == true ? "sound" : "not sound")
}

/// The same for a passphrase, whose derivation alone wants 19 MiB.
func starvePassphrase(_ path: String, kibibytes: Int) {
    let builder = StorageBuilder.EncryptedFile(service: "test").path(path).keyDerivation(.floor).lookingAhead(false)
        .keySource(.passphrase { "correct" })
    say("warm " + describe { _ = try builder.build().get("name") })
    guard limitMemory(to: kibibytes) else { return say("no limit") }
    do {
        _ = try builder.build().get("name")
        say("done")
    } catch {
        say("\(error)")
    }
}
