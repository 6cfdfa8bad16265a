internal import CredentialStorage
internal import FoundationEssentials
internal import Testing

@Suite("Secure arenas", .timeLimit(.minutes(10)))
struct SecureArenaTests {
    @Test("a hundred thousand small buffers live at once, far beyond the kernel's limit of mappings")
    func manyBuffers() {
        let arena = SecureArena()
        var secrets = (0..<100_000).map { index in
            SharedSecret(SecureBuffer(copying: Data("secret \(index)".utf8).span, in: arena))
        }
        var wrong = 0
        for (index, secret) in secrets.enumerated() where !secret.bytes.isEqual(to: Data("secret \(index)".utf8).span) {
            wrong += 1
        }
        #expect(wrong == 0)
        // Freed in another order than made, then made again.
        secrets.shuffle()
        secrets.removeLast(90_000)
        secrets += (0..<50_000).map { SharedSecret(SecureBuffer(copying: Data("again \($0)".utf8).span, in: arena)) }
        var found = 0
        for (index, secret) in secrets.suffix(50_000).enumerated()
        where secret.bytes.isEqual(to: Data("again \(index)".utf8).span) {
            found += 1
        }
        #expect(found == 50_000)
    }

    @Test("no two buffers share a byte", arguments: [1, 32, 33, 100, 5000, 300_000])
    func separation(count: Int) {
        let arena = SecureArena()
        let buffers = (0..<50).map { _ in SharedSecret(SecureBuffer(count: count, in: arena)) }
        let starts = buffers.map { unsafe Int(bitPattern: $0.bytes.address) }.sorted()
        for (left, right) in zip(starts, starts.dropFirst()) { #expect(left + count <= right) }
    }

    @Test("an arena without buffers locks nothing, and mixed sizes come and go")
    func accounting() {
        let arena = SecureArena()
        #expect(arena.lockState == .locked)
        for round in 0..<20 {
            let sizes = [1, 100, 5000, 70_000, 3 << 20].map { $0 + round }
            let buffers = sizes.map { SharedSecret(SecureBuffer(count: $0, in: arena)) }
            let allLocked = buffers.allSatisfy { $0.bytes.isLocked }
            if allLocked, round == 0 { #expect(arena.lockState == .locked) }
            for (buffer, size) in zip(buffers, sizes) { #expect(buffer.bytes.count == size) }
        }
    }

    @Test("threads that make, read and drop buffers at once do not disturb each other")
    func concurrency() async {
        let arena = SecureArena()
        let shared = SharedSecret(SecureBuffer(copying: Data(repeating: 7, count: 1000).span, in: arena))
        let wrong = await withTaskGroup(of: Int.self) { group in
            for task in 0..<8 {
                group.addTask {
                    var wrong = 0
                    var kept: [SharedSecret] = []
                    for round in 0..<500 {
                        let value = Data(repeating: UInt8(task * 16 + round % 16), count: (round * 37) % 3000)
                        let secret = SharedSecret(SecureBuffer(copying: value.span, in: arena))
                        if !secret.bytes.isEqual(to: value.span) { wrong += 1 }
                        if !shared.bytes.isEqual(to: Data(repeating: 7, count: 1000).span) { wrong += 1 }
                        kept.append(secret)
                        if round % 5 == 0 { kept.removeFirst(kept.count / 2) }
                    }
                    return wrong
                }
            }
            return await group.reduce(0, +)
        }
        #expect(wrong == 0)
    }
}
