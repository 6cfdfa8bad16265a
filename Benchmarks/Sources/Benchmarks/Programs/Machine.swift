internal import FoundationEssentials
internal import Glibc

/// What the figures were measured on.
struct Machine: Codable {
    var processor: String
    var cores: Int
    var memoryBytes: Int
    var kernel: String
    var system: String
    var swift: String
    var fileSystem: String
    /// The load average of the last minute when the run began: above a small part of one, others worked too.
    var load: Double

    /// This machine.
    ///
    /// - Parameter directory: Where the stores are.
    init(directory: String) {
        processor = Self.value(of: "model name", in: "/proc/cpuinfo", separator: ":") ?? "unknown"
        cores = sysconf(Int32(_SC_NPROCESSORS_ONLN))
        memoryBytes = sysconf(Int32(_SC_PHYS_PAGES)) * sysconf(Int32(_SC_PAGESIZE))
        kernel = contents("/proc/sys/kernel/osrelease").trimming()
        system = Self.value(of: "PRETTY_NAME", in: "/etc/os-release", separator: "=")?.trimming("\"") ?? "Linux"
        #if compiler(>=6.4)
            swift = "6.4 or later"
        #elseif compiler(>=6.3)
            swift = "6.3"
        #endif
        fileSystem = Self.fileSystem(of: directory)
        load = Double(contents("/proc/loadavg").split(separator: " ").first.map(String.init) ?? "") ?? 0
    }

    private static func value(of name: String, in file: String, separator: Character) -> String? {
        for line in contents(file).split(separator: "\n") where line.hasPrefix(name) {
            let parts = line.split(separator: separator, maxSplits: 1)
            if parts.count == 2 { return String(parts[1]).trimming() }
        }
        return nil
    }

    /// The type of the mount with the longest path above the directory.
    private static func fileSystem(of directory: String) -> String {
        let mounts = contents("/proc/self/mounts").split(separator: "\n").map {
            $0.split(separator: " ").map(String.init)
        }
        let above = mounts.filter { $0.count > 2 && ($0[1] == "/" || (directory + "/").hasPrefix($0[1] + "/")) }
        return above.max { $0[1].count < $1[1].count }.map { "\($0[2]) on \($0[0])" } ?? "unknown"
    }
}

/// The program that is running.
let ownProgram =
    (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? CommandLine.arguments[0]

/// The memory of this process that is in use and present.
func residentBytes() -> Int {
    for line in contents("/proc/self/status").split(separator: "\n") where line.hasPrefix("VmRSS:") {
        return (Int(line.split(separator: " ").dropLast().last ?? "") ?? 0) * 1024
    }
    return 0
}

/// What a file of the system says.
func contents(_ path: String) -> String {
    (FileManager.default.contents(atPath: path)).map { String(decoding: $0, as: UTF8.self) } ?? ""
}

extension String {
    /// The text without these characters at its ends.
    func trimming(_ characters: String = " \t\n") -> String {
        var text = self[...]
        while let first = text.first, characters.contains(first) { text.removeFirst() }
        while let last = text.last, characters.contains(last) { text.removeLast() }
        return String(text)
    }
}
