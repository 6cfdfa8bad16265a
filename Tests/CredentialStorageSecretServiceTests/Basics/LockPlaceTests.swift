#if SecretService
    import CredentialStorage
    import CredentialStorageSecretService
    import Foundation
    import SecretServiceTestSupport
    import Testing

    @Suite("What stands in the place of lock files", .serialized, .timeLimit(.minutes(5)))
    struct LockPlaceTests {
        private static let keyring = Shared { try GnomeKeyring() }

        /// What may stand there, and what puts it there.
        enum Thing: CaseIterable {
            case pipe, socket, danglingLink, linkToPipe, file, directory

            func make(at path: String) throws {
                switch self {
                case .pipe: #expect(mkfifo(path, 0o600) == 0)
                case .socket: close(try makeSocket(at: path))
                case .danglingLink:
                    try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: "/nowhere/at/all")
                case .linkToPipe:
                    try Self.pipe.make(at: path + ".pipe")
                    try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: path + ".pipe")
                case .file: #expect(FileManager.default.createFile(atPath: path, contents: Data("theirs".utf8)))
                case .directory:
                    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
                }
            }
        }

        private static let changes: [@Sendable (SecretServiceStorage) throws -> Void] = [
            { try $0.set("new", forKey: "present") }, { try $0.set("new", forKey: "fresh") },
            { try $0.delete("present") }, { try $0.deleteAll() },
            { _ = try $0.compareAndSet("present", expected: Data("value".utf8), new: Data("new".utf8)) },
            { try $0.acquireLock("name", timeout: .seconds(1)).release() },
        ]

        private func begin(_ name: String) throws -> (bus: PrivateBus, builder: StorageBuilder.SecretService, String) {
            let bus = try Self.keyring.get().bus
            let builder = bus.builder("org.example.\(name)").deadline(.seconds(5))
            try builder.build().set("value", forKey: "present")
            return (bus, builder, bus.dataHome + "/org.example.\(name)/locks")
        }

        private func expectRefusal(
            _ store: SecretServiceStorage, _ bus: PrivateBus, sourceLocation: SourceLocation = #_sourceLocation
        ) throws {
            let before = try bus.items(["account": "present"]).map(\.value)
            for (index, change) in Self.changes.enumerated() {
                do {
                    try within(.seconds(20)) { try change(store) }
                    Issue.record("change \(index) was made without a lock", sourceLocation: sourceLocation)
                } catch {
                    let category = (error as? StorageError)?.category
                    #expect(category == .insecurePermissions, "\(index): \(error)", sourceLocation: sourceLocation)
                }
            }
            #expect(try bus.items(["account": "present"]).map(\.value) == before, sourceLocation: sourceLocation)
        }

        @Test(
            "nothing is changed without a lock where something else stands in the place of the directory",
            arguments: Thing.allCases.filter { $0 != .directory })
        func directory(_ thing: Thing) throws {
            let (bus, builder, place) = try begin("directory.\(thing)")
            try FileManager.default.removeItem(atPath: place)
            try thing.make(at: place)
            try expectRefusal(builder.build(), bus)
            // Nor can it be known where the entries were made.
            #expect(Operation.get.run(builder.build()) == .unavailable(.insecurePermissions))
            try FileManager.default.removeItem(atPath: place)
            #expect(Operation.replace.run(builder.build()) == .done)
        }

        @Test(
            "nothing is changed without a lock where something else stands in the place of the file",
            arguments: Thing.allCases.filter { $0 != .file })
        func file(_ thing: Thing) throws {
            let (bus, builder, place) = try begin("file.\(thing)")
            try FileManager.default.removeItem(atPath: place + "/secret-service.lock")
            try thing.make(at: place + "/secret-service.lock")
            try expectRefusal(builder.build(), bus)
            #expect(Operation.get.run(builder.build()) == .value("value"))
            try FileManager.default.removeItem(atPath: place + "/secret-service.lock")
            #expect(Operation.replace.run(builder.build()) == .done)
        }

        @Test(
            "nothing is changed under the lock file of somebody else",
            .enabled(if: geteuid() == 0, "only root can give a file away"))
        func foreign() throws {
            let (bus, builder, place) = try begin("foreign")
            #expect(chown(place + "/secret-service.lock", 12_345, 12_345) == 0)
            try expectRefusal(builder.build(), bus)
        }

        @Test("a link to a directory of one's own is followed")
        func link() throws {
            let (bus, builder, place) = try begin("link")
            try FileManager.default.moveItem(atPath: place, toPath: place + ".real")
            try FileManager.default.createSymbolicLink(atPath: place, withDestinationPath: place + ".real")
            for change in Self.changes.dropLast() { try change(builder.build()) }
            #expect(try bus.items(["account": "present", "service": "org.example.link"]).isEmpty)
        }
    }
#endif
