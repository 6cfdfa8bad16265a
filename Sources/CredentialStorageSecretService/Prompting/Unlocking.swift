#if SecretService
    internal import CredentialStorage

    /// Unlocks a collection or an item, or finds out that it cannot be done without a person.
    ///
    /// `Unlock` itself is always called: a keyring without a password starts locked and opens without a prompt.
    struct Unlocking {
        let provider: Provider
        let prompts: StorageBuilder.SecretService.Prompts

        /// Unlocks an object.
        ///
        /// - Parameters:
        ///   - object: The path of a collection or an item.
        ///   - interface: Which of both it is.
        ///   - deadline: Limits the calls, not the person.
        /// - Throws: `locked`, `promptDismissed` or `promptTimedOut` where it stays locked.
        func unlock(_ object: ObjectPath, _ interface: String, until deadline: Deadline) throws(BusFailure) {
            var patience = deadline.patience(atMost: Patience.ofReaders)
            while true {
                let reply = try provider.answer(
                    provider.call("Service", "Unlock", on: .service, [.paths([object])]), until: deadline)
                guard reply.count == 2, let unlocked = reply[0].paths, let prompt = reply[1].path else {
                    throw .malformed
                }
                if unlocked.contains(object) { return }
                guard !prompt.isNone else { throw .unavailable(.locked) }
                do throws(BusFailure) {
                    return try call(prompt, for: object, interface, deadline)
                } catch {
                    // KWallet has one prompt for all who ask at the same time, which ends with the first of them.
                    guard error.decided == nil, error.kind == .noSuchObject else { throw error }
                    guard try isLocked(object, interface, deadline) else { return }
                    guard try patience.nap() else { throw error }
                }
            }
        }

        private func call(
            _ prompt: ObjectPath, for object: ObjectPath, _ interface: String, _ deadline: Deadline
        ) throws(BusFailure) {
            var isOpen = false
            if interface == "Collection" { isOpen = try isWalletOpen(object, deadline) }
            let flow = PromptFlow(prompts: prompts, purpose: isOpen ? .unlockOpened : .unlock)
            let result = try PromptCall(provider: provider, flow: flow).run(prompt, until: deadline)
            guard let paths = result.paths else { throw .malformed }
            if paths.contains(object) { return }
            // Some say that it is done and list nothing. What counts is the state.
            let again = Deadline(max(deadline.moment, .now + .seconds(1)))
            guard try !isLocked(object, interface, again) else { throw .unavailable(.locked) }
        }

        private func isLocked(
            _ object: ObjectPath, _ interface: String, _ deadline: Deadline
        ) throws(BusFailure) -> Bool {
            let reply = try provider.answer(
                provider.property("Locked", of: interface, on: object), until: deadline)
            guard let isLocked = reply.first?.inside?.boolean else { throw .malformed }
            return isLocked
        }

        /// Unlocks as many items as it can.
        ///
        /// - Parameters:
        ///   - items: The items.
        ///   - deadline: Limits the calls, not the person.
        /// - Returns: Whether any of them may be open now.
        /// - Throws: What keeps the provider from being asked, not that some stay locked.
        func unlock(items: [ObjectPath], until deadline: Deadline) throws(BusFailure) -> Bool {
            let reply = try provider.answer(
                provider.call("Service", "Unlock", on: .service, [.paths(items)]), until: deadline)
            guard reply.count == 2, let unlocked = reply[0].paths, let prompt = reply[1].path else { throw .malformed }
            guard !prompt.isNone else { return !unlocked.isEmpty }
            let flow = PromptFlow(prompts: prompts, purpose: .unlock)
            do throws(BusFailure) {
                _ = try PromptCall(provider: provider, flow: flow).run(prompt, until: deadline)
                return true
            } catch {
                switch error.decided {
                case .unavailable(.locked, _), .unavailable(.promptDismissed, _), .unavailable(.promptTimedOut, _):
                    return !unlocked.isEmpty
                default: throw error
                }
            }
        }

        /// Whether KWallet has this wallet open, so that its prompt asks nobody.
        private func isWalletOpen(_ collection: ObjectPath, _ deadline: Deadline) throws(BusFailure) -> Bool {
            guard let wallet = provider.wallet else { return false }
            return try Wallet(provider: provider, service: wallet).isOpen(collection, until: deadline)
        }
    }
#endif
