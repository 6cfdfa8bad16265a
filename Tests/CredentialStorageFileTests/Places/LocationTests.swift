import CredentialStorage
import CredentialStorageFile
import CredentialStorageSealing
import Foundation
import Testing

@Suite("Where a vault is kept", .timeLimit(.minutes(2)))
struct LocationTests {
    private let root: String
    private let keyPath: String

    init() throws {
        let vault = try TestVault(isMade: false)
        root = vault.root
        keyPath = vault.root + "/key"
        try writeFile(keyPath, [UInt8](repeating: 7, count: 32))
    }

    private func builder(_ environment: [String: String], service: String = "org.example.app")
        -> StorageBuilder.EncryptedFile
    {
        StorageBuilder.EncryptedFile(service: service).keySource(.keyFile(keyPath)).log(.silent)
            .environment(Environment { environment[$0] })
    }

    private func expectNowhere(_ environment: [String: String], _ what: String) {
        let store = builder(environment).build()
        #expect(failure { try store.get("x") }?.category == .noStorageLocation, "\(what)")
        #expect(failure { try store.set("x", forKey: "x") }?.category == .noStorageLocation, "\(what)")
        #expect(failure { try store.delete("x") }?.category == .noStorageLocation, "\(what)")
        #expect(failure { try store.readAll() }?.category == .noStorageLocation, "\(what)")
        #expect(failure { try store.create() }?.category == .noStorageLocation, "\(what)")
        #expect(store.probe().reason?.category == .noStorageLocation, "\(what)")
    }

    @Test("the state directory comes first, then the data directory, then the home directory")
    func order() throws {
        let (state, data, home) = (root + "/state", root + "/xdg", root + "/home")
        for directory in [state, data, home] { mkdir(directory, 0o700) }
        let cases: [([String: String], String)] = [
            (["STATE_DIRECTORY": state, "XDG_DATA_HOME": data, "HOME": home], state + "/credentials.vault"),
            (["STATE_DIRECTORY": state + ":" + data], state + "/credentials.vault"),
            (["XDG_DATA_HOME": data, "HOME": home], data + "/org.example.app/credentials.vault"),
            (["XDG_DATA_HOME": "relative", "HOME": home], home + "/.local/share/org.example.app/credentials.vault"),
            (["XDG_DATA_HOME": "", "HOME": home], home + "/.local/share/org.example.app/credentials.vault"),
        ]
        for (environment, path) in cases {
            unlink(path)
            try builder(environment).build().set("value", forKey: "name")
            #expect(access(path, F_OK) == 0, "\(path)")
            #expect(try builder(environment).build().string(forKey: "name") == "value")
        }
    }

    @Test("a data directory that is not there yet is made, private")
    func missingData() throws {
        mkdir(root + "/home", 0o700)
        try builder(["XDG_DATA_HOME": root + "/new/data", "HOME": root + "/home"]).build().set("value", forKey: "name")
        var status = stat()
        #expect(stat(root + "/new/data/org.example.app", &status) == 0 && status.st_mode & 0o777 == 0o700)
    }

    @Test("a path where no directory can be made is no place, and one that is missing is made, private")
    func namedPath() throws {
        let nowhere = builder([:]).path("/proc/nope/x/credentials.vault").build()
        #expect(failure { try nowhere.set("x", forKey: "x") }?.category == .noStorageLocation)
        #expect(failure { try nowhere.create() }?.category == .noStorageLocation)
        try builder([:]).path(root + "/one/two/vault").build().set("value", forKey: "name")
        for directory in ["/one", "/one/two"] {
            var status = stat()
            #expect(stat(root + directory, &status) == 0 && status.st_mode & 0o777 == 0o700)
        }
    }

    @Test("without a usable home there is no place, and nothing is made")
    func nowhere() throws {
        try writeFile(root + "/file", [1])
        expectNowhere([:], "unset")
        expectNowhere(["HOME": ""], "empty")
        expectNowhere(["HOME": "relative/home"], "relative")
        expectNowhere(["HOME": root + "/missing"], "missing")
        expectNowhere(["HOME": root + "/file"], "a file")
        expectNowhere(["HOME": root + "/file/below"], "below a file")
        expectNowhere(["STATE_DIRECTORY": "relative", "HOME": root], "relative state directory")
        expectNowhere(["STATE_DIRECTORY": ":" + root, "HOME": root], "empty first state directory")
        expectNowhere(["XDG_DATA_HOME": root + "/file", "HOME": root], "data directory that is a file")
        expectNowhere(["HOME": "/" + String(repeating: "x", count: 5000)], "too long")
        #expect(try FileManager.default.contentsOfDirectory(atPath: root).sorted() == ["data", "file", "key"])
    }

