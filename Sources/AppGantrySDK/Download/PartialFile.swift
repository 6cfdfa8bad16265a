internal import CredentialStorage
internal import CredentialStorageSealing
internal import FoundationEssentials

/// A file that is being received: under a name of its own until it is whole, and gone if it never is.
///
/// Not thread-safe; its owner holds a lock.
final class PartialFile {
    private let target: String
    private let path: String
    private let files: any FileSystem
    private let file: FileHandle
    private var isOver = false
    private var hash = Sha256()
    private(set) var count = 0

    init(for target: String, _ files: any FileSystem) throws(SDKError) {
        self.target = target
        self.files = files
        let path = "\(target).partial-\(randomName())"
        self.path = path
        file = try keeping { () throws(SystemError) in try files.open(path, .createNew) }
    }

    deinit {
        discard()
        files.close(file)
    }

    /// Removes what is here, unless it was kept.
    func discard() {
        if !isOver { try? files.remove(path) }
        isOver = true
    }

    func append(_ bytes: Data) throws(SDKError) {
        let (file, files, offset) = (file, files, count)
        try keeping { () throws(SystemError) in try files.write(file, bytes, at: offset) }
        hash.update(bytes.span)
        count += bytes.count
    }

    func restart() throws(SDKError) {
        let (file, files) = (file, files)
        try keeping { () throws(SystemError) in try files.setSize(0, of: file) }
        hash = Sha256()
        count = 0
    }

    /// Whether the bytes have this checksum.
    func has(_ checksum: [UInt8]) -> Bool { hash.finished() == checksum }

    /// Gives the file its name, in place of whatever stood there.
    func keep() throws(SDKError) {
        let (file, files, path, target) = (file, files, path, target)
        try keeping { () throws(SystemError) in
            try files.sync(file)
            try files.rename(path, to: target)
        }
        isOver = true
    }
}

/// Runs system calls about a received file.
func keeping<R>(_ body: () throws(SystemError) -> R) throws(SDKError) -> R {
    do {
        return try body()
    } catch {
        throw .transport(Phrase.notKept(error.number))
    }
}

extension FileSystem {
    fileprivate func write(_ file: FileHandle, _ bytes: Data, at offset: Int) throws(SystemError) {
        try write(file, Array(bytes), at: offset)
    }
}

/// A name that nothing has.
func randomName() -> String {
    String(UInt64.random(in: .min ... .max), radix: 36)
}
