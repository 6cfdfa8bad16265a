import CredentialStorage

/// What a power cut leaves of a disk: one of the many states that it may leave.
///
/// Everything synced is there. Of the rest each 512-byte sector is as some change left it, or as if none had been made;
/// the size of a file is any that it had; and of the changes of names in a directory the first few happened.
struct PowerCut: CustomStringConvertible {
    enum Kind: Equatable {
        case nothingElse
        case everything
        case some(seed: UInt64)
    }

    let kind: Kind

    var description: String { "\(kind)" }

    func image(of disk: ModelDisk) -> ModelDisk {
        let state = disk.state.withLock { $0 }
        var random = Generator(state: 0)
        if case .some(let seed) = kind { random.state = seed }
        var names = state.durableNames
        for (_, renamings) in state.pendingNames.sorted(by: { $0.key < $1.key }) {
            for renaming in renamings.prefix(choose(0...renamings.count, &random)) {
                for (path, file) in renaming { names[path] = file }
            }
        }
        var files: [String: ModelDisk.File] = [:]
        var contents: [Int: ModelDisk.File] = [:]
        for (path, number) in names.sorted(by: { $0.key < $1.key }) {
            guard var file = contents[number] ?? state.files[number] else { continue }
            if contents[number] == nil { file.bytes = bytes(of: file, &random) }
            contents[number] = file
            files[path] = file
        }
        return ModelDisk(files)
    }

    private func choose(_ range: ClosedRange<Int>, _ random: inout Generator) -> Int {
        switch kind {
        case .nothingElse: range.lowerBound
        case .everything: range.upperBound
        case .some: Int.random(in: range, using: &random)
        }
    }

    private func bytes(of file: ModelDisk.File, _ random: inout Generator) -> [UInt8] {
        switch kind {
        case .nothingElse: file.durable
        case .everything: file.states[file.pending.count]
        case .some: Self.mixture(of: file.states, &random)
        }
    }

    /// Each sector takes one of the states that it went through.
    static func mixture(of states: [[UInt8]], _ random: inout Generator) -> [UInt8] {
        guard states.count > 1 else { return states[0] }
        let size = states.randomElement(using: &random)!.count
        let isWhole = Bool.random(using: &random)
        let common = states.indices.randomElement(using: &random)!
        var result: [UInt8] = []
        result.reserveCapacity(size)
        var sector = 0
        while sector < size {
            // Half of the mixtures are a moment between two changes.
            let chosen = states[isWhole ? common : states.indices.randomElement(using: &random)!]
            let end = min(sector + 512, size)
            if sector < chosen.count { result += chosen[sector..<min(end, chosen.count)] }
            result += [UInt8](repeating: 0, count: end - result.count)
            sector = end
        }
        return result
    }

    /// A small generator with a seed, so that a failure can be repeated.
    struct Generator: RandomNumberGenerator {
        var state: UInt64

        mutating func next() -> UInt64 {
            state &+= 0x9E37_79B9_7F4A_7C15
            var mixed = state
            mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
            mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
            return mixed ^ (mixed >> 31)
        }
    }
}
