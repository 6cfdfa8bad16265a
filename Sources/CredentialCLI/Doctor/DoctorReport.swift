internal import CCredentialShims
internal import CredentialStorage
internal import CredentialStorageAutomatic

/// Everything that `doctor` prints.
///
/// To add something, add a row: here for what is about the whole, beside ``Diagnosis`` for what is about one backend.
struct DoctorReport {
    private enum Choice {
        case made(ChosenBackend)
        case failed(Failure)
    }

    /// How long the keyring may take to answer.
    private static let keyringLimit = Duration.milliseconds(900)
    /// When the looks are over, counted from the start: a silent provider must not keep anybody waiting.
    private static let limit = Duration.milliseconds(1500)

    private let choice: Choice
    /// What is noted beside the data, or why that cannot be told; `nil` where the command line names the backend.
    private let note: Result<AutomaticChoice?, Failure>?
    private let backends: [(name: String, diagnosis: Diagnosis)]

    init(_ invocation: Invocation) throws {
        let options = invocation.options
        let end = ContinuousClock.now + Self.limit
        let keyring = Backend.secretService.diagnose(options.looking(within: Self.keyringLimit))
        let named = try ChosenBackend.named(by: options)
        choice = named.map(Choice.made) ?? Self.automatic(invocation, keyring)
        note = named == nil ? Self.note(options) : nil
        var vaultOptions = options
        if case .made(let chosen) = choice, chosen.backend.name == Backend.fileName { vaultOptions = chosen.options }
        // The key may be in the keyring, which is asked twice then.
        let rest = max(.milliseconds(100), (end - .now) / 2)
        let file = Backend.file.diagnose(vaultOptions.looking(within: rest))
        backends = [(Backend.fileName, file), (Backend.secretServiceName, keyring)]
    }

    /// The automatic choice, by what was found of the keyring.
    private static func automatic(_ invocation: Invocation, _ keyring: Diagnosis) -> Choice {
        let options = invocation.options
        do {
            let look = keyring.keyring.map { KeyringLook.known($0.probe) } ?? .ask
            guard let selection = try ChosenBackend.outlook(options, look) else {
                return .failed(Failure(ErrorTable.internalError))
            }
            return .made(ChosenBackend(selection, options))
        } catch {
            return .failed(Failure(error).explained(by: invocation))
        }
    }

    private static func note(_ options: Options) -> Result<AutomaticChoice?, Failure> {
        do throws(StorageError) {
            return .success(try ChosenBackend.automatic(options).notedChoice)
        } catch {
            return .failure(Failure(error))
        }
    }

    var text: String { rows.flatMap(\.lines).joined(separator: "\n") + "\n" }

    var json: JSONWriter {
        var json = JSONWriter()
        json.object(of: rows)
        return json
    }

    private var rows: [DoctorRow] {
        let version = DoctorRow("version: \(CredentialTool.version)", "version", CredentialTool.version)
        let confinement = Confinement.here()
        let sandbox = DoctorRow("sandbox: \(confinement.rawValue)", "sandbox", confinement.rawValue)
        return [version, choiceRow, noteRow, sandbox, backendsRow, lockedMemoryRow, coreDumpsRow]
    }

    private var choiceRow: DoctorRow {
        switch choice {
        case .made(let chosen):
            let selection = chosen.selection
            let place = selection?.choice == .keyringVault ? ", under a key in the keyring" : ""
            let outlook = selection?.isSettled == false ? "; the first write settles that" : ""
            return DoctorRow(["chosen: \(chosen.backend.name)\(place), because \(chosen.rule)\(outlook)"]) { json in
                json.member("chosen", chosen.backend.name)
                json.member("rule", chosen.rule)
                json.member("choice", selection?.choice.rawValue)
                json.member("settled", selection?.isSettled)
            }
        case .failed(let failure):
            let reason = "nothing (\(failure.kind)): \(failure.message ?? "")"
            return DoctorRow(["chosen: \(reason)"]) { json in
                for name in ["chosen", "rule", "choice"] { json.member(name, nil as String?) }
                json.member("settled", false)
                json.members("choiceFailure", failure.members)
            }
        }
    }

    private var noteRow: DoctorRow {
        switch note {
        case nil: DoctorRow([]) { $0.member("record", nil as String?) }
        case .success(let choice):
            DoctorRow(
                "record: \(choice.map { "\($0.rawValue), since the first write" } ?? "none")", "record",
                choice?.rawValue)
        case .failure(let failure):
            DoctorRow("record: not usable (\(failure.kind))", "record", failure.kind)
        }
    }

    private var backendsRow: DoctorRow {
        let rows = backends.map { name, diagnosis in diagnosis.rows(of: name) }
        return DoctorRow(rows.joined().flatMap(\.lines)) { json in
            json.member("backends") { json in
                json.array { json in
                    for rows in rows { json.object(of: rows) }
                }
            }
        }
    }

    private var lockedMemoryRow: DoctorRow {
        let limit = ccs_locked_memory_limit()
        let text = limit < 0 ? "unknown" : limit == .max ? "no limit" : "\(limit) bytes"
        return DoctorRow(["locked memory: \(text)"]) { json in
            json.member("lockedMemoryLimit") { json in
                if (0..<Int64.max).contains(limit) { json.number(limit) } else { json.null() }
            }
        }
    }

    private var coreDumpsRow: DoctorRow {
        let state = ccs_dumps_denied() == 1 ? "denied" : "allowed"
        return DoctorRow("core dumps of this program: \(state)", "coreDumps", state)
    }
}

extension Failure {
    /// Its name, for a person.
    var kind: String { category ?? cause }

    /// What a report says of it.
    var members: [(name: String, text: String?)] {
        [("cause", cause), ("category", category), ("message", message)]
    }
}
