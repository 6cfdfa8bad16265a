#if SecretService
    import CredentialStorage
    import CredentialStorageSecretService
    import SecretServiceTestSupport
    import Testing

    @Suite("Every behaviour of a provider has its own answer", .serialized, .timeLimit(.minutes(10)))
    struct BehaviourTests {
        private static let provider = Shared { try ScriptedProvider() }

        @Test("a sound provider of any kind is fine", arguments: BehaviourRow.sound)
        func sound(_ row: BehaviourRow) throws { try check(row) }

        @Test("what is locked is never absent, and opens where that is allowed", arguments: BehaviourRow.locked)
        func locked(_ row: BehaviourRow) throws { try check(row) }

        @Test("a prompt that comes to no good end is told apart", arguments: BehaviourRow.prompting)
        func prompting(_ row: BehaviourRow) throws { try check(row) }

        @Test("a provider that breaks down in any way gives its typed error", arguments: BehaviourRow.broken)
        func broken(_ row: BehaviourRow) throws { try check(row) }

        /// Each operation with a provider and a store that have done nothing yet.
        private func check(_ row: BehaviourRow) throws {
            let provider = try Self.provider.get()
            for operation in Operation.allCases {
                try provider.begin(row.behaviour)
                let store = provider.bus.builder().prompts(row.prompts).deadline(row.deadline).build()
                let promptTime: Duration = if case .allowed(let limit) = row.prompts { limit } else { .seconds(1) }
                let answer = try within(patience(row.deadline + promptTime)) { operation.run(store) }
                #expect(row.answers(to: operation).contains(answer), "\(operation) gave \(answer)")
                if answer == operation.fine { try checkEffect(operation, provider) }
                store.close()
            }
            #expect(provider.complaints == "")
        }

        /// What was done is what stands in the provider, under the attributes that never change.
        private func checkEffect(_ operation: Operation, _ provider: ScriptedProvider) throws {
            let items = try provider.items()
            func values(_ name: String) -> [String] {
                items.filter { item in attributes(name).allSatisfy { item.attributes[$0.key] == $0.value } }
                    .map { String(decoding: $0.value, as: UTF8.self) }
            }
            switch operation {
            case .set:
                #expect(values("fresh") == ["another"])
                #expect(values("present") == ["value"])
            case .replace: #expect(values("present") == ["another"])
            case .delete: #expect(values("present") == [])
            case .get, .getAbsent, .readAll: #expect(values("present") == ["value"])
            }
        }
    }
#endif
