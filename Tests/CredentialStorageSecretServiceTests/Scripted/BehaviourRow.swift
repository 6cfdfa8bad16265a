#if SecretService
    import CredentialStorage
    import CredentialStorageSecretService

    /// One behaviour of the scripted provider, and the only right answers to it.
    struct BehaviourRow: CustomStringConvertible, Sendable {
        typealias Prompts = StorageBuilder.SecretService.Prompts

        let behaviour: String
        let prompts: Prompts
        let deadline: Duration
        /// What each operation may come to; one that is not named is fine.
        let answers: [Operation: [Answer]]

        var description: String { prompts == .silent ? behaviour : "\(behaviour), \(prompts)" }

        init(
            _ behaviour: String, _ prompts: Prompts = .silent, deadline: Duration = .seconds(10),
            but answers: [Operation: [Answer]] = [:]
        ) {
            self.behaviour = behaviour
            self.prompts = prompts
            self.deadline = deadline
            self.answers = answers
        }

        /// A behaviour with which every operation fails in the same way.
        init(
            _ behaviour: String, _ prompts: Prompts = .silent, deadline: Duration = .seconds(10),
            all category: UnavailableCategory
        ) {
            self.init(
                behaviour, prompts, deadline: deadline,
                but: Dictionary(uniqueKeysWithValues: Operation.allCases.map { ($0, [.unavailable(category)]) }))
        }

        func answers(to operation: Operation) -> [Answer] { answers[operation] ?? [operation.fine] }
    }

    extension BehaviourRow {
        private static let person = Prompts.allowed(deadline: .seconds(10))
        private static let nobody = Prompts.allowed(deadline: .milliseconds(300))
        private static let short = Duration.milliseconds(400)

        private static func changes(_ answers: Answer...) -> [Operation: [Answer]] {
            [.set: answers, .delete: answers]
        }
        private static func writes(_ answer: Answer) -> [Operation: [Answer]] {
            [.set: [answer], .replace: [answer], .delete: [answer]]
        }
        private static let lockedItem = OneLockedItem.answers

        private enum OneLockedItem {
            static let answers: [Operation: [Answer]] = [
                .get: [.refused(.undecryptable(.locked)), .unavailable(.locked)],
                .replace: [.unavailable(.locked), .refused(.undecryptable(.locked))],
                .delete: [.unavailable(.locked), .refused(.undecryptable(.locked))],
                .readAll: [.read([], omitted: ["present": .locked], lost: 0)],
            ]
        }

        static let sound: [BehaviourRow] = [
            BehaviourRow("normal"),
            BehaviourRow("normal", .never),
            BehaviourRow("normal", person),
            BehaviourRow("self-completing prompts"),
            BehaviourRow("self-completing prompts", person),
            BehaviourRow("self-completing prompts", .never, but: changes(.unavailable(.promptNeeded))),
            BehaviourRow("late"),
            BehaviourRow("foreign path prefix"),
            BehaviourRow("no object at the alias path"),
            BehaviourRow("odd collections"),
            BehaviourRow("replace on subset"),
            BehaviourRow("adds attributes"),
            BehaviourRow("keeps no content type"),
            BehaviourRow("keeps the old label"),
            BehaviourRow("plain only"),
            BehaviourRow("DH only"),
            BehaviourRow("DH, shared number with a leading zero byte"),
            BehaviourRow("DH, public number with a leading zero byte"),
            BehaviourRow("DH, public number without its leading zero byte"),
            BehaviourRow("mangles bytes"),
            BehaviourRow("mangles newlines"),
            BehaviourRow("rejects bytes"),
        ]

        static let locked: [BehaviourRow] = [
            BehaviourRow("locked collection", all: .locked),
            BehaviourRow("locked collection", .never, all: .locked),
            BehaviourRow("locked collection", person),
            BehaviourRow("locked collection that opens by itself"),
            BehaviourRow("locked collection that opens by itself", .never),
            BehaviourRow("unlocks without prompt, and finds nothing before"),
            BehaviourRow("locked item", but: lockedItem),
            BehaviourRow("locked item", person),
            BehaviourRow("dismissed", all: .locked),
            BehaviourRow("dismissed", person, all: .promptDismissed),
            BehaviourRow("dismissed writes", but: changes(.unavailable(.promptDismissed))),
            BehaviourRow("dismissed writes", person, but: changes(.unavailable(.promptDismissed))),
            BehaviourRow("completed but locked", person, all: .locked),
            BehaviourRow("unlock without effect", all: .locked),
            BehaviourRow("empty secrets of locked items", all: .locked),
            BehaviourRow("hides what is locked", all: .locked),
            BehaviourRow("hides what is locked", person),
        ]

        static let prompting: [BehaviourRow] = [
            BehaviourRow("malformed Completed", person, all: .protocolViolation),
            BehaviourRow("Completed without arguments", person, all: .protocolViolation),
            BehaviourRow("Completed with an invalid path", person, all: .protocolViolation),
            BehaviourRow("malformed dismissal", person, all: .promptDismissed),
            BehaviourRow("malformed Completed of a write", but: changes(.unavailable(.notConfirmed))),
            BehaviourRow("malformed Completed of a write", person, but: changes(.unavailable(.notConfirmed))),
            BehaviourRow(
                "Completed of a new item without its path", but: [.set: [.unavailable(.notConfirmed)]]),
            BehaviourRow(
                "Completed of a new item with an invalid path", but: [.set: [.unavailable(.notConfirmed)]]),
            BehaviourRow("prompt that never completes", all: .locked),
            BehaviourRow("prompt that never completes", nobody, all: .promptTimedOut),
            BehaviourRow("no Dismiss", nobody, all: .promptTimedOut),
            BehaviourRow("write prompt that never completes", but: changes(.unavailable(.promptNeeded))),
            BehaviourRow("write prompt that never completes", nobody, but: changes(.unavailable(.promptTimedOut))),
            // Somebody may still answer it, and the change is made then.
            BehaviourRow("write prompt that cannot be taken back", but: changes(.unavailable(.notConfirmed))),
            BehaviourRow("write prompt that cannot be taken back", nobody, but: changes(.unavailable(.notConfirmed))),
        ]

        static let broken: [BehaviourRow] = [
            BehaviourRow("silent", deadline: short, all: .timedOut),
            BehaviourRow("late", deadline: .milliseconds(50), all: .timedOut),
            BehaviourRow("search that never returns", deadline: short, all: .timedOut),
            BehaviourRow(
                "silent after the search", deadline: short,
                but: [
                    .get: [.unavailable(.timedOut)], .readAll: [.unavailable(.timedOut)],
                    .set: [.unavailable(.notConfirmed)], .replace: [.unavailable(.notConfirmed)],
                    .delete: [.unavailable(.notConfirmed)],
                ]),
            BehaviourRow("gone in mid-call", all: .providerLost),
            BehaviourRow(
                "gone in mid-read", but: [.get: [.unavailable(.providerLost)], .readAll: [.unavailable(.providerLost)]]),
            BehaviourRow("gone in mid-write", but: writes(.unavailable(.notConfirmed))),
            BehaviourRow("disk full", but: writes(.unavailable(.notConfirmed))),
            BehaviourRow("replies of wrong types to writes", but: writes(.unavailable(.notConfirmed))),
            BehaviourRow("calls what it should delete gone", but: [.delete: [.unavailable(.protocolViolation)]]),
            BehaviourRow("knows no Delete", but: [.delete: [.unavailable(.protocolViolation)]]),
            BehaviourRow(
                "answers Delete with a prompt that is not there", but: [.delete: [.unavailable(.protocolViolation)]]),
            BehaviourRow("takes no writes", but: writes(.refused(.unsupported))),
            BehaviourRow("alias absent", all: .noDefaultCollection),
            BehaviourRow("alias not exported, UnknownMethod", all: .noDefaultCollection),
            BehaviourRow("alias not exported, UnknownObject", all: .noDefaultCollection),
            BehaviourRow("alias vanishing", all: .noDefaultCollection),
            BehaviourRow("denies by policy", all: .deniedByPolicy),
            BehaviourRow("fails without a reason", all: .ioError),
            BehaviourRow("empty replies", all: .protocolViolation),
            BehaviourRow("replies of wrong types", all: .protocolViolation),
            BehaviourRow(
                "empty replies to secrets",
                but: [
                    .get: [.unavailable(.protocolViolation)], .readAll: [.unavailable(.protocolViolation)],
                    .set: [.unavailable(.notConfirmed)],
                ]),
        ]
    }
#endif
