internal import CredentialStorage
internal import CredentialStorageFile

/// For each line that comes, two writes one right after the other, and how many microseconds both took.
func writePairs() throws {
    while let line = readLine() {
        let start = ContinuousClock.now
        try storage.set("first \(line)", forKey: "name")
        try storage.set("second \(line)", forKey: "name")
        say("\((ContinuousClock.now - start) / .microseconds(1))")
    }
}
