/// When a store's entries may be used.
public enum Accessibility: String, Sendable, CaseIterable {
    /// From the first unlock of the user's keyring or key source on, also while the screen is locked.
    case afterFirstUnlockThisDeviceOnly
    /// Only while the user's session is unlocked.
    case whenUnlockedThisDeviceOnly
}

/// The protection that a store really reached, as opposed to the one that was hoped for.
public struct Protection: Sendable, Equatable {
    /// What holds the key.
    public enum Source: String, Sendable, CaseIterable {
        /// No key: values never leave the process's memory.
        case none
        /// A passphrase.
        case passphrase
        /// A file with a random key.
        case keyFile
        /// An entry of another store.
        case entry
        /// A systemd credential.
        case systemdCredential
        /// The kernel's keyring.
        case kernelKeyring
        /// The Secret Service provider.
        case provider
    }

    /// What ties the data to this machine.
    public enum Device: String, Sendable, CaseIterable {
        /// Nothing: a copy with its key opens elsewhere.
        case none
        /// The machine id is mixed into the key. This stops a copied file, not somebody who copies the id too.
        case machineID
        /// Values live in this process only.
        case process
    }

    /// Whether secrets in memory are kept from the swap.
    public enum Memory: String, Sendable, CaseIterable {
        /// Everything that this store keeps in memory is locked.
        case locked
        /// Some of it is; the system's limit was reached.
        case partlyLocked
        /// None of it is.
        case notLocked
    }

    /// Whether entries outlive the process.
    public enum Durability: String, Sendable, CaseIterable {
        /// They survive the process and a power cut.
        case durable
        /// They end with the process or with the next boot.
        case volatile
    }

    /// What holds the key.
    public var source: Source
    /// What ties the data to this machine.
    public var device: Device
    /// Whether secrets in memory are kept from the swap.
    public var memory: Memory
    /// Whether entries outlive the process.
    public var durability: Durability
    /// When entries may be used.
    public var accessibility: Accessibility

    /// Makes a description.
    ///
    /// - Parameters:
    ///   - source: What holds the key.
    ///   - device: What ties the data to this machine.
    ///   - memory: Whether secrets in memory are kept from the swap.
    ///   - durability: Whether entries outlive the process.
    ///   - accessibility: When entries may be used.
    public init(
        source: Source,
        device: Device,
        memory: Memory,
        durability: Durability,
        accessibility: Accessibility = .afterFirstUnlockThisDeviceOnly
    ) {
        self.source = source
        self.device = device
        self.memory = memory
        self.durability = durability
        self.accessibility = accessibility
    }
}

extension Protection: CustomStringConvertible {
    /// The five facts in words, as `credstore doctor` says them.
    public var description: String {
        """
        key source: \(source.rawValue), bound to this machine by: \(device.rawValue), secrets in memory: \
        \(memory.rawValue), entries: \(durability.rawValue), accessible: \(accessibility.rawValue)
        """
    }
}

/// Whether a store may go on where the system refuses to lock memory.
public enum LockedMemoryPolicy: String, Sendable, CaseIterable {
    /// Go on, and say so in ``Protection/memory-swift.property``.
    case preferred
    /// Refuse with ``UnavailableCategory/memoryNotLocked``.
    case required
}
