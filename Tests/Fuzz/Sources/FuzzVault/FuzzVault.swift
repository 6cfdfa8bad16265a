internal import FuzzSupport

@_cdecl("LLVMFuzzerInitialize")
func initialize(_ count: UnsafeMutablePointer<CInt>, _ arguments: UnsafeMutableRawPointer) -> CInt {
    Seeds.writeIfAsked("vault")
    return 0
}

@_cdecl("LLVMFuzzerTestOneInput")
func testOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    fuzzVault(UnsafeBufferPointer(start: start, count: count))
    return 0
}
