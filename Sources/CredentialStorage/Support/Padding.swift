/// How long a plaintext becomes, so that its length tells little.
package enum Padding {
    /// A multiple of 32 up to 512 bytes; above that Padmé, which costs at most 12 %.
    package static func length(for count: Int) -> Int {
        if count <= 512 { return max(32, (count + 31) / 32 * 32) }
        let exponent = Int.bitWidth - 1 - count.leadingZeroBitCount
        let significant = Int.bitWidth - exponent.leadingZeroBitCount
        let mask = (1 << (exponent - significant)) - 1
        return (count + mask) & ~mask
    }

    /// The largest count that is padded to no more than `room`, or 0 where there is none.
    package static func largest(in room: Int) -> Int {
        if room < 32 { return 0 }
        if room <= 512 { return room / 32 * 32 }
        let exponent = Int.bitWidth - 1 - room.leadingZeroBitCount
        let significant = Int.bitWidth - exponent.leadingZeroBitCount
        return room & ~((1 << (exponent - significant)) - 1)
    }
}
