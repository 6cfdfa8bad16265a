/// The name of an application's namespace, or of an access group.
///
/// 1 to 128 of `A-Z a-z 0-9 . _ -`, not beginning with a dot or dash, so that it is a safe file name everywhere.
package struct ServiceName: Sendable, Hashable {
    package let text: String

    package init(checking text: String) throws(StorageFault) {
        let bytes = text.utf8
        guard (1...128).contains(bytes.count), bytes.allSatisfy(Self.isAllowed),
            let first = bytes.first, first != UInt8(ascii: "."), first != UInt8(ascii: "-")
        else { throw .cause(.invalidService) }
        self.text = text
    }

    private static func isAllowed(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "-"):
            true
        default: false
        }
    }
}
