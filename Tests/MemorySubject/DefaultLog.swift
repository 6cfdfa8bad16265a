internal import CredentialStorage

/// Installs the default log's sink, which a process can do once.
enum DefaultLog {
    static func run() {
        let log = StorageBuilder.InMemory().build().log
        log.record(.error, "before")
        let isFirst = StorageLog.installDefaultSink { print("first: \($0.level) \($0.tag) \($0.message)") }
        let isSecond = StorageLog.installDefaultSink(minimumLevel: .debug) { print("second: \($0.message)") }
        guard isFirst, !isSecond else { return print("the wrong sink was taken") }
        // The log was handed out before the sink came, and still reaches it.
        log.record(.warning, "after")
        log.record(.info, "below the level")
    }
}
