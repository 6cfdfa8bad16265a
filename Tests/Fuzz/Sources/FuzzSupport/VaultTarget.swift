internal import FoundationEssentials

@testable internal import CredentialStorage
@testable internal import CredentialStorageFile

/// Opens a whole vault and asks it everything.
///
/// - Parameter input: A mode, the length of the header, the header, and the log.
public func fuzzVault(_ input: UnsafeBufferPointer<UInt8>) {
    let input = Input(input)
    let vault = KnownVault.shared
    let disk = MemoryDisk(files(input, vault))
    let check = CheckedVault(disk: disk, mode: input.mode, vault: vault)
    check.run()
}

private func files(_ input: Input, _ vault: KnownVault) -> [String: [UInt8]] {
    var first = Array(input.first.prefix(Layout.headerRoom))
    first += [UInt8](repeating: 0, count: Layout.headerRoom - first.count)
    Reseal.header(&first, input.mode, vault)
    let second = Array(vault.bytes[Layout.headerRoom..<Layout.logStart])
    var file = first + (input.mode.contains(.bothCopies) ? first : second) + input.second
    if !input.mode.contains(.isCut) {
        file += [UInt8](repeating: 0, count: Layout.block + (Layout.sector - file.count % Layout.sector))
    }
    if input.mode.contains(.frameMACs) {
        Reseal.frames(&file, from: Layout.logStart, logID: Bytes16(first.span, at: VaultHeader.logIDPlace), vault.keys)
    }
    var files = [KnownVault.path: file]
    if input.mode.contains(.companion) { files[KnownVault.companionPath] = vault.companion }
    return files
}

private struct CheckedVault {
    let disk: MemoryDisk
    let mode: Input.Mode
    let vault: KnownVault

    /// What a store gives, and what it says of the rest.
    private struct Contents: Equatable {
        var entries: [String: Data] = [:]
        var omitted: Set<String> = []
        var unnamed = 0
        var lost = 0
        var isComplete: Bool { omitted.isEmpty && unnamed == 0 && lost == 0 }
    }

    func run() {
        let store = KnownVault.builder(disk).build()
        let contents = contents(of: store)
        if let contents { checkSingle(contents, store) }
        if mode.contains(.writes) {
            checkWriting(contents, store)
        } else if let report = typed({ try store.verify() }), let report, let contents, mode.isWithoutKey {
            checkShortness(contents, report)
        }
        require(disk.paths.isSubset(of: [KnownVault.path, KnownVault.companionPath]), "litter")
    }

    private func typed<R>(_ body: () throws -> R) -> R? {
        do { return try body() } catch {
            let known = error as? StorageError
            require(known != nil && known?.cause != known, "the answer \(error)")
            return nil
        }
    }

    private func contents(of store: EncryptedFileStorage) -> Contents? {
        guard let bulk = typed({ try store.readAll() }) else { return nil }
        var contents = Contents(lost: bulk.lost)
        for entry in bulk.entries {
            require(vault.history[entry.key]?.contains(entry.value) == true, "a value that this name never had")
            require(contents.entries.updateValue(entry.value, forKey: entry.key) == nil, "an entry given twice")
        }
        for omission in bulk.omitted {
            guard let name = omission.key else {
                contents.unnamed += 1
                continue
            }
            require(vault.history[name] != nil, "the omission of a name that never was")
            contents.omitted.insert(name)
        }
        return contents
    }

    /// Names asked for one by one get the same answers.
    private func checkSingle(_ contents: Contents, _ store: EncryptedFileStorage) {
        for name in Array(vault.history.keys) + KnownVault.strangers {
            let answer = typed { try get(name, store, contents) }
            guard let answer else {
                require(contents.entries[name] == nil, "readAll gives what get does not")
                require(!contents.isComplete, "an error where nothing is wrong")
                continue
            }
            if let value = answer {
                require(vault.history[name]?.contains(value) == true, "a value that this name never had")
            } else {
                require(contents.lost == 0 || vault.history[name] != nil, "a stranger proven absent after a loss")
            }
            require(answer == contents.entries[name], "get and readAll differ")
        }
        if let names = typed({ try store.keys() }) {
            require(
                Set(names) == Set(contents.entries.keys).union(contents.omitted) && names == names.sorted(),
                "other names than entries")
        }
    }

    private func get(_ name: String, _ store: EncryptedFileStorage, _ contents: Contents) throws -> Data? {
        do { return try store.get(name) } catch {
            // The fault: something is given where the entry itself does not open.
            guard hasFault, let other = contents.entries.values.first else { throw error }
            return other
        }
    }

    /// Without a key nothing can be taken away unnoticed but the newest commits, and those not from the companion.
    private func checkShortness(_ contents: Contents, _ report: VaultReport) {
        guard report.damaged == 0, report.lost == 0, contents.isComplete else { return }
        require(vault.states.contains(contents.entries), "a state that never was, and nothing is reported")
        if mode.contains(.companion), !report.isRolledBack {
            require(contents.entries == vault.newest, "the newest changes are gone, and nothing is reported")
        }
    }

    /// What is written into whatever is left is there afterwards, and so is all that was there.
    private func checkWriting(_ before: Contents?, _ store: EncryptedFileStorage) {
        let value = Data("written".utf8)
        guard typed({ try store.set(value, forKey: "token") }) != nil else { return }
        let again = KnownVault.builder(disk).build()
        require((try? again.get("token")) == value, "something acknowledged is not there")
        guard let before else { return }
        for (name, value) in before.entries where name != "token" {
            require((try? again.get(name)) == value, "a write took another entry")
        }
    }
}
