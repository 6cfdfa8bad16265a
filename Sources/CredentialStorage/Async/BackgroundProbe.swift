/// The early look that `build()` takes: off the caller's thread, without a dialog, without a write.
package enum BackgroundProbe {
    /// Looks once and logs at most one warning; the first real operation gives the authoritative error.
    package static func start(_ storage: some InspectableStorage & AnyObject) {
        onThreadForBlocking { [weak storage] in
            guard let storage, storage.probe().reason != nil else { return }
            storage.log.warning("a store cannot be used as it is; its first operation will say why")
        }
    }
}
