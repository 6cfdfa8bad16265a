internal import CCredentialShims

/// Tells a process from its forked child, which shares neither locks nor threads with its parent.
package enum ForkGuard {
    /// Must be called before each use of a store: one load of a page that the kernel wipes at fork.
    package static func check() throws(StorageFault) {
        guard ccs_same_process() != 0 else { throw .unavailable(.forkedProcess) }
    }

    package static var isOriginalProcess: Bool { ccs_same_process() != 0 }
}
