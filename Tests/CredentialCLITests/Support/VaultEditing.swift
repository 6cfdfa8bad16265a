import CredentialStorage
import CredentialStorageSealing
import FoundationEssentials
import Glibc

/// One frame as `verify --json` reports it.
struct ReportedFrame {
    let offset: Int
    let length: Int
    let kind: String
    let state: String
}

extension Sandbox {
    /// Changes the bytes of the vault in place, as a hostile or broken disk would.
    func editVault(_ change: (inout [UInt8]) -> Void) throws {
        var content = try bytes(ofFile: vault)
        change(&content)
        let descriptor = unsafe open(vault, O_WRONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw TestProblem("open of the vault: \(errno)") }
        defer { close(descriptor) }
        guard unsafe pwrite(descriptor, content, content.count, 0) == content.count,
            ftruncate(descriptor, content.count) == 0
        else { throw TestProblem("write to the vault: \(errno)") }
    }

    /// The frames, in file order.
    func frames() throws -> [ReportedFrame] {
        let report = try run("verify", "--json").json()
        return try (report["frames"]?.array ?? []).map { frame in
            guard let offset = frame["offset"]?.number.flatMap({ Int($0) }),
                let length = frame["length"]?.number.flatMap({ Int($0) }),
                let kind = frame["kind"]?.string, let state = frame["state"]?.string
            else { throw TestProblem("a frame of the report lacks a member") }
            return ReportedFrame(offset: offset, length: length, kind: kind, state: state)
        }
    }

    /// Damages a frame where its name can still be told: in the last byte of the sealed body.
    func damage(_ frame: ReportedFrame) throws {
        try editVault { $0[frame.offset + frame.length - 17] ^= 1 }
    }

    /// Changes both copies of the header and makes their plain checksum hold again, as an attacker would.
    func editHeaders(_ change: (inout ArraySlice<UInt8>) -> Void) throws {
        try editVault { content in
            for start in [0, 8192] {
                let used = Int(content[start + 12]) | Int(content[start + 13]) << 8
                change(&content[start..<start + used])
                var hash = Blake2b(length: 32, key: [UInt8]().span)
                hash.update(Array(content[start..<start + used - 32]).span)
                content.replaceSubrange(start + used - 32..<start + used, with: hash.finish())
            }
        }
    }
}
