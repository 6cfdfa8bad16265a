internal import CCredentialSodium
package import CredentialStorage
internal import Glibc

/// How much work Argon2id does for each guess of a passphrase.
public struct Argon2Parameters: Sendable, Equatable {
    /// Passes over the memory.
    public var passes: Int
    /// Memory in KiB.
    public var kibibytes: Int

    /// Makes parameters.
    ///
    /// They are checked when they are used.
    ///
    /// - Parameters:
    ///   - passes: Passes over the memory.
    ///   - kibibytes: Memory in KiB.
    public init(passes: Int, kibibytes: Int) {
        self.passes = passes
        self.kibibytes = kibibytes
    }

    /// 3 passes over 64 MiB: what a new passphrase slot gets unless it is told otherwise.
    public static let standard = Argon2Parameters(passes: 3, kibibytes: 64 * 1024)
    /// 2 passes over 19 MiB: nothing weaker is made or accepted.
    public static let floor = Argon2Parameters(passes: 2, kibibytes: 19 * 1024)
}

/// The most work that a file may demand, so that a hostile one cannot take the machine.
public struct Argon2Limits: Sendable, Equatable {
    /// The most passes.
    public var passes: Int
    /// The most memory, in KiB.
    public var kibibytes: Int
    /// The most passes times memory, in KiB.
    public var product: Int

    /// Makes limits.
    ///
    /// - Parameters:
    ///   - passes: The most passes.
    ///   - kibibytes: The most memory, in KiB.
    ///   - product: The most passes times memory, in KiB.
    public init(passes: Int, kibibytes: Int, product: Int) {
        self.passes = passes
        self.kibibytes = kibibytes
        self.product = product
    }

    /// 10 passes, 1 GiB, and 4 GiB for passes times memory.
    public static let standard = Argon2Limits(passes: 10, kibibytes: 1 << 20, product: 4 << 20)

    package func check(_ parameters: Argon2Parameters) throws(StorageFault) {
        let (passes, kibibytes) = (parameters.passes, parameters.kibibytes)
        guard passes >= Argon2Parameters.floor.passes, kibibytes >= Argon2Parameters.floor.kibibytes,
            passes <= self.passes, kibibytes <= self.kibibytes,
            kibibytes.multipliedReportingOverflow(by: passes).overflow == false, kibibytes * passes <= product
        else { throw .cause(.parametersOutOfRange) }
    }
}

package enum Argon2 {
    package static let saltLength = 16

    /// Derives 32 bytes.
    ///
    /// The parameters must have been checked.
    package static func derive(
        _ passphrase: borrowing SecureBuffer,
        salt: Span<UInt8>,
        _ parameters: Argon2Parameters
    ) throws(StorageFault) -> SecureBuffer {
        Sodium.start()
        precondition(salt.count == saltLength)
        let result = try SecureBuffer(count: 32, in: .shared)
        let target = unsafe result.address.assumingMemoryBound(to: UInt8.self)
        let status = passphrase.withBytes { passphrase in
            unsafe passphrase.withUnsafeBufferPointer { passphrase in
                unsafe salt.withUnsafeBufferPointer { salt in
                    unsafe passphrase.withMemoryRebound(to: CChar.self) { text in
                        unsafe crypto_pwhash(
                            target, 32, text.baseAddress!, UInt64(text.count), salt.baseAddress!,
                            UInt64(parameters.passes), parameters.kibibytes * 1024, crypto_pwhash_ALG_ARGON2ID13)
                    }
                }
            }
        }
        // The parameters are in range, so the one thing that can fail is the allocation.
        guard status == 0 else { throw .noMemory }
        return result
    }
}
