import CredentialStorage
import CredentialStorageFile
import CredentialStorageSealing
import Testing

@Suite("Kinds of file systems", .timeLimit(.minutes(1)))
struct FileSystemKindTests {
    private let root: String

    init() throws {
        root = try TestVault(isMade: false).root
        try writeFile(root + "/key", [UInt8](repeating: 7, count: 32))
    }

    private func store(kind: Int) -> EncryptedFileStorage {
        StorageBuilder.EncryptedFile(service: "org.example.app").keySource(.keyFile(root + "/key"))
            .path(root + "/vault").fileSystem(FaultyFileSystem(kind: kind)).log(.silent).lookingAhead(false).build()
    }

    @Test(
        "a network file system is named and refused",
        arguments: [(0x6969, "NFS"), (0xFE53_4D42, "SMB 2"), (0x0102_1997, "9p"), (0x00C3_6400, "Ceph")])
    func network(number: Int, name: String) throws {
        let kind = try #require(FileSystemKind.holding(directory: root, FaultyFileSystem(kind: number)))
        #expect(kind.name == name && kind.isNetwork && !kind.isVolatile)
        try store(kind: 0xEF53).create()
        let there = store(kind: number)
        #expect(failure { try there.get("x") }?.category == .unsupportedFileSystem)
        #expect(failure { try there.set("x", forKey: "x") }?.category == .unsupportedFileSystem)
        #expect(there.probe().reason?.category == .unsupportedFileSystem)
    }

    @Test("one in memory is used and called volatile, one without a name here by its number")
    func others() throws {
        let disk = FaultyFileSystem(kind: 0x0102_1994)
        let memory = try #require(FileSystemKind.holding(directory: root + "/none/yet", disk))
        #expect(memory.name == "tmpfs" && memory.isVolatile)
        let unknown = try #require(FileSystemKind.holding(directory: root, FaultyFileSystem(kind: 0x1234)))
        #expect(unknown.name == "unknown, 0x1234" && !unknown.isVolatile && !unknown.isNetwork)
        let store = store(kind: 0x0102_1994)
        try store.create()
        #expect(try store.protection.durability == .volatile)
    }
}
