#if SecretService
    import CredentialStorage
    import Testing

    @testable import CredentialStorageSecretService

    @Suite("What is done about a prompt")
    struct PromptFlowTests {
        typealias Prompts = StorageBuilder.SecretService.Prompts

        @Test(
            "a prompt is called where it needs no person, or where one may be asked",
            arguments: [
                (Prompts.never, PromptFlow.Purpose.change, PromptFlow.Step.refuse(.promptNeeded)),
                (.never, .unlock, .refuse(.locked)), (.never, .unlockOpened, .refuse(.locked)),
                (.never, .createCollection, .refuse(.groupUnusable)),
                (.silent, .change, .call(.seconds(1))), (.silent, .unlock, .refuse(.locked)),
                (.silent, .unlockOpened, .call(.seconds(1))), (.silent, .createCollection, .refuse(.groupUnusable)),
                (.allowed(deadline: .seconds(60)), .change, .call(.seconds(60))),
                (.allowed(deadline: .seconds(60)), .unlock, .call(.seconds(60))),
                (.allowed(deadline: .seconds(60)), .createCollection, .call(.seconds(60))),
            ])
        func begin(_ prompts: Prompts, _ purpose: PromptFlow.Purpose, _ step: PromptFlow.Step) {
            #expect(PromptFlow(prompts: prompts, purpose: purpose).begin() == step)
        }

        private func kind(_ body: [BusValue]) -> String {
            switch PromptFlow.outcome(of: body) {
            case .done: "done"
            case .dismissed: "dismissed"
            case .unanswered: "unanswered"
            case .left: "left"
            case .malformed: "malformed"
            }
        }

        @Test("a Completed signal is done, dismissed, or of no form that is known")
        func outcomes() {
            let path = BusValue.variant(.path(.none))
            #expect(kind([.boolean(false), path]) == "done")
            #expect(kind([.boolean(true), path]) == "dismissed")
            #expect(kind([.boolean(true), .string("")]) == "dismissed")
            #expect(kind([.boolean(false), .string("")]) == "malformed")
            #expect(kind([.string("no"), path]) == "malformed")
            #expect(kind([.boolean(false)]) == "malformed")
            #expect(kind([]) == "malformed")
        }

        @Test("nobody who was not asked has said no")
        func faults() {
            let asked = PromptFlow(prompts: .allowed(deadline: .seconds(1)), purpose: .unlock)
            #expect(asked.failure(for: .dismissed) == .unavailable(.promptDismissed))
            #expect(asked.failure(for: .unanswered) == .unavailable(.promptTimedOut))
            #expect(asked.failure(for: .left).fault == .unavailable(.promptTimedOut))
            #expect(asked.failure(for: .malformed) == .malformed)
            let silent = PromptFlow(prompts: .silent, purpose: .change)
            #expect(silent.failure(for: .unanswered) == .unavailable(.promptNeeded))
            let opened = PromptFlow(prompts: .silent, purpose: .unlockOpened)
            #expect(opened.failure(for: .unanswered) == .unavailable(.locked))
        }

        @Test("a change is open after an end that says nothing, and not after one that is known")
        func openEnds() {
            let flow = PromptFlow(prompts: .silent, purpose: .change)
            #expect(flow.failure(for: .malformed).leavesOutcomeOpen)
            #expect(flow.failure(for: .left).leavesOutcomeOpen)
            #expect(!flow.failure(for: .unanswered).leavesOutcomeOpen)
            #expect(!flow.failure(for: .dismissed).leavesOutcomeOpen)
        }
    }
#endif
