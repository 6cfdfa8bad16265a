internal import CCredentialShims

/// The first page of a file, as it is now: a look at it costs no system call.
///
/// Once somebody cut the file, it is zeros for ever.
@safe
package final class SharedPage: @unchecked Sendable {
    // Unchecked because of the address, which never changes.
    private let start: UnsafeRawPointer

    /// Maps a page; `nil` where that is not possible.
    init?(descriptor: Int32) {
        guard let start = unsafe ccs_map_page(descriptor) else { return nil }
        unsafe self.start = unsafe start
    }

    deinit { unsafe ccs_unmap_page(start) }

    /// The first eight bytes.
    package var word: UInt64 { unsafe UInt64(littleEndian: ccs_load_word(start)) }
}