    @Test("a home or data directory of somebody else is no place")
    func foreign() throws {
        let (home, data) = (root + "/home", root + "/xdg")
        mkdir(home, 0o700)
        mkdir(data, 0o700)
        for environment in [["HOME": home], ["HOME": root, "XDG_DATA_HOME": data]] {
            let store = builder(environment).fileSystem(FaultyFileSystem(foreign: [home, data])).build()
            #expect(failure { try store.get("x") }?.category == .noStorageLocation)
            #expect(failure { try store.set("x", forKey: "x") }?.category == .noStorageLocation)
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: home).isEmpty)
        #expect(try FileManager.default.contentsOfDirectory(atPath: data).isEmpty)
    }

    @Test("a group has a place of its own that its members share")
    func groups() throws {
        let environment = ["HOME": root, "XDG_DATA_HOME": root + "/xdg", "STATE_DIRECTORY": root + "/state"]
        try builder(environment, service: "one").accessGroup("shared").build().set("value", forKey: "name")
        #expect(
            try builder(environment, service: "two").accessGroup("shared").build().string(forKey: "name") == "value")
        #expect(access(root + "/xdg/shared/credentials.vault", F_OK) == 0)
        mkdir(root + "/state", 0o700)
        #expect(try builder(environment, service: "one").build().get("name") == nil)
    }

    @Test(
        "a service or a group whose name could lead elsewhere is refused",
        arguments: [
            "", ".", "..", "../x", "a/b", "-x", ".x", "a b", "\u{E9}", "a\0", String(repeating: "x", count: 129),
        ])
    func badNames(name: String) throws {
        for builder in [builder(["HOME": root], service: name), builder(["HOME": root]).accessGroup(name)] {
            let store = builder.build()
            #expect(failure { try store.get("x") } == .readError(cause: .invalidService))
            #expect(failure { try store.set("x", forKey: "x") } == .writeError(cause: .invalidService))
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: root).sorted() == ["data", "key"])
    }

    @Test("a name that leaves no room for those of the files beside it is no place, and nothing is made")
    func longNames() throws {
        let key = root + "/fresh.key"
        for (count, fits) in [(245, true), (246, false), (250, false), (251, false), (255, false), (256, false)] {
            let path = root + "/" + String(repeating: "v", count: count)
            let store = StorageBuilder.EncryptedFile(service: "x").path(path).keySource(.keyFile(key)).log(.silent)
                .build()
            guard !fits else {
                try store.create()
                try store.set("value", forKey: "name")
                #expect(try store.string(forKey: "name") == "value")
                unlink(path)
                unlink(path + ".lock")
                unlink(key)
                continue
            }
            #expect(failure { try store.create() }?.category == .noStorageLocation, "\(count)")
            // A name that is too long only for what is kept aside can be given to a vault by hand.
            if count > 250 {
                #expect(failure { try store.get("name") }?.category == .noStorageLocation, "\(count)")
                #expect(failure { try store.acquireLock("name", timeout: .zero) }?.category == .noStorageLocation)
            }
            #expect(store.probe().reason?.category == .noStorageLocation, "\(count)")
            #expect(access(key, F_OK) != 0, "\(count)")
        }
    }

    @Test("a group and a service of one name are one and the same store")
    func groupAndService() throws {
        let home = root + "/home"
        mkdir(home, 0o700)
        let service = builder(["HOME": home], service: "suite").build()
        let group = builder(["HOME": home], service: "another").accessGroup("suite").build()
        try service.set("first", forKey: "name")
        #expect(try group.string(forKey: "name") == "first")
        try group.set("second", forKey: "name")
        #expect(try service.string(forKey: "name") == "second")
        #expect(try builder(["HOME": home], service: "another").build().get("name") == nil)
    }

    @Test("a named path that cannot be a file is no place", arguments: ["", "/", "dir/", "a\0b"])
    func badPaths(path: String) throws {
        let store = builder(["HOME": root]).path(path).build()
        #expect(failure { try store.get("x") }?.category == .noStorageLocation)
        #expect(failure { try store.set("x", forKey: "x") }?.category == .noStorageLocation)
    }
}
