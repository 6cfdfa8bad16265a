#if SecretService
    import CredentialStorage
    import Testing

    @testable import CredentialStorageSecretService

    @Suite("What is known of a provider's items")
    struct KnownItemsTests {
        private let items = KnownItems()
        private let one = ObjectPath(text: "/one")
        private let other = ObjectPath(text: "/other")
        private let key: EntryKey
        private let now = ContinuousClock.now

        init() throws { key = try EntryKey("name") }

        private func noteBoth(since changes: Int) {
            items.note([one: .entry(key), other: .foreign], since: changes, at: now)
        }

        @Test("it is kept, also that an item is none of the store, until it is old")
        func kept() {
            noteBoth(since: items.changes)
            let known = items.meanings(of: [one, other, ObjectPath(text: "/third")], at: now)
            #expect(known == [one: .entry(key), other: .foreign])
            let last = now + KnownItems.lifetime
            #expect(items.meanings(of: [one], at: last - .milliseconds(1)).count == 1)
            #expect(items.meanings(of: [one, other], at: last).isEmpty)
        }

        @Test("a collection is asked again after a while, and at once when it never was")
        func proof() {
            let collection = ObjectPath(text: "/collection")
            #expect(!items.isProven(collection, at: now))
            items.expect(collection, changedAt: 1, asked: now)
            let last = now + KnownItems.proofLifetime
            #expect(items.isProven(collection, at: last - .milliseconds(1)))
            #expect(!items.isProven(collection, at: last))
            #expect(!items.isProven(one, at: now))
            #expect(ObjectPath(text: "/collection/1").parent == collection)
            #expect(collection.parent == nil && ObjectPath.none.parent == nil)
        }

        @Test("a signal about an item ends what is known of it, and one about no item all")
        func signals() {
            noteBoth(since: items.changes)
            items.noteChange(of: one)
            #expect(items.meanings(of: [one, other], at: now).keys.map(\.text) == ["/other"])
            items.noteChange(of: nil)
            #expect(items.meanings(of: [one, other], at: now).isEmpty)
        }

        @Test("an answer is not kept that a signal may have overtaken")
        func overtaken() {
            let before = items.changes
            items.noteChange(of: one)
            #expect(items.changed([one, other], since: before) == [one])
            noteBoth(since: before)
            #expect(items.meanings(of: [one, other], at: now).keys.map(\.text) == ["/other"])
            items.noteChange(of: nil)
            noteBoth(since: before)
            #expect(items.meanings(of: [one, other], at: now).isEmpty)
            #expect(items.changed([one, other], since: before) == [one, other])
            #expect(items.changed([one, other], since: items.changes).isEmpty)
        }

        @Test("a collection that was changed at another moment ends what is known")
        func exchanged() {
            items.expect(one, changedAt: 1)
            noteBoth(since: items.changes)
            items.expect(one, changedAt: 1)
            #expect(items.meanings(of: [one, other], at: now).count == 2)
            items.expect(other, changedAt: 2)
            #expect(items.meanings(of: [one, other], at: now).isEmpty)
            noteBoth(since: items.changes)
            items.expect(one, changedAt: 0)
            #expect(items.meanings(of: [one, other], at: now).isEmpty)
        }

        @Test("signals without end are forgotten, and with them what they may have been about")
        func many() {
            let before = items.changes
            for index in 0..<25_000 { items.noteChange(of: ObjectPath(text: "/\(index)")) }
            #expect(items.changed([one], since: before) == [one])
            noteBoth(since: items.changes)
            #expect(items.meanings(of: [one, other], at: now).count == 2)
        }
    }
#endif
