#if SecretService
    internal import CredentialStorage

    extension SecretServiceEngine.Context {
        /// The collection, unlocked; a named one that is not there is made where a dialog is allowed.
        func openOrCreateCollection() throws(BusFailure) -> (path: ObjectPath, next: Self, isFresh: Bool) {
            if let found = try findCollection() { return try open(found) }
            guard let label, case .allowed = engine.options.prompts else { throw search.absence }
            let properties = BusValue.properties([("org.freedesktop.Secret.Collection.Label", .string(label))])
            let reply = try provider.answer(
                provider.call("Service", "CreateCollection", on: .service, [properties, .string("")]), until: deadline)
            guard reply.count == 2, let made = reply[0].path, let prompt = reply[1].path else { throw .malformed }
            guard !prompt.isNone else {
                guard !made.isNone else { throw .malformed }
                return (made, self, false)
            }
            let flow = PromptFlow(prompts: engine.options.prompts, purpose: .createCollection)
            let result = try PromptCall(provider: provider, flow: flow).run(prompt, until: deadline)
            guard let path = result.path, !path.isNone else { throw .malformed }
            return (path, renewed, false)
        }

        private var label: String? {
            switch search.target {
            case .alias: nil
            case .label(let label), .group(let label): label
            }
        }
    }
#endif
