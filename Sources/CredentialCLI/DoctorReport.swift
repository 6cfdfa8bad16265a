internal import CCredentialShims
internal import CredentialStorage
internal import CredentialStorageSealing

/// Everything that `doctor` prints.
struct DoctorReport {
    let chosen: String
    let rule: String
    let backends: [(name: String, diagnosis: Diagnosis)]
    let lockLimit = ccs_locked_memory_limit()
    let deniesDumps = ccs_dumps_denied() == 1

    init(_ invocation: Invocation) {
        let choice = invocation.choice
        chosen = choice.backend.name
        rule = choice.rule
        backends = Backend.all.map { ($0.name, $0.diagnose(invocation.options)) }
    }

    var text: String {
        var lines = ["version: \(CredentialTool.version)", "chosen: \(chosen), because \(rule)"]
        for (name, diagnosis) in backends {
            if let failure = diagnosis.failure {
                let kind = failure.category ?? failure.cause
                let extent = diagnosis.isReadable ? "readable, not writable" : "not usable"
                lines.append("\(name): \(extent) (\(kind)): \(failure.message ?? "")")
            } else if diagnosis.isRunning {
                lines.append("\(name): usable")
            } else {
                let state = "a provider is installed and not running, and the first use starts it"
                lines.append("\(name): not proven; \(state)")
            }
            if let vault = diagnosis.vault {
                let path = vault.path?.escapingControls() ?? "no location"
                lines.append("  vault: \(path) (\(vault.exists ? "exists" : "does not exist yet"))")
                if vault.exists { lines.append("  checked: the header; \"credstore verify\" checks the entries") }
                if !vault.slots.isEmpty { lines.append("  key slots: \(vault.slots.joined(separator: ", "))") }
            }
            if let key = diagnosis.key { lines.append("  key: \(key.text)") }
            for place in diagnosis.openPlaces {
                lines.append("  not private: \(place.path.escapingControls()) (\(place.finding))")
            }
            if let keyring = diagnosis.keyring {
                lines.append("  collection: \(keyring.isLocked ? "locked" : "open")")
                let bus = keyring.isEncrypted.map { $0 ? "encrypted" : "not encrypted" } ?? "not known"
                lines.append("  secrets on the bus: \(bus)")
            }
            if let protection = diagnosis.protection {
                lines.append("  key source: \(Self.name(of: protection.source))")
                lines.append("  bound to this machine by: \(protection.device.rawValue)")
                lines.append("  secrets in memory: \(protection.memory.rawValue)")
                lines.append("  entries: \(protection.durability.rawValue)")
            }
        }
        let limit = lockLimit < 0 ? "unknown" : lockLimit == .max ? "no limit" : "\(lockLimit) bytes"
        lines.append("locked memory: \(limit)")
        lines.append("core dumps of this program: \(deniesDumps ? "denied" : "allowed")")
        return lines.joined(separator: "\n") + "\n"
    }

    /// As slots and options spell it.
    private static func name(of source: Protection.Source) -> String {
        KeySlotKind.all.first { $0.source == source }?.name ?? source.rawValue
    }

    var json: JSONWriter {
        var json = JSONWriter()
        json.object { json in
            json.member("version", CredentialTool.version)
            json.member("chosen", chosen)
            json.member("rule", rule)
            json.member("backends") { json in
                json.array { json in
                    for (name, diagnosis) in backends { Self.write(name, diagnosis, to: &json) }
                }
            }
            json.member("lockedMemoryLimit") { json in
                if (0..<Int64.max).contains(lockLimit) { json.number(lockLimit) } else { json.null() }
            }
            json.member("coreDumps", deniesDumps ? "denied" : "allowed")
        }
        return json
    }

    private static func write(_ name: String, _ diagnosis: Diagnosis, to json: inout JSONWriter) {
        json.object { json in
            json.member("name", name)
            if diagnosis.isRunning {
                json.member("usable", diagnosis.failure == nil)
                json.member("readable", diagnosis.isReadable)
            } else {
                // Neither is known.
                for name in ["usable", "readable"] { json.member(name) { json in json.null() } }
            }
            json.member("cause", diagnosis.failure?.cause)
            json.member("category", diagnosis.failure?.category)
            json.member("message", diagnosis.failure?.message)
            if let vault = diagnosis.vault {
                json.member("path", vault.path)
                json.member("exists", vault.exists)
                json.member("slots") { json in
                    json.array { json in
                        for slot in vault.slots { json.string(slot) }
                    }
                }
            }
            if let key = diagnosis.key {
                json.member("keyPath", key.path)
                json.member("keyExists", key.exists)
                json.member("keyBesideVault", key.isBesideVault)
            }
            if !diagnosis.openPlaces.isEmpty {
                json.member("notPrivate") { json in
                    json.array { json in
                        for place in diagnosis.openPlaces {
                            json.object { json in
                                json.member("path", place.path)
                                json.member("finding", place.finding)
                            }
                        }
                    }
                }
            }
            if let keyring = diagnosis.keyring {
                json.member("locked", keyring.isLocked)
                json.member("busEncrypted") { json in
                    if let isEncrypted = keyring.isEncrypted { json.bool(isEncrypted) } else { json.null() }
                }
            }
            if let protection = diagnosis.protection {
                json.member("protection") { json in
                    json.object { json in
                        json.member("source", protection.source.rawValue)
                        json.member("device", protection.device.rawValue)
                        json.member("memory", protection.memory.rawValue)
                        json.member("durability", protection.durability.rawValue)
                        json.member("accessibility", protection.accessibility.rawValue)
                    }
                }
            }
        }
    }
}
