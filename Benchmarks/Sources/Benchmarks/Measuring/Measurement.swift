/// Whose work was measured.
enum Subject: String, Codable, CaseIterable {
    case vault = "file store"
    case secretService = "Secret Service store"
    case memory = "memory store"
    case credstore
    case lmdb = "LMDB + libsodium"
    case sqlite = "SQLite WAL + libsodium"
    case sqlcipher = "SQLCipher"
    case blob = "encrypted JSON blob"
    case libsodium = "libsodium alone"
    case append = "append + fdatasync alone"
    case dictionary
    case libsecret
    case libsecretFile = "libsecret's file"
    case rawBus = "raw D-Bus"
    case keyringPython = "python keyring"
    case secretStoragePython = "python SecretStorage"
    case secretTool = "secret-tool"
    case heldVault = "file store, key in the keyring"

    /// Whether it is this package's.
    var isOurs: Bool { [.vault, .secretService, .memory, .credstore, .heldVault].contains(self) }
}

/// What was done.
enum Operation: String, Codable, CaseIterable {
    case fill = "fill an empty store"
    case overwrite = "set, present"
    case overwrite8 = "set, present, 8 writers"
    case overwrite32 = "set, present, 32 writers"
    case overwriteFlat = "set, present, sizes side by side"
    case insert = "set, new"
    case batch = "batch of 1 000"
    case delete
    case withSecret
    case get
    case oneThread = "withSecret, one thread"
    case twoThreads = "withSecret, two threads"
    case readAll
    case getAll
    case readAllFirst = "readAll, first"
    case open = "open and read one"
    case openProcess = "open and read one, new process"
    case program = "read one, whole program"
    case size = "size of the file, bytes"
    case memory = "memory to open and read, bytes"
    case wholeMemory = "memory of the whole process, bytes"
    case seal
    case unseal = "open"
    case unsealTwoThreads = "open, two threads"
    case append
    case createItem = "CreateItem"
    case ping = "empty call"
    case overrun = "over the deadline, provider stopped"

    /// Whether the figure is a number of bytes, not a time.
    var isBytes: Bool { [.size, .memory, .wholeMemory].contains(self) }
}

/// What a figure is about: who did what, with how many entries of which size.
struct Point: Hashable, Codable {
    var subject: Subject
    var operation: Operation
    var entries: Int
    var valueBytes: Int
}

/// One figure of one run.
///
/// Times are nanoseconds for one operation.
struct Measurement: Codable {
    var point: Point
    var p50: Double
    var p99: Double
    /// Operations a second; where a bulk read or a batch was measured, entries a second.
    var perSecond: Double
    var samples: Int
}

/// A figure over all runs: each member is the median of the runs'.
struct Summary: Codable {
    var point: Point
    var p50: Double
    var p99: Double
    var perSecond: Double
    var samples: Int
    /// The p50 of each run.
    var runs: [Double]

    init(_ point: Point, _ runs: [Measurement]) {
        self.point = point
        p50 = median(runs.map(\.p50))
        p99 = median(runs.map(\.p99))
        perSecond = median(runs.map(\.perSecond))
        samples = runs.map(\.samples).reduce(0, +)
        self.runs = runs.map(\.p50)
    }
}

func median(_ values: [Double]) -> Double { quantile(0.5, of: values.sorted()) }

/// The value below which this share of the sorted values lies.
func quantile(_ share: Double, of sorted: [Double]) -> Double {
    sorted.isEmpty ? 0 : sorted[Int((share * Double(sorted.count - 1)).rounded())]
}
