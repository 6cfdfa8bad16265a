import CredentialStorage
import Testing

@Suite("What states print")
struct DescriptionTests {
    @Test("a protection prints its five facts in words")
    func protection() {
        let protection = Protection(source: .keyFile, device: .machineID, memory: .partlyLocked, durability: .durable)
        #expect(
            "\(protection)" == """
                key source: keyFile, bound to this machine by: machineID, secrets in memory: partlyLocked, \
                entries: durable, accessible: afterFirstUnlockThisDeviceOnly
                """)
    }

    @Test("a probe prints that all is well, or what is not and why")
    func probe() {
        #expect("\(StorageProbe.usable)" == "usable")
        let readOnly = StorageProbe(
            isReachable: true, isLocked: nil, isReadable: true, isWritable: false,
            reason: StorageFault.unavailable(.readOnly).during(.write))
        #expect("\(readOnly)" == "not writable: writeError(unavailable(write, readOnly))")
        let locked = StorageProbe(isReachable: true, isLocked: true, isReadable: false, isWritable: false)
        #expect("\(locked)" == "locked, not readable, not writable")
    }
}
