import CredentialStorage
import FoundationEssentials
import Testing

@Suite("The expiry of a token")
struct TokenExpiryTests {
    private let storage = StorageBuilder.InMemory().build()
    private var store: StorageTokenStore<InMemoryStorage> { StorageTokenStore(storage) }

    private func stored() throws -> String? {
        try JSONValue(parsing: storage.string(forKey: "install-token") ?? "")["expires"]?.number
    }

    private func roundTrips(_ seconds: Double) throws -> Bool {
        let date = Date(timeIntervalSinceReferenceDate: seconds)
        try store.save(SDKInstallToken(value: "a", expiresAt: date))
        return try store.load()?.expiresAt == date
    }

    @Test("it is a plain decimal of seconds since 1970")
    func hasThePlainForm() throws {
        let cases: [(Double, String)] = [
            (0, "978307200"), (-0.0, "978307200"), (-978_307_200, "0"), (0.1, "978307200.1"), (-0.1, "978307199.9"),
            (-978_307_200.5, "-0.5"), (-978_307_201, "-1"), (1, "978307201"), (700_000_000.123, "1678307200.123"),
            (63_113_904_000, "64092211200"), (1e20, "100000000000978307200"), (-1e20, "-99999999999021692800"),
            (1e-10, "978307200.0000000001"), (-1e-10, "978307199.9999999999"),
        ]
        for (seconds, text) in cases {
            let isExact = try roundTrips(seconds)
            #expect(isExact, "\(seconds)")
            #expect(try stored() == text)
        }
    }

    @Test("any finite date comes back as exactly the same date")
    func comesBackExactly() throws {
        var seconds: [Double] = [
            .leastNonzeroMagnitude, -.leastNonzeroMagnitude, .leastNormalMagnitude, .greatestFiniteMagnitude,
            -.greatestFiniteMagnitude, .ulpOfOne, 0x1p53, -0x1p53, 0x1p53 + 2, 0x1p52 + 0.5, 0x1p63, 0x1p64,
            Date.distantFuture.timeIntervalSinceReferenceDate, Date.distantPast.timeIntervalSinceReferenceDate,
            Date.now.timeIntervalSinceReferenceDate, (978_307_200.0).nextUp, (-978_307_200.0).nextUp,
            (-978_307_200.0).nextDown, (-978_307_199.0).nextUp,
        ]
        for _ in 0..<1500 { seconds.append(.random(in: -4e9...4e9)) }
        for _ in 0..<500 { seconds.append(.random(in: -2...2)) }
        for _ in 0..<800 { seconds.append(Double(bitPattern: .random(in: .min ... .max))) }
        for second in seconds where second.isFinite {
            let isExact = try roundTrips(second)
            if !isExact { Issue.record("\(second)") }
            if second.magnitude < 1e15 { #expect(try stored()?.contains("e") == false) }
        }
    }

    @Test(
        "a date that is no moment is a typed error, and the old token stays",
        arguments: [Double.nan, .infinity, -.infinity])
    func refusesWhatIsNoMoment(_ seconds: Double) throws {
        let old = SDKInstallToken(value: "old")
        try store.save(old)
        let new = SDKInstallToken(value: "new", expiresAt: Date(timeIntervalSinceReferenceDate: seconds))
        #expect(throws: StorageError.writeError(cause: .unsupported)) { try store.save(new) }
        #expect(throws: StorageError.writeError(cause: .unsupported)) { try store.replace(old, with: new) }
        #expect(try !store.replace(new, with: nil))
        #expect(try store.load() == old)
    }

    @Test(
        "numbers that others write are read to the nearest date",
        arguments: [
            ("0", 0), ("-0", 0), ("-0.0e5", 0), ("1e0", 1), ("1E+2", 100), ("15e-1", 1.5), ("0.5", 0.5),
            ("1900000000.000", 1_900_000_000), ("190000000000000000e-8", 1_900_000_000),
        ] as [(String, Double)])
    func readsOtherNumbers(_ text: String, _ seconds: Double) throws {
        try storage.set(#"{"v":1,"token":"a","expires":\#(text)}"#, forKey: "install-token")
        #expect(try store.load()?.expiresAt == Date(timeIntervalSince1970: seconds))
    }

    @Test("numbers of absurd length or exponent are damage, in bounded time")
    func boundsNumbers() throws {
        let long = String(repeating: "9", count: 500_000)
        for text in ["1e2049", "1e-2049", "1e1000000000", long, "0." + long, "1e" + long, "-1e400"] {
            try storage.set(#"{"v":1,"token":"a","expires":\#(text)}"#, forKey: "install-token")
            #expect(throws: StorageError.readError(cause: .undecryptable(.damaged))) { try store.load() }
        }
    }
}
