internal import CredentialStorage
internal import Glibc

/// A private directory that is removed when the process ends.
package struct TemporaryDirectory: Sendable {
    package let path: String

    package init() throws {
        let base = Environment.process["TMPDIR"] ?? "/tmp"
        var template = Array("\(base)/credential-tests-XXXXXX".utf8CString)
        let made = unsafe template.withUnsafeMutableBufferPointer { unsafe mkdtemp($0.baseAddress!) != nil }
        guard made else { throw SystemError(errno) }
        path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        Self.removeAtExit(path)
    }

    private static let made = Locked<[String]>([])
    private static let installed: Void = {
        atexit { TemporaryDirectory.removeAll() }
    }()

    private static func removeAtExit(_ path: String) {
        _ = installed
        made.withLock { $0.append(path) }
    }

    private static func removeAll() {
        for path in made.withLock({ $0 }) { remove(path) }
    }

    /// Removes a directory and everything below it.
    private static func remove(_ path: String) {
        guard let directory = unsafe opendir(path) else { return }
        while let entry = unsafe readdir(directory) {
            let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                unsafe pointer.withMemoryRebound(to: CChar.self, capacity: 256) { unsafe String(cString: $0) }
            }
            guard name != ".", name != ".." else { continue }
            let child = "\(path)/\(name)"
            if unsafe unlink(child) != 0 { remove(child) }
        }
        unsafe closedir(directory)
        unsafe rmdir(path)
    }
}
