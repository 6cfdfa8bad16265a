#if SecretService
    internal import CredentialStorage

    /// What is known about one item that a search named.
    struct ItemState: Sendable {
        let path: ObjectPath
        /// `nil` where there is no such object.
        var properties: Properties?

        struct Properties: Sendable {
            var attributes: [(key: String, value: String)]
            var isLocked: Bool
        }

        /// Reads the answer to a request for all properties.
        ///
        /// - Throws: `malformed` for an answer of another form.
        init(_ path: ObjectPath, _ result: BusResult) throws(BusFailure) {
            self.path = path
            switch result {
            case .failure(let failure) where failure.kind == .noSuchObject: properties = nil
            case .failure(let failure): throw failure
            case .success(let values):
                guard let members = values.first?.members,
                    let attributes = members.first(where: { $0.key == "Attributes" })?.value.inside?.members,
                    let isLocked = members.first(where: { $0.key == "Locked" })?.value.inside?.boolean
                else { throw .malformed }
                var pairs: [(key: String, value: String)] = []
                for (key, value) in attributes {
                    guard let text = value.string else { throw .malformed }
                    pairs.append((key, text))
                }
                properties = Properties(attributes: pairs, isLocked: isLocked)
            }
        }

        init(_ path: ObjectPath, _ properties: Properties?) {
            self.path = path
            self.properties = properties
        }
    }

    /// Which of the items that a search named is the entry: decided here, without any input or output.
    enum ItemLookup: Sendable, Equatable {
        case absent
        case one(ObjectPath, isLocked: Bool)
        case ambiguous
        /// The search named objects that went away before they could be looked at: another search tells more.
        case vanished(Set<ObjectPath>)
        /// The search names an object again that was not there before; whether the entry exists is not known.
        case dangling

        init(
            _ key: EntryKey, among items: [ItemState], of identity: ItemIdentity, vanished: Set<ObjectPath> = []
        ) {
            let matching = items.filter { item in
                item.properties.flatMap { identity.entry($0.attributes) } == key
            }
            switch matching.count {
            case 0:
                let missing = Set(items.filter { $0.properties == nil }.map(\.path))
                if missing.isEmpty {
                    self = .absent
                } else {
                    self = missing.isDisjoint(with: vanished) ? .vanished(missing) : .dangling
                }
            case 1: self = .one(matching[0].path, isLocked: matching[0].properties?.isLocked ?? false)
            default: self = .ambiguous
            }
        }
    }
#endif
