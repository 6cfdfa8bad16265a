import CredentialStorage
import CredentialStorageFile
import CredentialStorageSealing
import Foundation
import Testing

@Suite("What a power cut may leave", .timeLimit(.minutes(20)))
struct PowerCutTests {
    /// The states of the disk that are looked at for a cut behind each change.
    private static func cuts(_ change: Int) -> [PowerCut] {
        let seeds = runsLongTests ? 100 : 2
        return [PowerCut(kind: .nothingElse), PowerCut(kind: .everything)]
            + (0..<seeds).map { PowerCut(kind: .some(seed: UInt64(change * 1000 + $0))) }
    }

    @Test("holds every acknowledged entry, the one in flight old or new, and no litter", arguments: CrashScenario.all)
    func sweep(scenario: CrashScenario) throws {
        let beginning = try scenario.disk()
        var first = scenario.before
        if scenario.damage != nil, let before = first {
            first = CrashScenario.Content(entries: before.entries.filter { $0.key != "a" }, omitted: 1)
        }
        let states = [first] + scenario.steps.map(\.after)
        #expect(try CrashScenario.content(of: PowerCut(kind: .everything).image(of: beginning)) == first)
        for number in 1... {
            let disk = PowerCut(kind: .everything).image(of: beginning)
            let old = disk.bytes(at: CrashScenario.vault)
            let store = CrashScenario.store(on: disk)
            disk.stop(after: number)
            var acknowledged = 0
            for step in scenario.steps {
                guard failure({ try step.run(store) }) == nil else { break }
                acknowledged += 1
            }
            let allowed = states[acknowledged..<min(acknowledged + 2, states.count)] + scenario.between
            for cut in Self.cuts(number) {
                let what = "\(scenario), change \(number), \(cut), \(acknowledged) acknowledged"
                let image = cut.image(of: disk)
                reboot(image)
                let found = try require(try CrashScenario.content(of: image), what)
                #expect(allowed.contains(found), "\(what): \(String(describing: found))")
                let kept = image.bytes(at: CrashScenario.vault + ".old-1")
                if scenario.keepsOldFile, found == states[1], found != first { #expect(kept == old, "\(what)") }
                if let kept { #expect(kept == old, "\(what)") }
                try goOn(image, found, what)
            }
            if disk.changes < number {
                #expect(acknowledged == scenario.steps.count && number > 4)
                return
            }
        }
    }

    /// The next process works, without litter, and with what was found.
    private func goOn(_ image: ModelDisk, _ found: CrashScenario.Content?, _ what: String) throws {
        if found != nil { expectNoLitter(image, what) }
        try CrashScenario.store(on: image).set("next", forKey: "next")
        var expected = found ?? CrashScenario.Content()
        expected.entries["next"] = Data("next".utf8)
        #expect(try CrashScenario.content(of: image) == expected, "\(what)")
        expectNoLitter(image, what)
        if expected.omitted == 0 {
            #expect(try CrashScenario.store(on: image).verify()?.isSound == true, "\(what)")
        }
    }

    private func expectNoLitter(_ image: ModelDisk, _ what: String) {
        let own = ["", ".lock", ".old-1"].map { CrashScenario.vault + $0 }
        let litter = image.paths().filter { $0.hasPrefix("/data/") && !own.contains($0) }
        #expect(litter.isEmpty, "\(what)")
    }

    private func reboot(_ image: ModelDisk) {
        image.state.withLock { state in
            guard let boot = state.names[CrashScenario.boot] else { return }
            state.files[boot]?.bytes = Array("second boot".utf8)
        }
    }

    private func require<R>(_ body: @autoclosure () throws -> R, _ what: String) throws -> R {
        do { return try body() } catch { throw FileProblem(description: "\(what): \(error)") }
    }

    @Test("a changed key: the old one opens, or the new one, and after the next write exactly one does")
    func slots() throws {
        let scenario = CrashScenario(
            name: "slots", before: CrashScenario.Content(entries: ["a": Data(count: 10)]), steps: [])
        let beginning = try scenario.disk()
        beginning.state.withLock { state in
            state.files[state.nextFile] = CrashScenario.file([UInt8](repeating: 6, count: 32))
            state.durableNames["/keys/new.key"] = state.nextFile
            state.nextFile += 1
        }
        let keys = [CrashScenario.key, "/keys/new.key"]
        for number in 1... {
            let disk = PowerCut(kind: .everything).image(of: beginning)
            let store = CrashScenario.store(on: disk)
            disk.stop(after: number)
            let isAcknowledged = failure { try store.changeKey(inSlot: 1, to: .keyFile(keys[1])) } == nil
            for cut in Self.cuts(number) {
                let what = "change \(number), \(cut), \(isAcknowledged)"
                let image = cut.image(of: disk)
                reboot(image)
                func opening() -> [String] {
                    keys.filter { key in
                        let error = failure {
                            let value = try CrashScenario.store(on: image, key: key).get("a")
                            #expect(value == Data(count: 10), "\(what)")
                        }
                        #expect(error == nil || error?.cause == .wrongKey, "\(what): \(String(describing: error))")
                        return error == nil
                    }
                }
                let found = opening()
                #expect(!found.isEmpty, "\(what)")
                if isAcknowledged { #expect(found == [keys[1]], "\(what)") }
                guard let key = found.last else { continue }
                try CrashScenario.store(on: image, key: key).set("next", forKey: "next")
                #expect(opening() == [key], "\(what)")
                #expect(try CrashScenario.store(on: image, key: key).verify()?.isSound == true, "\(what)")
                expectNoLitter(image, what)
            }
            if disk.changes < number {
                #expect(isAcknowledged && number > 4)
                return
            }
        }
    }

    @Test("the model finds a rename without a sync before it, and an answer without a sync")
    func model() throws {
        // A disk that skips syncs keeps its promises to nobody, and the sweep would say so.
        let disk = try CrashScenario(
            name: "control", before: CrashScenario.Content(entries: ["a": Data(count: 10)]), steps: []
        ).disk()
        let lazy = PowerCut(kind: .everything).image(of: disk)
        let file = try lazy.open(CrashScenario.vault, .readWrite)
        try lazy.write(file, [1, 2, 3], at: 100_000)
        try lazy.rename(CrashScenario.vault, to: CrashScenario.vault + ".moved")
        let nothing = PowerCut(kind: .nothingElse).image(of: lazy)
        #expect(nothing.bytes(at: CrashScenario.vault) == disk.bytes(at: CrashScenario.vault))
        #expect(nothing.bytes(at: CrashScenario.vault + ".moved") == nil)
        let everything = PowerCut(kind: .everything).image(of: lazy)
        #expect(everything.bytes(at: CrashScenario.vault) == nil)
        #expect(everything.bytes(at: CrashScenario.vault + ".moved")?.count == 100_003)
        var (kept, lost, moved) = (0, 0, 0)
        for seed in 0..<200 {
            let image = PowerCut(kind: .some(seed: UInt64(seed))).image(of: lazy)
            let path = CrashScenario.vault + (image.bytes(at: CrashScenario.vault) == nil ? ".moved" : "")
            moved += path.hasSuffix(".moved") ? 1 : 0
            let bytes = try #require(image.bytes(at: path))
            if bytes.count > 65536 { kept += 1 } else { lost += 1 }
        }
        #expect(kept > 20 && lost > 20 && moved > 20 && moved < 180)
        // What is synced is there in every one.
        try lazy.sync(file)
        let directory = try lazy.open("/data", .directory)
        try lazy.sync(directory)
        for seed in 0..<20 {
            let image = PowerCut(kind: .some(seed: UInt64(seed))).image(of: lazy)
            #expect(image.bytes(at: CrashScenario.vault + ".moved")?.count == 100_003)
        }
    }
}
