import CredentialStorage
import CredentialStorageFile
import Foundation
import Testing

@Suite("Concurrency: every answer fits one order of all calls", .timeLimit(.minutes(10)), .serialized)
struct ConcurrencyLinearizabilityTests {
    private static func call(_ begin: Int, _ end: Int, _ action: History.Call.Action) -> History.Call {
        History.Call(begin: begin, end: end, action: action)
    }

    @Test("the checker accepts what overlaps in any order, and refuses what no order explains")
    func checker() {
        let call = Self.call
        #expect(History([]).isLinearizable)
        #expect(History([call(0, 9, .write("a")), call(1, 2, .read(nil)), call(3, 4, .read("a"))]).isLinearizable)
        #expect(
            History([
                call(0, 9, .write("a")), call(0, 9, .write("b")), call(1, 8, .read("b")), call(10, 11, .read("a")),
                call(0, 12, .delete(true)), call(13, 14, .read(nil)),
            ]).isLinearizable)
        let refused: [(String, [History.Call])] = [
            ("a stale read", [call(0, 1, .write("a")), call(2, 3, .write("b")), call(4, 5, .read("a"))]),
            ("a lost write", [call(0, 1, .write("a")), call(2, 3, .read(nil))]),
            ("a value from nowhere", [call(0, 9, .write("a")), call(1, 8, .read("b"))]),
            (
                "the new value, then the old one",
                [
                    call(0, 1, .write("a")), call(2, 9, .write("b")), call(3, 4, .read("b")), call(5, 6, .read("a")),
                ]
            ),
            (
                "two that created it",
                [
                    call(0, 9, .compareAndSet(expected: nil, new: "a", true)),
                    call(0, 9, .compareAndSet(expected: nil, new: "b", true)),
                ]
            ),
            (
                "a comparison that was right and failed",
                [
                    call(0, 1, .write("a")), call(2, 3, .compareAndSet(expected: "a", new: "b", false)),
                ]
            ),
            ("a removal of nothing", [call(0, 1, .delete(true))]),
            ("two that removed it", [call(0, 1, .write("a")), call(2, 9, .delete(true)), call(2, 9, .delete(true))]),
        ]
        for (what, calls) in refused { #expect(!History(calls).isLinearizable, "\(what)") }
    }

    /// What two threads in each of two processes did to each name, beside compactions in a third one if asked for.
    private static func record(besideCompactions: Bool) throws -> [String: [History.Call]] {
        let vault = try TestVault()
        let processes = try (0..<2).map { index in
            try SubjectProcess(["record", vault.path, vault.keyPath, "\(index)", "100"])
        }
        for process in processes { #expect(process.line() == "ready") }
        var compactor: SubjectProcess?
        if besideCompactions { compactor = try SubjectProcess(["compact-for-ever", vault.path, vault.keyPath]) }
        _ = compactor?.line()
        for process in processes { process.send(Array("go\n".utf8)) }
        var calls: [String: [History.Call]] = [:]
        for process in processes {
            let result = process.finish()
            #expect(result.status == 0 && result.lines.count == 200)
            for line in result.lines {
                let (name, call) = try #require(History.Call.parse(line), "\(line)")
                calls[name, default: []].append(call)
            }
        }
        compactor?.signal(SIGKILL)
        _ = compactor?.finish()
        return calls
    }

    @Test(
        "reads, writes, comparisons and removals by four threads in two processes", arguments: [false, true])
    func processes(besideCompactions: Bool) throws {
        for round in 0..<(runsLongTests ? 30 : 2) {
            let calls = try Self.record(besideCompactions: besideCompactions)
            #expect(calls.count == 3)
            for (name, calls) in calls {
                #expect(History(calls).isLinearizable, "round \(round), \(name)")
                // The control: one answer of the same history that is out of date.
                let reads = calls.indices.filter { if case .read(.some) = calls[$0].action { true } else { false } }
                    .sorted { calls[$0].end < calls[$1].end }
                let (first, last) = (try #require(reads.first), try #require(reads.last))
                let isReplaced = reads.contains { index in
                    calls[index].action != calls[first].action && calls[index].begin > calls[first].end
                        && calls[index].end < calls[last].begin
                }
                try #require(isReplaced, "a history in which nothing happens")
                var broken = calls
                broken[last].action = calls[first].action
                #expect(!History(broken).isLinearizable, "round \(round), \(name)")
                // The calls overlapped, or this would show nothing.
                let byBegin = calls.sorted { $0.begin < $1.begin }
                #expect(zip(byBegin, byBegin.dropFirst()).contains { $0.end > $1.begin })
            }
        }
    }
}
