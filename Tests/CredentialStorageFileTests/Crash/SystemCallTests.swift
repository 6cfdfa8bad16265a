import CredentialStorage
import CredentialStorageFile
import Foundation
import Testing

enum Tracing {
    static let isPossible: Bool = {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/strace")
        process.arguments = ["-f", "-o", "/dev/null", "true"]
        process.standardError = FileHandle.nullDevice
        guard (try? process.run()) != nil else { return false }
        process.waitUntilExit()
        return process.terminationStatus == 0
    }()
}

@Suite(
    "The system calls of a real process", .timeLimit(.minutes(2)),
    .enabled(if: Tracing.isPossible, "strace is missing or may not trace"))
struct SystemCallTests {
    /// What matters of a traced call.
    private enum Call: Equatable {
        case write(String)
        case sync(String)
        case rename
        case answer(String)
    }

    private static func calls(_ text: String, in vault: TestVault) -> [Call] {
        text.split(separator: "\n").compactMap { line in
            let rest = line.drop { $0 != " " }.drop { $0 == " " }
            guard let open = rest.firstIndex(of: "(") else { return nil }
            let name = rest[..<open]
            // `-y` prints the file behind each descriptor.
            let file = rest.firstIndex(of: "<").flatMap { start in
                rest[start...].firstIndex(of: ">").map { String(rest[rest.index(after: start)..<$0]) }
            }
            switch name {
            case "pwrite64", "pwritev", "pwritev2": return file.map(Call.write)
            case "fsync", "fdatasync": return file.map(Call.sync)
            case "rename", "renameat", "renameat2":
                return rest.contains("\"\(vault.path).new\"") && rest.contains("\"\(vault.path)\"") ? .rename : nil
            case "write" where rest[open...].hasPrefix("(1<"):
                let word = rest.split(separator: "\"").dropFirst().first ?? ""
                return .answer(String(word.prefix { $0 != "\\" }))
            default: return nil
            }
        }
    }

    @Test("data is synced before an answer, a file before its rename, the directory after it")
    func order() throws {
        let vault = try TestVault()
        let log = vault.root + "/trace"
        let trace = "trace=pwrite64,pwritev,pwritev2,write,fsync,fdatasync,rename,renameat,renameat2"
        let result = try SubjectProcess.run(
            "maintain-once", vault.path, vault.keyPath,
            // A process that is traced cannot be looked through for leaks as well.
            prefix: ["env", "ASAN_OPTIONS=detect_leaks=0", "strace", "-f", "-y", "-o", log, "-e", trace])
        #expect(result.status == 0 && result.lines == ["set", "set", "compact", "rotate"])
        let calls = Self.calls(String(decoding: try readFile(log), as: UTF8.self), in: vault)
        let parts = calls.split { if case .answer = $0 { true } else { false } }.map(Array.init)
        #expect(calls.filter { if case .answer = $0 { true } else { false } }.count == 4 && parts.count == 4)
        for part in parts.prefix(2) {
            let last = try #require(part.lastIndex(of: .write(vault.path)))
            #expect(part[last...].contains(.sync(vault.path)), "\(part)")
            #expect(!part.contains(.rename))
        }
        for part in parts.dropFirst(2) {
            let rename = try #require(part.firstIndex(of: .rename))
            let written = try #require(part.lastIndex(of: .write(vault.path + ".new")))
            let synced = try #require(part.lastIndex(of: .sync(vault.path + ".new")))
            let directory = try #require(part.firstIndex(of: .sync(vault.directory)))
            #expect(written < synced && synced < rename && rename < directory, "\(part)")
        }
    }
}
