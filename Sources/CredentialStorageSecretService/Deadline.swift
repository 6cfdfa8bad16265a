#if SecretService
    internal import CredentialStorage

    /// The moment by which one operation is over, however many calls it makes.
    struct Deadline: Sendable {
        let moment: ContinuousClock.Instant

        init(after duration: Duration) { moment = .now + duration }
        init(_ moment: ContinuousClock.Instant) { self.moment = moment }

        var left: Duration { moment - .now }
        var isOver: Bool { left <= .zero }

        /// This one, or an earlier one.
        func orAfter(_ duration: Duration) -> Deadline { Deadline(min(moment, .now + duration)) }
    }
#endif
