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
            if let handle = provider.walletHandle(of: collection), sync(handle, deadline) { return true }
            provider.note(nil, of: collection)
            guard let handle = open(collection, deadline), sync(handle, deadline) else { return false }
            provider.note(handle, of: collection)
            return true
        }

        private func open(_ collection: ObjectPath, _ deadline: Deadline) -> Int32? {
            guard let name = try? walletName(collection, deadline) else { return nil }
            let opening = call("open", [.string(name), .long(0), .string(Self.application)])
            guard let opened = try? provider.connection.exchange([opening], until: deadline)[0].get(),
                case .integer(let handle)? = opened.first, handle >= 0
            else { return nil }
            return handle
        }

        private func sync(_ handle: Int32, _ deadline: Deadline) -> Bool {
            let saving = call("sync", [.integer(handle), .string(Self.application)])
            return (try? provider.connection.exchange([saving], until: deadline)[0].get()) != nil
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
