#if SecretService
    internal import CredentialStorage

    /// What is done about a prompt: decided here, without any input or output.
    struct PromptFlow: Sendable {
        /// What the provider wants to ask about.
        enum Purpose: Sendable, Equatable {
            /// Making, removing or locking something in a collection that is open. Some providers confirm it by themselves.
            case change
            /// Unlocking.
            case unlock
            /// Unlocking what the provider is known to have open, which it confirms by itself.
            case unlockOpened
            /// Making a collection.
            case createCollection
        }

        enum Step: Sendable, Equatable {
            /// The prompt is not called.
            case refuse(UnavailableCategory)
            /// The prompt is called, and this is how long its end is waited for.
            case call(Duration)
        }

        enum Outcome: Sendable {
            case done(BusValue)
            case dismissed
            /// It was taken back before anybody answered.
            case unanswered
            /// Nobody has answered, and it could not be taken back: somebody still may.
            case left
            case malformed
        }

        /// How long a prompt that needs no person may take.
        static let silentLimit = Duration.seconds(1)

        let prompts: StorageBuilder.SecretService.Prompts
        let purpose: Purpose

        /// Whether the prompt is called at all.
        func begin() -> Step {
            if case .allowed(let deadline) = prompts { return .call(deadline) }
            let isByItself = purpose == .change || purpose == .unlockOpened
            if isByItself, prompts == .silent { return .call(Self.silentLimit) }
            return .refuse(refusal)
        }

        /// What a `Completed` signal says.
        static func outcome(of completed: [BusValue]) -> Outcome {
            guard completed.count == 2, let isDismissed = completed[0].boolean else { return .malformed }
            if isDismissed { return .dismissed }
            guard let result = completed[1].inside else { return .malformed }
            return .done(result)
        }

        /// What the caller is told when it came to no good end.
        func failure(for outcome: Outcome) -> BusFailure {
            switch outcome {
            case .done, .malformed: return .malformed
            case .dismissed:
                // Nobody was to be asked, so nobody has said no.
                if case .allowed = prompts { return .unavailable(.promptDismissed) }
                return .unavailable(purpose == .change ? .promptDismissed : refusal)
            case .unanswered, .left:
                var isAllowed = false
                if case .allowed = prompts { isAllowed = true }
                var failure = BusFailure.unavailable(isAllowed ? .promptTimedOut : refusal)
                if case .left = outcome { failure.leavesPrompt = true }
                return failure
            }
        }

        private var refusal: UnavailableCategory {
            switch purpose {
            case .change: .promptNeeded
            case .unlock, .unlockOpened: .locked
            case .createCollection: .groupUnusable
            }
        }
    }
#endif
