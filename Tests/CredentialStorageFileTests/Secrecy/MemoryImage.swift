import Foundation
import Glibc

/// Everything that is in the memory of a child process, pages that are left out of core dumps included.
struct MemoryImage {
    /// Something to look for, and what to call it.
    struct Needle {
        let name: String
        let bytes: [UInt8]
    }

    /// Where something was found.
    struct Finding: CustomStringConvertible {
        let name: String
        let area: String
        /// Whether the pages are locked into memory or left out of core dumps.
        let isGuarded: Bool
        var description: String { "\(name) in \(area)\(isGuarded ? " (guarded)" : "")" }
    }

    private struct Area {
        let range: Range<UInt64>
        let name: String
        let isGuarded: Bool
    }

    private let areas: [Area]
    private let identifier: pid_t

    init(of identifier: pid_t) throws {
        self.identifier = identifier
        let text = try Self.text(of: "/proc/\(identifier)/smaps")
        var areas: [Area] = []
        var current: (range: Range<UInt64>, name: String)?
        for line in text.split(separator: "\n") {
            let words = line.split(separator: " ", omittingEmptySubsequences: true)
            let bounds = words[0].split(separator: "-").compactMap { UInt64($0, radix: 16) }
            if bounds.count == 2, bounds[0] < bounds[1] {
                let isReadable = words[1].hasPrefix("r")
                current = isReadable ? (bounds[0]..<bounds[1], words.count > 5 ? String(words[5]) : "anonymous") : nil
            } else if words[0] == "VmFlags:", let (range, name) = current, !name.hasPrefix("[v") {
                areas.append(Area(range: range, name: name, isGuarded: words.contains("dd")))
            }
        }
        // Near the end of the list, so that one that was cut off is noticed.
        guard areas.contains(where: { $0.name == "[stack]" }) else {
            throw FileProblem(description: "no stack is listed")
        }
        self.areas = areas
    }

    /// Reads a file that has no size.
    private static func text(of path: String) throws -> String {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw FileProblem(description: "open for reading: \(errno)") }
        defer { close(descriptor) }
        var text: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 65536)
        while true {
            let got = read(descriptor, &piece, piece.count)
            guard got > 0 else { return String(decoding: text, as: UTF8.self) }
            text += piece[..<got]
        }
    }

    /// Every place where any 16 bytes in a row of a needle stand, once for each needle and area.
    func search(_ needles: [Needle]) throws -> [Finding] {
        let search = NeedleSearch(needles)
        let memory = open("/proc/\(identifier)/mem", O_RDONLY | O_CLOEXEC)
        guard memory >= 0 else { throw FileProblem(description: "the memory cannot be read: \(errno)") }
        defer { close(memory) }
        var findings: [Finding] = []
        var total = 0
        let piece = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 20, alignment: 16)
        defer { piece.deallocate() }
        for area in areas {
            var found: Set<String> = []
            var place = area.range.lowerBound
            while place < area.range.upperBound {
                let wanted = min(piece.count, Int(area.range.upperBound - place))
                let got = pread(memory, piece.baseAddress, wanted, Int(truncatingIfNeeded: place))
                guard got > 0 else {
                    // A page that cannot be read, such as one of a file behind its end.
                    place += UInt64(min(wanted, 4096))
                    continue
                }
                total += got
                found.formUnion(search.names(in: UnsafeRawBufferPointer(start: piece.baseAddress, count: got)))
                // Pieces overlap, so that what stands across their border is seen.
                place += UInt64(got < wanted || got < 32 ? got : got - (wanted == piece.count ? 16 : 0))
            }
            findings += found.sorted().map { Finding(name: $0, area: area.name, isGuarded: area.isGuarded) }
        }
        guard total > 1 << 20 else { throw FileProblem(description: "hardly any memory could be read") }
        return findings
    }
}

/// Looks for many needles at once.
struct NeedleSearch {
    private static let window = 16
    /// Whether a window of a needle begins with these two bytes.
    private var starts = [Bool](repeating: false, count: 1 << 16)
    private var windows: [[UInt8]: String] = [:]

    init(_ needles: [MemoryImage.Needle]) {
        for needle in needles {
            // Every byte of a needle begins a window, so that any 16 of its bytes are enough.
            for start in 0...(needle.bytes.count - Self.window) {
                let window = Array(needle.bytes[start..<start + Self.window])
                windows[window] = needle.name
                starts[Int(window[0]) | Int(window[1]) << 8] = true
            }
        }
    }

    func names(in bytes: UnsafeRawBufferPointer) -> Set<String> {
        var found: Set<String> = []
        guard bytes.count >= Self.window, let start = bytes.baseAddress else { return found }
        starts.withUnsafeBufferPointer { starts in
            var place = 0
            let end = bytes.count - Self.window
            while place <= end {
                if starts[Int((start + place).loadUnaligned(as: UInt16.self))] {
                    let window = [UInt8](UnsafeRawBufferPointer(start: start + place, count: Self.window))
                    if let name = windows[window] { found.insert(name) }
                }
                place += 1
            }
        }
        return found
    }
}
