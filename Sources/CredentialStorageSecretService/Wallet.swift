#if SecretService
    internal import CredentialStorage

    /// What KWallet offers beside the Secret Service, and what a store needs of it.
    struct Wallet {
        let provider: Provider
        let service: WalletService

        /// Under which name KWallet knows who asks.
        private static let application = "swift-credential-storage"

        /// Whether a collection's wallet is open already.
        func isOpen(_ collection: ObjectPath, until deadline: Deadline) throws(BusFailure) -> Bool {
            guard let name = try walletName(collection, deadline) else { return false }
            let reply = provider.connection.exchange([call("isOpen", [.string(name)])], until: deadline)[0]
            return (try? reply.get())?.first?.boolean ?? false
        }

        /// Makes what was written to a collection durable: KWallet itself would write it some seconds later.
        ///
        /// - Returns: Whether that was done.
        func sync(_ collection: ObjectPath, until deadline: Deadline) -> Bool {
            guard let name = try? walletName(collection, deadline) else { return false }
            let opening = call("open", [.string(name), .long(0), .string(Self.application)])
            guard let opened = try? provider.connection.exchange([opening], until: deadline)[0].get(),
                case .integer(let handle)? = opened.first, handle >= 0
            else { return false }
            let results = provider.connection.exchange(
                [
                    call("sync", [.integer(handle), .string(Self.application)]),
                    call("close", [.integer(handle), .boolean(false), .string(Self.application)]),
                ], until: deadline)
            return (try? results[0].get()) != nil
        }

        private func walletName(_ collection: ObjectPath, _ deadline: Deadline) throws(BusFailure) -> String? {
            let reply = try provider.answer(
                provider.property("Label", of: "Collection", on: collection), until: deadline)
            return reply.first?.inside?.string
        }

        private func call(_ member: String, _ arguments: [BusValue]) -> BusCall {
            BusCall(
                destination: provider.name, path: service.path, interface: "org.kde.KWallet", member: member,
                arguments: arguments)
        }
    }
#endif
