import CredentialStorage
import CredentialTestSupport
import Foundation
import Testing

@testable import CredentialStorageAutomatic

@Suite("The note of the choice", .timeLimit(.minutes(1)))
struct ChoiceRecordTests {
    private let directory: String
    private let record: ChoiceRecord

    init() throws {
        directory = try TemporaryDirectory().path
        record = ChoiceRecord(besideVault: "\(directory)/app/credentials.vault", PosixFileSystem())
    }

    private func write(_ text: String) throws {
        try FileManager.default.createDirectory(
            atPath: "\(directory)/app", withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        try Data(text.utf8).write(to: URL(fileURLWithPath: record.path))
    }

    @Test("what is noted is read again, and the first note stays", arguments: AutomaticChoice.allCases)
    func first(_ choice: AutomaticChoice) throws {
        #expect(try record.read() == .none)
        #expect(try record.note(choice) == .choice(choice))
        for other in AutomaticChoice.allCases { #expect(try record.note(other) == .choice(choice)) }
        #expect(try record.read() == .choice(choice))
        #expect(try FileManager.default.contentsOfDirectory(atPath: "\(directory)/app") == ["credentials.choice"])
    }

    @Test("simultaneous first starts agree on one choice")
    func agreed() async throws {
        let record = record
        let notes = try await withThrowingTaskGroup(of: ChoiceRecord.Note.self) { group in
            for number in 0..<32 {
                group.addTask { try record.note(number.isMultiple(of: 2) ? .file : .keyringVault) }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(notes.allSatisfy { $0 == notes[0] })
        #expect(try record.read() == notes[0])
    }

    @Test(
        "a note that is cut or changed is damaged, and a newer one is told apart",
        arguments: [
            "", "\n", "credential-storage choice 1 file", "credential-storage choice 1 \n",
            "credential-storage choice 1 elsewhere\n", "credential-storage choice one file\n",
            "credential-storage choice 1 file more\n", "something else\n", "credential-storage choice -1 file\n",
        ])
    func damaged(_ text: String) throws {
        try write(text)
        #expect(try record.read() == .damaged)
        #expect(try record.note(.file) == .damaged)
        try write("credential-storage choice 2 elsewhere\n")
        #expect(try record.read() == .unsupportedVersion(2))
    }

    @Test("a note that others may have written proves nothing")
    func open() throws {
        try write("credential-storage choice 1 file\n")
        #expect(chmod(record.path, 0o666) == 0)
        #expect(throws: StorageFault.unavailable(.insecurePermissions)) { try record.read() }
    }
}
