/// Where a store reports what it left out, and what a person should know.
///
/// A value: give one to a builder with `.log(_:)`. Without one a store uses ``default``, which is silent until
/// the program installs a sink. Records never hold a value; they hold an entry's name for omissions only.
public struct StorageLog: Sendable {
    /// How much a record matters.
    public enum Level: Int, Sendable, Comparable, CaseIterable {
        /// Steps, for finding a fault.
        case debug
        /// Something worth knowing.
        case info
        /// Something is not as it should be, and the store goes on.
        case warning
        /// Something failed.
        case error

        /// Whether the left level matters less.
        public static func < (left: Level, right: Level) -> Bool { left.rawValue < right.rawValue }
    }

    /// One record.
    public struct Record: Sendable {
        /// How much it matters.
        public let level: Level
        /// Which part of the program it comes from.
        public let tag: String
        /// A fixed sentence.
        public let message: String
        /// The name of the entry that was left out, if the record is about one.
        public let entry: String?
    }

    /// The tag of every store unless its log says otherwise.
    public static let storageTag = "HAAPI_DRIVER_STORAGE"

    /// The tag of the records.
    public var tag: String
    /// Records below this level are dropped.
    public var minimumLevel: Level
    /// Takes the records, on the calling thread.
    public var sink: @Sendable (Record) -> Void

    /// Makes a log.
    ///
    /// - Parameters:
    ///   - tag: The tag of the records.
    ///   - minimumLevel: Records below this level are dropped.
    ///   - sink: Takes the records. It runs on the calling thread, so it should be quick, and it must not use the
    ///     store that reports.
    public init(
        tag: String = StorageLog.storageTag,
        minimumLevel: Level = .warning,
        sink: @escaping @Sendable (Record) -> Void
    ) {
        self.tag = tag
        self.minimumLevel = minimumLevel
        self.sink = sink
    }

    /// Drops everything.
    public static let silent = StorageLog(minimumLevel: .error) { _ in }

    private static let installed = Locked<(minimumLevel: Level, sink: @Sendable (Record) -> Void)?>(nil)

    /// The log of every store that was given none: silent until a program installs a sink.
    public static let `default` = StorageLog(minimumLevel: .debug) { record in
        guard let (minimumLevel, sink) = installed.withLock({ $0 }), record.level >= minimumLevel else { return }
        sink(record)
    }

    /// Gives the default log a sink.
    ///
    /// The program does this once, not a library.
    ///
    /// - Parameters:
    ///   - minimumLevel: Records below this level are dropped.
    ///   - sink: Takes the records, on the thread of the store that reports.
    /// - Returns: `false` when a sink was installed before; the first one stays.
    @discardableResult
    public static func installDefaultSink(
        minimumLevel: Level = .warning,
        _ sink: @escaping @Sendable (Record) -> Void
    ) -> Bool {
        installed.withLock { current in
            guard current == nil else { return false }
            current = (minimumLevel, sink)
            return true
        }
    }

    package func record(_ level: Level, _ message: StaticString, entry: String? = nil) {
        guard level >= minimumLevel else { return }
        sink(Record(level: level, tag: tag, message: message.description, entry: entry))
    }

    package func debug(_ message: StaticString) { record(.debug, message) }
    package func warning(_ message: StaticString, entry: String? = nil) { record(.warning, message, entry: entry) }
}
