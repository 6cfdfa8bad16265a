import CredentialStorage
import CredentialStorageFile
import CredentialStorageSealing
import CredentialTestSupport
import Foundation
import Testing

@Suite("Directories of a creation that fails", .timeLimit(.minutes(5)))
struct FreshDirectoryTests {
    /// A place two directories below a fresh one, and where its default key would be.
    private struct Place {
        let root: String
        var vault: String { root + "/a/b/credentials.vault" }

        init() throws { root = try TemporaryDirectory().path }

        var builder: StorageBuilder.EncryptedFile {
            let root = root
            return StorageBuilder.EncryptedFile(service: "test").path(vault).log(.silent)
                .environment(Environment { ["HOME": root, "XDG_CONFIG_HOME": root + "/config"][$0] })
        }

        /// Directories in which nothing is.
        var empty: [String] {
            let all = FileManager.default.subpaths(atPath: root) ?? []
            return all.filter {
                (try? FileManager.default.contentsOfDirectory(atPath: root + "/" + $0))?.isEmpty == true
            }
        }
    }

    @Test("a first write without a key leaves no directory")
    func noKey() throws {
        struct Refusal: Error {}
        let place = try Place()
        let sources: [(KeySource, UnavailableCategory)] = [
            (.keyFile(place.root + "/missing.key"), .keySourceMissing),
            (.passphrase { () throws -> String in throw Refusal() }, .keySourceUnavailable),
        ]
        for (source, category) in sources {
            let store = place.builder.keySource(source).build()
            #expect(failure { try store.set("x", forKey: "x") }?.category == category)
            #expect(try FileManager.default.contentsOfDirectory(atPath: place.root).isEmpty)
        }
    }

    @Test("a disk that fails at any call of a first write leaves no empty directory")
    func failures() throws {
        var number = 1
        while true {
            let place = try Place()
            let (target, isReached) = (number, Locked(false))
            let disk = FaultyFileSystem(syncs: false) { number, call in
                guard call.isChange, number == target else { return nil }
                isReached.withLock { $0 = true }
                return .fails(ENOSPC)
            }
            let error = failure { try place.builder.fileSystem(disk).build().set("x", forKey: "x") }
            guard isReached.withLock({ $0 }) else {
                #expect(error == nil && number > 10)
                return
            }
            #expect(place.empty.isEmpty, "failed at call \(number): \(String(describing: error))")
            try place.builder.build().set("x", forKey: "x")
            number += 1
        }
    }

    @Test("a named lock that cannot be taken leaves no directory")
    func lock() throws {
        let place = try Place()
        let companion = place.vault + ".lock"
        let disk = FaultyFileSystem { _, call in call == .open(companion, .create) ? .fails(ENOSPC) : nil }
        let store = place.builder.fileSystem(disk).build()
        #expect(failure { try store.acquireLock("name", timeout: .zero) }?.category == .noSpace)
        #expect(try FileManager.default.contentsOfDirectory(atPath: place.root).isEmpty)
    }

    @Test("what somebody put into a fresh directory stays, and a directory that somebody took is made again")
    func others() throws {
        let place = try Place()
        let disk = PosixFileSystem()
        let directory = place.root + "/a/b"
        #expect(throws: StorageFault.conflict) {
            try PrivateDirectory.making(directory, disk) { () throws(StorageFault) in
                try? writeFile(directory + "/theirs", [1])
                throw .conflict
            }
        }
        #expect(try readFile(directory + "/theirs") == [1])
        unlink(directory + "/theirs")
        rmdir(directory)
        var rounds = 0
        try PrivateDirectory.making(directory, disk) { () throws(StorageFault) in
            rounds += 1
            guard rounds < 3 else { return }
            rmdir(directory)
            throw .system(ENOENT)
        }
        #expect(rounds == 3)
        #expect(access(directory, F_OK) == 0)
    }
}
