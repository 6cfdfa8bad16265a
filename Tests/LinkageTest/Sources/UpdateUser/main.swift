import AppGantrySDK

// Without a key nothing is asked of anybody, so that this needs neither a server nor a store.
do {
    _ = try await lookForUpdate("", "")
    fatalError("not so: a client without a key does not work")
} catch let error as SDKError where error == .notConfigured {
    print("UpdateUser: right")
}
