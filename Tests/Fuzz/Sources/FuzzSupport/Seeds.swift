internal import FoundationEssentials
internal import Glibc

@testable internal import CredentialStorage
@testable internal import CredentialStorageFile
@testable internal import CredentialStorageSealing

/// What fuzzing starts from: the known vault, and what an attacker would do to it first.
public enum Seeds {
    /// Writes the seeds of a target and ends the process, where the environment asks for it.
    ///
    /// - Parameter target: `header`, `frames` or `vault`.
    public static func writeIfAsked(_ target: String) {
        guard let directory = getenv("FUZZ_WRITE_SEEDS") else { return }
        let seeds = target == "header" ? headers : target == "frames" ? logs : vaults
        for (name, bytes) in seeds {
            let path = String(cString: directory) + "/seed-" + name
            must { try Data(bytes).write(to: URL(filePath: path)) }
        }
        exit(0)
    }

    private static let vault = KnownVault.shared

    private static var headers: [(String, [UInt8])] {
        let sound = vault.headerBytes
        func slot(_ kind: UInt8, _ passes: UInt32, _ kibibytes: UInt32) -> [UInt8] {
            var slots = vault.header.slots
            var added = slots[0]
            (added.kind, added.passes, added.kibibytes, added.id) = (kind, passes, kibibytes, 2)
            slots.append(added)
            var header = vault.header
            header.slots = slots
            return header.encoded + [UInt8](repeating: 0, count: Layout.headerHashesLength)
        }
        let resealed: Input.Mode = [.plainHash, .headerMAC, .bothCopies]
        return [
            ("sound", Input.encode([], sound, sound)),
            ("one-copy", Input.encode([], sound, [])),
            ("changed", Input.encode([.bothCopies], Array(sound.dropLast()) + [sound[sound.count - 1] ^ 1], [])),
            ("resealed", Input.encode(resealed, sound, [])),
            ("two-slots", Input.encode(resealed, slot(9, 0, 0), [])),
            ("no-work", Input.encode(resealed, slot(1, 0, 0), [])),
            ("too-much-work", Input.encode(resealed, slot(1, .max, .max), [])),
            ("some-work", Input.encode(resealed, slot(1, 2, 19456), [])),
        ]
    }

    /// Logs as an attacker without a key makes them.
    private static var changedLogs: [(String, [UInt8])] {
        let (log, frames) = (vault.log, vault.frames)
        func part(_ index: Int) -> [UInt8] { Array(vault.bytes[frames[index]]) }
        func joined(_ order: [Int]) -> [UInt8] { order.flatMap(part) }
        let all = Array(frames.indices)
        var changed = log
        changed[frames[1].lowerBound - Layout.logStart + Layout.headLength + 9] ^= 4
        var headless = log
        headless[frames[2].lowerBound - Layout.logStart + 45] ^= 4
        var echoless = log
        echoless[frames[3].upperBound - Layout.logStart - 3] ^= 4
        var secondHalf = log
        secondHalf[frames[4].lowerBound - Layout.logStart + FrameHead.macPlace.upperBound - 2] ^= 4
        var torn = log
        for place in torn.count - 70..<torn.count { torn[place] = 0 }
        var hugeGap = log
        hugeGap[frames[5].lowerBound - Layout.logStart + 31] = 0x7F
        var cutBehindGarbage = Array(log.dropLast(20))
        for place in frames[5].lowerBound..<frames[10].lowerBound { cutBehindGarbage[place - Layout.logStart] = 0x5A }
        return [
            ("huge-gap", hugeGap), ("cut-behind-garbage", cutBehindGarbage), ("sound", log), ("empty", []),
            ("changed-box", changed), ("changed-head", headless),
            ("changed-echo", echoless), ("changed-mac", secondHalf), ("torn", torn), ("cut", Array(log.dropLast(40))),
            ("removed", joined(all.filter { $0 != 3 })), ("swapped", joined([1, 0] + all.dropFirst(2))),
            ("twice", joined(all + [2])), ("backwards", joined(all.reversed())),
            ("half-a-batch", joined(all.filter { $0 != 7 })), ("newest-gone", joined(all.dropLast())),
        ]
    }

    private static var logs: [(String, [UInt8])] {
        changedLogs.flatMap { name, log in
            [
                (name, Input.encode([], 0, log)), (name + "-resealed", Input.encode([.frameMACs], 0, log)),
                (name + "-published", Input.encode([.companion], log.count, log)),
            ]
        }
    }

    private static var vaults: [(String, [UInt8])] {
        let header = vault.headerBytes
        let logs: [(String, [UInt8])] = changedLogs.flatMap { name, log in
            [
                (name, Input.encode([], header, log)), (name + "-written-to", Input.encode([.writes], header, log)),
                (name + "-resealed", Input.encode([.frameMACs, .writes], header, log)),
                (name + "-published", Input.encode([.companion], header, log)),
            ]
        }
        return logs + [
            ("no-header", Input.encode([], [], vault.log)),
            ("header-resealed", Input.encode([.plainHash, .headerMAC, .bothCopies, .writes], header, vault.log)),
            ("room-gone", Input.encode([.isCut, .writes], header, vault.log)),
        ]
    }
}
