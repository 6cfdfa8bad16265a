internal import CredentialStorage
internal import CredentialStorageFile

/// For each line that comes, two writes one right after the other.
func writePairs() throws {
    while let line = readLine() {
        try storage.set("first \(line)", forKey: "name")
        try storage.set("second \(line)", forKey: "name")
        say("done")
    }
}
