internal import CredentialStorage
internal import CredentialStorageFile
internal import CredentialStorageSealing

extension Diagnosis {
    /// Everything that is said about one backend, in its order.
    func rows(of name: String) -> [DoctorRow] {
        [stateRow(name)] + (vault?.rows ?? []) + (key.map { [Self.row(of: $0)] } ?? []) + [openPlacesRow]
            + (keyring?.rows ?? []) + (protection.map { [Self.row(of: $0)] } ?? [])
    }

    private func stateRow(_ name: String) -> DoctorRow {
        let text: String
        if let failure {
            let extent = isReadable ? "readable, not writable" : "not usable"
            text = "\(extent) (\(failure.kind)): \(failure.message ?? "")"
        } else if isRunning {
            text = "usable"
        } else {
            text = "not proven; a provider is installed and not running, and the first use starts it"
        }
        return DoctorRow(["\(name): \(text)"]) { json in
            json.member("name", name)
            // Of one that does not run neither is known.
            json.member("usable", isRunning ? failure == nil : nil)
            json.member("readable", isRunning ? isReadable : nil)
            for member in failure?.members ?? [("cause", nil), ("category", nil), ("message", nil)] {
                json.member(member.name, member.text)
            }
        }
    }

    private static func row(of key: KeyPlace) -> DoctorRow {
        DoctorRow(["  key: \(key.text)"]) { json in
            json.member("keyPath", key.path)
            json.member("keyExists", key.exists)
            json.member("keyBesideVault", key.isBesideVault)
        }
    }

    private var openPlacesRow: DoctorRow {
        let lines = openPlaces.map { "  not private: \($0.path.escapingControls()) (\($0.finding))" }
        return DoctorRow(lines) { json in
            guard !openPlaces.isEmpty else { return }
            json.member("notPrivate") { json in
                json.array { json in
                    for place in openPlaces {
                        json.object { json in
                            json.member("path", place.path)
                            json.member("finding", place.finding)
                        }
                    }
                }
            }
        }
    }

    private static func row(of protection: Protection) -> DoctorRow {
        // As slots and options spell it.
        let source = KeySlotKind.all.first { $0.source == protection.source }?.name ?? protection.source.rawValue
        return DoctorRow([
            "  key source: \(source)",
            "  bound to this machine by: \(protection.device.rawValue)",
            "  secrets in memory: \(protection.memory.rawValue)",
            "  entries: \(protection.durability.rawValue)",
        ]) { json in
            json.members(
                "protection",
                [
                    ("source", protection.source.rawValue), ("device", protection.device.rawValue),
                    ("memory", protection.memory.rawValue), ("durability", protection.durability.rawValue),
                    ("accessibility", protection.accessibility.rawValue),
                ])
        }
    }
}

extension Diagnosis.Vault {
    var rows: [DoctorRow] { [placeRow, modesRow, fileSystemRow, slotsRow] }

    private var placeRow: DoctorRow {
        let place = "\(path?.escapingControls() ?? "no location") (\(exists ? "exists" : "does not exist yet"))"
        let extent = exists ? ["  checked: the header; \"credstore verify\" checks the entries"] : []
        return DoctorRow(["  vault: \(place)"] + extent) { json in
            json.member("path", path)
            json.member("exists", exists)
        }
    }

    private var modesRow: DoctorRow {
        let text = modes.map { "\($0.what) \($0.digits)" }.joined(separator: ", ")
        return DoctorRow(modes.isEmpty ? [] : ["  modes: \(text)"]) { json in
            json.members("modes", modes.map { ($0.what, $0.digits) })
        }
    }

    private var fileSystemRow: DoctorRow {
        let use =
            fileSystem.map { kind in
                kind.isNetwork
                    ? ", over a network: no vault is kept there; name a --path on a local disk"
                    : kind.isVolatile ? ", which ends with the next boot" : ""
            } ?? ""
        return DoctorRow(["  file system: \(fileSystem?.name ?? "not known")\(use)"]) { json in
            json.member("fileSystem", fileSystem?.name)
            json.member("networkFileSystem", fileSystem?.isNetwork)
        }
    }

    private var slotsRow: DoctorRow {
        DoctorRow(slots.isEmpty ? [] : ["  key slots: \(slots.joined(separator: ", "))"]) { json in
            json.member("slots") { json in
                json.array { json in
                    for slot in slots { json.string(slot) }
                }
            }
        }
    }
}

extension Diagnosis.Keyring {
    var rows: [DoctorRow] {
        [DoctorRow("  bus: \(bus)", "bus", bus), providerRow, collectionRow, collectionsRow, sessionRow]
    }

    private var providerRow: DoctorRow {
        guard let provider else { return DoctorRow([]) { $0.member("provider", nil as String?) } }
        let program = provider.program?.escapingControls() ?? "not known"
        let facts = [
            provider.kind, provider.process.map { "process \($0)" }, "owner \(provider.busName.escapingControls())",
            provider.version.map { "version \($0.escapingControls())" } ?? "version not told",
        ]
        return DoctorRow(["  provider: \(program) (\(facts.compactMap(\.self).joined(separator: ", ")))"]) { json in
            json.member("provider") { json in
                json.object { json in
                    json.member("program", provider.program)
                    json.member("name", provider.kind)
                    json.member("owner", provider.busName)
                    json.member("process") { json in
                        if let process = provider.process { json.number(process) } else { json.null() }
                    }
                    json.member("version", provider.version)
                }
            }
        }
    }

    private var collectionRow: DoctorRow {
        DoctorRow(isLocked.map { ["  collection: \($0 ? "locked" : "open")"] } ?? []) { $0.member("locked", isLocked) }
    }

    private var collectionsRow: DoctorRow {
        let texts = collections.map { collection in
            let state = collection.isLocked.map { $0 ? "locked" : "open" } ?? "state not known"
            return "\(collection.label.escapingControls()) (\(state))"
        }
        return DoctorRow(texts.isEmpty ? [] : ["  collections: \(texts.joined(separator: ", "))"]) { json in
            json.member("collections") { json in
                json.array { json in
                    for collection in collections {
                        json.object { json in
                            json.member("label", collection.label)
                            json.member("locked", collection.isLocked)
                        }
                    }
                }
            }
        }
    }

    private var sessionRow: DoctorRow {
        let state = algorithm.map { "\(isEncrypted ? "encrypted" : "not encrypted") (\($0))" } ?? "not known"
        return DoctorRow(isLocked == nil ? [] : ["  secrets on the bus: \(state)"]) { json in
            json.member("sessionAlgorithm", algorithm)
            json.member("busEncrypted", algorithm == nil ? nil : isEncrypted)
        }
    }
}
