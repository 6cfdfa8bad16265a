#if SecretService
    internal import CredentialStorage

    /// What is known about one item that a search named.
    struct ItemState: Sendable {
        let path: ObjectPath
        /// `nil` where there is no such object.
        let attributes: [(key: String, value: String)]?

        /// Reads the answer to a request for the attributes.
        ///
        /// - Throws: `malformed` for an answer of another form.
        init(_ path: ObjectPath, _ result: BusResult) throws(BusFailure) {
            switch result {
            case .failure(let failure) where failure.kind == .noSuchObject: self.init(path, nil)
            case .failure(let failure): throw failure
            case .success(let values):
                guard let members = values.first?.inside?.members else { throw .malformed }
                var pairs: [(key: String, value: String)] = []
                pairs.reserveCapacity(members.count)
                for (key, value) in members {
                    guard let text = value.string else { throw .malformed }
                    pairs.append((key, text))
                }
                self.init(path, pairs)
            }
        }

        init(_ path: ObjectPath, _ attributes: [(key: String, value: String)]?) {
            self.path = path
            self.attributes = attributes
        }
    }

    /// Which of the items that a search named is the entry: decided here, without any input or output.
    enum ItemLookup: Sendable, Equatable {
        case absent
        case one(ObjectPath)
        case ambiguous
        /// The search named objects that went away before they could be looked at: another search tells more.
        case vanished(Set<ObjectPath>)
        /// The search names an object again that was not there before; whether the entry exists is not known.
        case dangling

        init(
            _ key: EntryKey, among items: [ItemState], of identity: ItemIdentity, vanished: Set<ObjectPath> = []
        ) {
            let matching = items.filter { item in
                item.attributes.flatMap(identity.entry) == key
            }
            switch matching.count {
            case 0:
                let missing = Set(items.filter { $0.attributes == nil }.map(\.path))
                if missing.isEmpty {
                    self = .absent
                } else {
                    self = missing.isDisjoint(with: vanished) ? .vanished(missing) : .dangling
                }
            case 1: self = .one(matching[0].path)
            default: self = .ambiguous
            }
        }
    }
#endif
