import CredentialStorage
import CredentialStorageTesting
import Testing

@Test("my store keeps the contract", arguments: StorageContract.allCases)
func contract(_ rule: StorageContract) async throws {
    try await rule.check { TableStorage() }
}

@Suite("The public contracts, run from outside the package", .timeLimit(.minutes(2)))
struct ContractUserTests {
    @Test("the memory store keeps every rule for atomic stores")
    func memory() async throws {
        try await AtomicStorageContract.checkAll { StorageBuilder.InMemory().build() }
    }
}
