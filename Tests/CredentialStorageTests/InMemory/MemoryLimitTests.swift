internal import CredentialTestSupport
internal import Testing

@Suite(
    "The memory store in a process of its own",
    .timeLimit(.minutes(10)),
    .disabled(
        if: Sanitizer.mapsEverything,
        "a sanitizer makes every lock of memory succeed and may not survive a fork without exec"))
struct MemoryLimitTests {
    private static let limit = 8 << 20

    @Test(
        "an ordinary user keeps many entries under a limit of 8 MiB, and is told whether all is locked",
        arguments: [
            (count: 100_000, size: 64, state: "locked"), (count: 200_000, size: 64, state: "partlyLocked"),
            (count: 1_000, size: 65_536, state: "partlyLocked"),
        ])
    func entries(count: Int, size: Int, state: String) async throws {
        let result = try await Subject.run("entries", "\(count)", "\(size)", lockedMemoryLimit: Self.limit)
        #expect(result.status == 0, "\(result.output)")
        let words = result.output.split(whereSeparator: \.isWhitespace)
        #expect(words.first.map(String.init) == state)
        let locked = try #require(words.last.flatMap { Int($0) })
        #expect(locked > Self.limit / 1024 / 2, "most of what the limit allows should be locked")
        #expect(locked <= Self.limit / 1024)
    }

    @Test("a few entries are locked whole under the limit")
    func few() async throws {
        let result = try await Subject.run("entries", "100", "64", lockedMemoryLimit: Self.limit)
        #expect(result.status == 0, "\(result.output)")
        #expect(result.output.hasPrefix("locked "))
    }

    @Test("without a right to lock memory everything works, and says so")
    func none() async throws {
        let result = try await Subject.run("entries", "1000", "4096", lockedMemoryLimit: 0)
        #expect(result.status == 0, "\(result.output)")
        #expect(result.output == "notLocked 0\n")
    }

    @Test("where locked memory is required and refused, a write is a typed error and keeps nothing")
    func required() async throws {
        let result = try await Subject.run("required", lockedMemoryLimit: 0)
        #expect(result.status == 0, "\(result.output)")
        #expect(result.output == "writeError(unavailable(write, memoryNotLocked)), 0 entries\nnotLocked\n")
    }

    @Test("where locked memory is required and granted, a write succeeds")
    func granted() async throws {
        let result = try await Subject.run("required", lockedMemoryLimit: Self.limit)
        #expect(result.status == 0, "\(result.output)")
        #expect(result.output == "taken\nlocked\n")
    }

    @Test("a child forked without exec is refused by every member, and never hangs")
    func fork() async throws {
        let result = try await Subject.run("fork", "200")
        #expect(result.status == 0, "\(result.output)")
    }
}
