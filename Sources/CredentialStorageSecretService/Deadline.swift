#if SecretService
    internal import CredentialStorage

    /// The moment by which one operation is over, however many calls it makes.
    struct Deadline: Sendable {
        let moment: ContinuousClock.Instant

        init(after duration: Duration) { moment = .now + duration }
        init(_ moment: ContinuousClock.Instant) { self.moment = moment }

        var left: Duration { moment - .now }
        var isOver: Bool { left <= .zero }

        /// The time for looking again at what others may be about to put right, with a part of what is left.
        func patience(atMost longest: Duration) -> Patience { Patience(until: .now + min(longest, left / 4)) }

        /// This one, or an earlier one.
        func orAfter(_ duration: Duration) -> Deadline { Deadline(min(moment, .now + duration)) }
    }

    /// Naps between looks at something that passes by itself, as a rule.
    struct Patience {
        private let end: ContinuousClock.Instant
        private var length = Duration.milliseconds(5)

        /// How long two items of one name are taken for the work of two writers that is not done yet.
        static let ofReaders = Duration.seconds(1)
        /// How long whoever made one of them waits for the others to remove theirs.
        static let ofWriters = Duration.milliseconds(400)
        private static let longestNap = Duration.milliseconds(80)

        init(until end: ContinuousClock.Instant) { self.end = end }

        /// Naps.
        ///
        /// - Returns: `false`, at once, where it is over.
        /// - Throws: `cancelled`.
        mutating func nap() throws(BusFailure) -> Bool {
            let left = end - .now
            guard left > .zero else { return false }
            pause(for: min(length, left))
            length = min(length * 2, Self.longestNap)
            try raising { () throws(StorageFault) in try StorageCancellation.check() }
            return true
        }
    }
#endif
