internal import CredentialStorage
internal import Glibc
internal import Testing

@Suite("The environment that says where data lives")
struct EnvironmentTests {
    @Test("an empty variable is unset, and one that is not UTF-8 is no place to look beside")
    func places() throws {
        let name = "CREDENTIAL_TEST_PLACE"
        defer { unsetenv(name) }
        #expect(try Environment.process.place(name) == nil)
        setenv(name, "", 1)
        #expect(try Environment.process.place(name) == nil)
        setenv(name, "/a/place", 1)
        #expect(try Environment.process.place(name) == "/a/place")
        setenv(name, [0x2F, -1, 0x61, 0], 1)
        #expect(throws: StorageFault.unavailable(.noStorageLocation)) { try Environment.process.place(name) }
        #expect(Environment.process[name] == nil)
    }
}
