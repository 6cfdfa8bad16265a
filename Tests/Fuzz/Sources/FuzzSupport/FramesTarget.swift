@testable internal import CredentialStorage
@testable internal import CredentialStorageFile
@testable internal import CredentialStorageSealing

/// Scans a log.
///
/// - Parameter input: A mode, how much of the log was published, and the log.
public func fuzzFrames(_ input: UnsafeBufferPointer<UInt8>) {
    let input = Input(input)
    let vault = KnownVault.shared
    var file = [UInt8](repeating: 0, count: Layout.logStart) + input.bytes
    if !input.mode.contains(.isCut) {
        file += [UInt8](repeating: 0, count: Layout.block + (Layout.sector - file.count % Layout.sector))
    }
    if input.mode.contains(.frameMACs) {
        Reseal.frames(&file, from: Layout.logStart, logID: vault.header.logID, vault.keys)
    }
    let scan = CheckedScan(file: file, vault: vault)
    let published = input.mode.contains(.companion) ? Layout.logStart + input.number / 16 * 16 : nil
    scan.check(published: published, isWithoutKey: input.mode.isWithoutKey)
}

/// One log, and what must be true of every scan of it.
private struct CheckedScan {
    let file: [UInt8]
    let vault: KnownVault

    private var start: LogPosition { LogPosition(startOf: vault.header) }

    private func scanner(_ file: [UInt8], counting looks: Counter) -> LogScanner<Log> {
        let (keys, logID) = (vault.keys, vault.header.logID)
        return LogScanner(Log(bytes: file)) { head, offset in
            looks.number += 1
            let mac = keys.frameMAC(head, logID: logID, offset: offset)
            let found = Bytes16(head, at: FrameHead.macPlace.lowerBound)
            // The fault: half of the MAC is not compared.
            return hasFault ? mac.first == found.first : mac == found
        } vouch: { (_, _) throws(StorageFault) in
            looks.number += 1
            return false
        }
    }

    func check(published: Int?, isWithoutKey: Bool) {
        let looks = Counter()
        guard
            let result = run({ () throws(StorageFault) in
                try scanner(file, counting: looks).readAll(from: start, published: published)
            })
        else { return }
        // Each block may begin a frame, and each frame may be looked at by a few rules.
        require(looks.number <= file.count / 16 * 8 + 64, "\(looks.number) looks at \(file.count) bytes")
        checkItems(result)
        checkEnd(result, published)
        if published == nil { checkMending(result, isWithoutKey: isWithoutKey) }
        checkPublished(result)
    }

    private func run<R>(_ body: () throws(StorageFault) -> R) -> R? {
        do throws(StorageFault) { return try body() } catch {
            require(error == .undecryptable(.damaged), "the answer \(error)")
            return nil
        }
    }

    private func checkItems(_ result: ScanResult) {
        var (end, sequence) = (start.offset, start.nextSequence)
        var seen: Set<Bytes16> = []
        for item in result.items {
            switch item {
            case .frame(let frame):
                require(frame.offset >= end && frame.end <= file.count, "a frame out of place")
                require(frame.head.sequence >= sequence, "an older frame that counts")
                let head = file.span.extracting(frame.offset..<frame.offset + Layout.headLength)
                let mac = vault.keys.frameMAC(head, logID: vault.header.logID, offset: frame.offset)
                let found = Bytes16(head, at: FrameHead.macPlace.lowerBound)
                require(mac == found && mac.first == frame.mac, "a frame without its MAC")
                let echo = Bytes16(file.span, at: frame.end - Layout.echoLength)
                require(frame.isEchoSound == (echo == frame.head.nameHash), "a wrong echo that counts as sound")
                (end, sequence) = (frame.end, frame.head.sequence &+ 1)
                seen.insert(frame.head.nameHash)
            case .damage(let damage):
                require(damage.range.lowerBound >= end, "damage out of place")
                require(damage.lost >= 0, "less than nothing is lost")
                for frame in damage.frames {
                    let place = frame.offset..<frame.offset + frame.length
                    require(
                        damage.range.contains(place.lowerBound) && place.upperBound <= damage.range.upperBound,
                        "a damaged frame outside the damage")
                    require(frame.nameHash.map(seen.contains) ?? true, "a name that nothing vouches for")
                }
                end = damage.range.upperBound
            }
        }
        require(result.end.offset >= start.offset && result.end.offset % Layout.block == 0, "an end out of place")
    }

    private func checkEnd(_ result: ScanResult, _ published: Int?) {
        guard let torn = result.torn else { return }
        require(torn.lowerBound == result.end.offset, "a hole before the torn rest")
        if let published { require(torn.lowerBound >= published, "something published that counts as torn") }
    }

    /// Without its torn rest, and with its end published, a log is what it was said to be.
    ///
    /// How many frames damage took may no longer show, but that it took some does; only who holds the key can make a
    /// frame that tells of lost ones which never stood before it.
    private func checkMending(_ result: ScanResult, isWithoutKey: Bool) {
        guard let torn = result.torn else { return }
        var mended = file
        let end = max(torn.lowerBound, min(torn.upperBound, mended.count))
        for place in torn.lowerBound..<end { mended[place] = 0 }
        let again = run { () throws(StorageFault) in
            try scanner(mended, counting: Counter()).readAll(from: start, published: result.end.offset)
        }
        guard let again else { return }
        require(again.torn == nil, "a log never mended")
        require(again.frames == result.frames, "mending that takes frames")
        guard isWithoutKey else { return }
        // Where only zeros are left before the torn rest, the published number bears witness.
        let isNoticed = again.isDamaged || again.end.nextSequence < result.end.nextSequence
        require(result.isDamaged ? isNoticed : !again.isDamaged, "mending that takes or makes damage")
    }

    /// Reading up to the end finds the same frames, or says that there is more than frames.
    private func checkPublished(_ result: ScanResult) {
        let found = run { () throws(StorageFault) in
            try scanner(file, counting: Counter()).readPublished(from: start, to: result.end.offset)
        }
        guard let published = found, let published else { return }
        require(published.frames == result.frames, "two readings of one log differ")
    }
}

extension ScanResult {
    fileprivate var frames: [ScanItem] { items.filter { if case .frame = $0 { true } else { false } } }
    fileprivate var isDamaged: Bool { frames.count < items.count }
}

private final class Counter {
    var number = 0
}

private struct Log: LogSource {
    let bytes: [UInt8]
    var size: Int { bytes.count }

    func withBytes<R>(
        at offset: Int,
        count: Int,
        _ body: (Span<UInt8>) throws(StorageFault) -> R
    ) throws(StorageFault) -> R {
        try body(bytes.span.extracting(offset..<offset + count))
    }

    func nextData(from offset: Int) throws(StorageFault) -> Int? { offset }
}
