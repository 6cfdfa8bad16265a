internal import CredentialStorage
internal import FoundationEssentials
internal import Glibc
internal import Testing

@Suite("Secure arenas", .timeLimit(.minutes(10)))
struct SecureArenaTests {
    @Test("a hundred thousand small buffers live at once, far beyond the kernel's limit of mappings")
    func manyBuffers() throws {
        let arena = SecureArena()
        var secrets = try (0..<100_000).map { index in
            SharedSecret(try SecureBuffer(copying: Data("secret \(index)".utf8).span, in: arena))
        }
        var wrong = 0
        for (index, secret) in secrets.enumerated() where !secret.bytes.isEqual(to: Data("secret \(index)".utf8).span) {
            wrong += 1
        }
        #expect(wrong == 0)
        // Freed in another order than made, then made again.
        secrets.shuffle()
        secrets.removeLast(90_000)
        secrets += try (0..<50_000).map { index in
            SharedSecret(try SecureBuffer(copying: Data("again \(index)".utf8).span, in: arena))
        }
        var found = 0
        for (index, secret) in secrets.suffix(50_000).enumerated()
        where secret.bytes.isEqual(to: Data("again \(index)".utf8).span) {
            found += 1
        }
        #expect(found == 50_000)
    }

    @Test("no two buffers share a byte", arguments: [1, 32, 33, 100, 5000, 300_000])
    func separation(count: Int) throws {
        let arena = SecureArena()
        let buffers = try (0..<50).map { _ in SharedSecret(try SecureBuffer(count: count, in: arena)) }
        let starts = buffers.map { unsafe Int(bitPattern: $0.bytes.address) }.sorted()
        for (left, right) in zip(starts, starts.dropFirst()) { #expect(left + count <= right) }
    }

    @Test("an arena without buffers locks nothing, and mixed sizes come and go")
    func accounting() throws {
        let arena = SecureArena()
        #expect(arena.lockState == .locked)
        for round in 0..<20 {
            let sizes = [1, 100, 5000, 70_000, 3 << 20].map { $0 + round }
            let buffers = try sizes.map { SharedSecret(try SecureBuffer(count: $0, in: arena)) }
            let allLocked = buffers.allSatisfy { $0.bytes.isLocked }
            if allLocked, round == 0 { #expect(arena.lockState == .locked) }
            for (buffer, size) in zip(buffers, sizes) { #expect(buffer.bytes.count == size) }
        }
    }

    @Test("threads that make, read and drop buffers at once do not disturb each other")
    func concurrency() async throws {
        let arena = SecureArena()
        let shared = SharedSecret(try SecureBuffer(copying: Data(repeating: 7, count: 1000).span, in: arena))
        let wrong = try await withThrowingTaskGroup(of: Int.self) { group in
            for task in 0..<8 {
                group.addTask {
                    var wrong = 0
                    var kept: [SharedSecret] = []
                    for round in 0..<500 {
                        let value = Data(repeating: UInt8(task * 16 + round % 16), count: (round * 37) % 3000)
                        let secret = SharedSecret(try SecureBuffer(copying: value.span, in: arena))
                        if !secret.bytes.isEqual(to: value.span) { wrong += 1 }
                        if !shared.bytes.isEqual(to: Data(repeating: 7, count: 1000).span) { wrong += 1 }
                        kept.append(secret)
                        if round % 5 == 0 { kept.removeFirst(kept.count / 2) }
                    }
                    return wrong
                }
            }
            return try await group.reduce(0, +)
        }
        #expect(wrong == 0)
    }

    @Test("a buffer that no memory holds is an error, and the arena goes on")
    func noMemory() throws {
        let arena = SecureArena()
        var fault: StorageFault?
        do throws(StorageFault) { _ = try SecureBuffer(count: 1 << 47, in: arena) } catch { fault = error }
        #expect(fault == .unavailable(.ioError, .errno(ENOMEM)))
        let next = try SecureBuffer(copying: Data("next".utf8).span, in: arena)
        let isKept = next.isEqual(to: Data("next".utf8).span)
        #expect(isKept)
    }
}
