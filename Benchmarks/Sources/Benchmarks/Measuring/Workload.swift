internal import FoundationEssentials

/// The names and values that every subject is measured with.
struct Workload: Sendable {
    let entries: Int
    let valueBytes: Int
    let names: [String]
    /// The places of a pass in random order, the same in every run.
    let order: [Int]
    private let letters: [UInt8]

    init(entries: Int, valueBytes: Int) {
        self.entries = entries
        self.valueBytes = valueBytes
        names = (0..<entries).map(Self.name)
        var random = Numbers(state: 20_240_229)
        order = (0..<8192).map { _ in Int(random.next() % UInt64(entries)) }
        let alphabet = Array("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_".utf8)
        letters = (0..<valueBytes).map { _ in alphabet[Int(random.next() % 64)] }
    }

    static func name(_ number: Int) -> String {
        let digits = String(number)
        return "service/account-" + String(repeating: "0", count: max(0, 6 - digits.count)) + digits
    }

    /// A printable token.
    ///
    /// No two with different stamps are the same.
    func value(_ stamp: Int) -> Data {
        var bytes = Data(letters)
        for (place, digit) in String(stamp).utf8.enumerated() { bytes[place] = digit }
        return bytes
    }
}

/// Numbers that look random and are the same in every run (SplitMix64).
struct Numbers: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}

/// Goes through the random order, again and again.
final class Walk: @unchecked Sendable {
    // Each walk is used by one thread.
    private let order: [Int]
    private var place: Int

    init(_ workload: Workload, from place: Int = 0) {
        order = workload.order
        self.place = place
    }

    func next() -> Int {
        place += 1
        return order[place & 8191]
    }
}
