internal import FoundationEssentials

@testable internal import CredentialStorage
@testable internal import CredentialStorageFile
@testable internal import CredentialStorageSealing

/// One small vault, the same in each run, with its keys and with everything that it ever held.
struct KnownVault: Sendable {
    /// What it held after each commit, the empty beginning included.
    let states: [[String: Data]]
    let bytes: [UInt8]
    let companion: [UInt8]
    let header: VaultHeader
    let masterKey: SharedSecret
    let keys: VaultKeys
    /// Every value that a name ever had.
    let history: [String: Set<Data>]

    static let shared = KnownVault()
    static let path = MemoryDisk.directory + "/credentials.vault"
    static let companionPath = path + ".lock"
    static let strangers = ["never", "nowhere"]

    var newest: [String: Data] { states[states.count - 1] }

    static func builder(_ disk: MemoryDisk, _ key: KeySource = KeySource(FixedKey())) -> StorageBuilder.EncryptedFile {
        StorageBuilder.EncryptedFile(service: "fuzz").path(path).keySource(key).log(.silent).fileSystem(disk)
            .randomness(FixedRandomness()).deadline(.milliseconds(10)).lookingAhead(false)
    }

    private init() {
        let disk = MemoryDisk()
        let store = Self.builder(disk).build()
        var states: [[String: Data]] = [[:]]
        func change(_ body: (inout StorageBatch) throws -> Void, _ next: (inout [String: Data]) -> Void) {
            must { try store.update(body) }
            var state = states[states.count - 1]
            next(&state)
            states.append(state)
        }
        func set(_ name: String, _ text: String) {
            let value = Data(text.utf8)
            change({ try $0.set(value, forKey: name) }, { $0[name] = value })
        }
        set("token", "value of token")
        set("empty", "")
        set("long", String(repeating: "long ", count: 60))
        set("account", "first value of account")
        set("gone", "value of what is gone")
        change({ try $0.delete("gone") }, { $0["gone"] = nil })
        change(
            {
                try $0.set("in a batch", forKey: "batch one")
                try $0.set("also in a batch", forKey: "batch two")
                try $0.delete("empty")
            },
            {
                $0["batch one"] = Data("in a batch".utf8)
                $0["batch two"] = Data("also in a batch".utf8)
                $0["empty"] = nil
            })
        set("account", "second value of account")
        set("last", "the last one")
        self.states = states
        var history: [String: Set<Data>] = [:]
        for state in states { for (name, value) in state { history[name, default: []].insert(value) } }
        self.history = history
        bytes = disk[Self.path] ?? []
        companion = disk[Self.companionPath] ?? []
        let session = store.engine.state.read { $0.session }
        guard let session else { fatalError("the store is not open") }
        (header, masterKey, keys) = (session.header, session.masterKey, session.keys)
    }

    /// The used bytes of a header copy.
    var headerBytes: [UInt8] { Array(bytes.prefix(header.length)) }

    /// The log without its room.
    var log: [UInt8] { Array(bytes[Layout.logStart..<(frames.last?.upperBound ?? Layout.logStart)]) }

    /// Where the frames stand in the file.
    var frames: [Range<Int>] {
        var frames: [Range<Int>] = []
        var offset = Layout.logStart
        while let head = FrameHead(bytes.span, at: offset) {
            frames.append(offset..<offset + head.frameLength)
            offset += head.frameLength
        }
        return frames
    }
}
