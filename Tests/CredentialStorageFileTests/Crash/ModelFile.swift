import CredentialStorage

extension ModelDisk {
    enum Change: Sendable {
        case write(offset: Int, bytes: [UInt8])
        case size(Int)
    }

    struct File: Sendable {
        var kind = FileStatus.Kind.regular
        var mode: UInt32 = 0o600
        /// What a read gives.
        var bytes: [UInt8] = []
        /// What certainly survives.
        var durable: [UInt8] = []
        /// What was done since the last sync, in order.
        var pending: [Change] = []
        var holders: Set<Int32> = []
    }
}

extension ModelDisk.File {
    mutating func make(_ change: ModelDisk.Change) {
        change.apply(to: &bytes)
        pending.append(change)
    }

    /// Only what changed is written: what an earlier failed sync lost stays lost.
    mutating func becomeDurable() {
        for change in pending { change.apply(to: &durable) }
        pending = []
    }

    mutating func becomePartlyDurable(_ random: inout PowerCut.Generator) {
        durable = PowerCut.mixture(of: states, &random)
        pending = []
    }

    /// Every state that the disk may be in, in order.
    var states: [[UInt8]] {
        var states = [durable]
        for change in pending {
            var next = states[states.count - 1]
            change.apply(to: &next)
            states.append(next)
        }
        return states
    }

    /// What memory holds of a part is read from the disk again, but for what is still to be written.
    mutating func forget(_ range: Range<Int>) {
        let now = states[pending.count]
        for index in range where index < bytes.count { bytes[index] = index < now.count ? now[index] : 0 }
    }
}

extension ModelDisk.Change {
    func apply(to bytes: inout [UInt8]) {
        switch self {
        case .write(let offset, let new):
            if bytes.count < offset + new.count {
                bytes += [UInt8](repeating: 0, count: offset + new.count - bytes.count)
            }
            bytes.replaceSubrange(offset..<offset + new.count, with: new)
        case .size(let size):
            bytes = Array(bytes.prefix(size)) + [UInt8](repeating: 0, count: max(0, size - bytes.count))
        }
    }
}
