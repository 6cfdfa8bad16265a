import CredentialStorage
import FoundationEssentials
import Testing

@Suite("A token in a store")
struct StorageTokenStoreTests {
    static let full = SDKInstallToken(
        value: "token-é\u{0}\"\\\u{1F600}", expiresAt: Date(timeIntervalSince1970: 1_900_000_000.25), installID: "inst")

    /// One base with all abilities, one with the least, and the one-line form.
    static var stores: [any TokenStore] {
        get throws {
            [
                StorageTokenStore(StorageBuilder.InMemory().build()), StorageTokenStore(try FiveMemberStorage()),
                InMemoryTokenStore(), StorageBuilder.tokenStore(over: StorageBuilder.InMemory().build()),
                StorageBuilder.tokenStore(over: try FiveMemberStorage(), key: "other"),
            ]
        }
    }

    @Test("a token store over an atomic store of unknown type is atomic without asking")
    func overAtomic() throws {
        let storage: any AtomicStorage = StorageBuilder.InMemory().build()
        let tokens: any AtomicTokenStore = StorageBuilder.tokenStore(over: storage, key: "token")
        #expect(try tokens.replace(nil, with: SDKInstallToken(value: "opaque")))
        #expect(try storage.keys() == ["token"])
    }

    @Test("none is nil; what is saved is loaded, replaces what was there, and is gone once cleared")
    func savesLoadsAndClears() throws {
        for store in try Self.stores {
            #expect(try store.load() == nil)
            try store.save(Self.full)
            #expect(try store.load() == Self.full)
            try store.save(SDKInstallToken(value: ""))
            #expect(try store.load() == SDKInstallToken(value: ""))
            try store.clear()
            #expect(try store.load() == nil)
            try store.clear()
            #expect(try store.load() == nil)
        }
    }

    @Test("the entry is one JSON object of the documented form, under the documented name")
    func hasTheDocumentedForm() throws {
        let storage = StorageBuilder.InMemory().build()
        let store = StorageTokenStore(storage)
        try store.save(SDKInstallToken(value: "t"))
        #expect(try storage.keys() == ["install-token"])
        #expect(try storage.string(forKey: "install-token") == #"{"v":1,"token":"t"}"#)
        let date = Date(timeIntervalSince1970: 1_900_000_000)
        try store.save(SDKInstallToken(value: "t", expiresAt: date, installID: "i"))
        #expect(
            try storage.string(forKey: "install-token")
                == #"{"v":1,"token":"t","expires":1900000000,"install":"i"}"#)
        try StorageTokenStore(storage, key: "second").save(SDKInstallToken(value: "u"))
        #expect(try storage.keys() == ["install-token", "second"])
        #expect(try store.load()?.value == "t")
    }

    @Test("members that this version does not know stay where they are, twice the same name too")
    func keepsUnknownMembers() throws {
        let before = #"{"x":[1.50,{"v":2}],"token":"a","e\#u{301}":1,"v":1,"\#u{E9}":2,"expires":5,"x":null}"#
        for storage in [StorageBuilder.InMemory().build(), try FiveMemberStorage()] as [any Storage] {
            try storage.set(before, forKey: "install-token")
            let store = StorageBuilder.tokenStore(over: storage)
            #expect(try store.load() == SDKInstallToken(value: "a", expiresAt: Date(timeIntervalSince1970: 5)))
            try store.save(SDKInstallToken(value: "b", installID: "i"))
            let after = #"{"x":[1.50,{"v":2}],"token":"b","e\#u{301}":1,"v":1,"\#u{E9}":2,"x":null,"install":"i"}"#
            #expect(try storage.get("install-token") == Data(after.utf8))
        }
    }

    @Test(
        "a later format is told apart, never overwritten, and can be cleared",
        arguments: [
            #"{"v":2,"token":"a"}"#, #"{"v":2}"#, #"{"token":5,"v":1.5}"#, #"{"v":1e999,"token":"a"}"#,
            #"{"v":99999999999999999999999,"expires":{}}"#, #"{"v":1,"token":"a","v":3}"#,
        ])
    func leavesALaterFormatAlone(_ text: String) throws {
        for storage in [StorageBuilder.InMemory().build(), try FiveMemberStorage()] as [any Storage] {
            try storage.set(text, forKey: "install-token")
            let store = StorageBuilder.tokenStore(over: storage)
            #expect(throws: StorageError.readError(cause: .undecryptable(.formatTooNew))) { try store.load() }
            let refused = StorageError.writeError(cause: .undecryptable(.formatTooNew))
            #expect(throws: refused) { try store.save(Self.full) }
            if let atomic = store as? any AtomicTokenStore {
                #expect(throws: refused) { try atomic.replace(nil, with: Self.full) }
                #expect(throws: refused) { try atomic.replace(Self.full, with: nil) }
            }
            #expect(try storage.string(forKey: "install-token") == text)
            try store.clear()
            #expect(try store.load() == nil)
        }
    }

