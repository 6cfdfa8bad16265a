#if SecretService
    internal import CredentialStorage

    /// Calls a prompt and waits for its end, or for as long as is allowed.
    struct PromptCall {
        let provider: Provider
        let flow: PromptFlow

        /// How long a dismissed prompt may take to say so.
        private static let dismissalLimit = Duration.milliseconds(500)

        /// Runs the prompt.
        ///
        /// - Parameters:
        ///   - path: Its path.
        ///   - deadline: Limits the calls, not the person.
        /// - Returns: The result that the prompt gave.
        /// - Throws: Why it gave none.
        func run(_ path: ObjectPath, until deadline: Deadline) throws(BusFailure) -> BusValue {
            switch flow.begin() {
            case .refuse(let category):
                provider.connection.post(provider.call("Prompt", "Dismiss", on: path))
                throw .unavailable(category)
            case .call(let limit):
                let outcome: PromptFlow.Outcome
                if case .allowed = flow.prompts {
                    outcome = try call(path, Deadline(after: limit), deadline)
                } else {
                    outcome = try provider.silentPrompts.run(until: deadline) { () throws(BusFailure) in
                        try call(path, Deadline(after: limit), deadline)
                    }
                }
                guard case .done(let result) = outcome else { throw flow.failure(for: outcome) }
                return result
            }
        }

        private func call(
            _ path: ObjectPath, _ limit: Deadline, _ deadline: Deadline
        ) throws(BusFailure) -> PromptFlow.Outcome {
            let completed = Locked<[BusValue]?>(nil)
            let inbox = provider.connection.inbox
            let listener = inbox.listen { [name = provider.name] message in
                guard message.member == "Completed", message.path == path, message.sender == name,
                    message.interface == "org.freedesktop.Secret.Prompt"
                else { return }
                completed.notify { if $0 == nil { $0 = message.body } }
            }
            defer { inbox.stopListening(listener) }
            let cancellation = StorageCancellation.current
            let registration = cancellation?.onCancel { completed.wake() }
            defer { registration?.cancel() }

            // No window: what has one passes it by other means.
            _ = try provider.answer(provider.call("Prompt", "Prompt", on: path, [.string("")]), until: deadline)
            while true {
                let moment = limit.orAfter(.milliseconds(100)).moment
                let body = completed.wait(until: moment) { body -> [BusValue]? in
                    if body == nil, cancellation?.isCancelled ?? false { return [] }
                    return body
                }
                if cancellation?.isCancelled ?? false {
                    provider.connection.post(provider.call("Prompt", "Dismiss", on: path))
                    throw BusFailure(kind: .cancelled)
                }
                if let body { return PromptFlow.outcome(of: body) }
                if provider.isGone { throw BusFailure(kind: .providerLost) }
                if limit.isOver { return dismiss(path, completed) }
            }
        }

        /// Takes the prompt back; it may still have come to its end meanwhile.
        private func dismiss(_ path: ObjectPath, _ completed: Locked<[BusValue]?>) -> PromptFlow.Outcome {
            let limit = Deadline(after: Self.dismissalLimit)
            let call = provider.call("Prompt", "Dismiss", on: path)
            if case .failure = provider.connection.exchange([call], until: limit)[0] { return .left }
            guard let body = completed.wait(until: limit.moment, { $0 }) else { return .left }
            let outcome = PromptFlow.outcome(of: body)
            // That it was dismissed is our own doing.
            if case .dismissed = outcome { return .unanswered }
            return outcome
        }
    }
#endif