    @Test(
        "what is no token is damaged, not absent, and a save replaces it",
        arguments: [
            "", "x", "null", "1", "\"a\"", "[]", "{}", #"{"v":1}"#, #"{"token":"a"}"#, #"{"v":"1","token":"a"}"#,
            #"{"v":0,"token":"a"}"#, #"{"v":-1,"token":"a"}"#, #"{"v":1,"token":5}"#, #"{"v":1,"token":null}"#,
            #"{"v":1,"token":"a","expires":"5"}"#, #"{"v":1,"token":"a","expires":null}"#,
            #"{"v":1,"token":"a","expires":1e999}"#, #"{"v":1,"token":"a","expires":1e99999999999999999999}"#,
            #"{"v":1,"token":"a","install":5}"#, #"{"v":1,"v":1,"token":"a"}"#, #"{"v":1,"token":"a","token":"b"}"#,
            #"{"v":1,"token":"a","install":"a","install":"b"}"#, #"{"v":1,"token":"a","expires":1,"expires":1}"#,
            #"{"v":1,"token":"a"} x"#, #"{"v":1,"token":"\ud800"}"#, #"{"V":1,"token":"a"}"#,
        ])
    func tellsDamage(_ text: String) throws {
        for storage in [StorageBuilder.InMemory().build(), try FiveMemberStorage()] as [any Storage] {
            try storage.set(text, forKey: "install-token")
            let store = StorageBuilder.tokenStore(over: storage)
            #expect(throws: StorageError.readError(cause: .undecryptable(.damaged))) { try store.load() }
            if let atomic = store as? any AtomicTokenStore {
                let unreadable = StorageError.writeError(cause: .undecryptable(.damaged))
                #expect(throws: unreadable) { try atomic.replace(nil, with: Self.full) }
                #expect(throws: unreadable) { try atomic.replace(Self.full, with: nil) }
            }
            #expect(try storage.string(forKey: "install-token") == text)
            try store.save(Self.full)
            #expect(try store.load() == Self.full)
        }
    }

    @Test("what others write with other spacing, escapes and number forms is read")
    func readsOtherForms() throws {
        let storage = StorageBuilder.InMemory().build()
        try storage.set(
            " {\"token\" : \"\\u0061\", \"v\" : 1.0,\n\"expires\" : 1.5e3 , \"install\":\"\" } ",
            forKey: "install-token")
        let token = SDKInstallToken(value: "a", expiresAt: Date(timeIntervalSince1970: 1500), installID: "")
        #expect(try StorageTokenStore(storage).load() == token)
    }

    @Test("replacing compares the token, not the bytes")
    func replacesByMeaning() throws {
        let storage = StorageBuilder.InMemory().build()
        let store = StorageTokenStore(storage)
        let (first, second) = (SDKInstallToken(value: "a"), SDKInstallToken(value: "b"))
        #expect(try !store.replace(first, with: second))
        #expect(try !store.replace(first, with: nil))
        #expect(try store.replace(nil, with: nil))
        #expect(try storage.keys().isEmpty)
        #expect(try store.replace(nil, with: first))
        #expect(try !store.replace(nil, with: second))
        #expect(try !store.replace(nil, with: nil))
        try storage.set(#"{ "x":1, "token":"a", "v":1 }"#, forKey: "install-token")
        #expect(try !store.replace(SDKInstallToken(value: "a", installID: ""), with: second))
        #expect(try store.replace(first, with: second))
        #expect(try storage.string(forKey: "install-token") == #"{"x":1,"token":"b","v":1}"#)
        #expect(try store.replace(second, with: second))
        #expect(try store.replace(second, with: nil))
        #expect(try storage.keys().isEmpty)
    }

    @Test("a token store has the abilities of its base, also when the type of the base is not known")
    func keepsConformances() throws {
        let memory: any Storage = StorageBuilder.InMemory().build()
        #expect(StorageBuilder.tokenStore(over: memory) is any AtomicTokenStore)
        #expect((StorageBuilder.tokenStore(over: try FiveMemberStorage()) as? any AtomicTokenStore) == nil)
        let part = StorageBuilder.prefixed("p/", over: StorageBuilder.InMemory().build())
        #expect(StorageBuilder.tokenStore(over: part) is any AtomicTokenStore)
        #expect(!everyRendering(of: StorageTokenStore(part: "canary-name")).contains("canary"))
    }
}

extension StorageTokenStore where Base == InMemoryStorage {
    fileprivate init(part key: String) { self.init(StorageBuilder.InMemory().build(), key: key) }
}
