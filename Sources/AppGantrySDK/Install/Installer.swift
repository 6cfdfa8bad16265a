internal import Glibc

/// Runs a program, without a shell, and waits for its end.
enum Installer {
    static func run(_ command: [String]) throws(SDKError) {
        var arguments: [UnsafeMutablePointer<CChar>?] = unsafe command.map { unsafe strdup($0) }
        unsafe arguments.append(nil)
        defer { unsafe arguments.forEach { unsafe free($0) } }
        var process = pid_t()
        guard let program = command.first, !program.isEmpty,
            unsafe posix_spawnp(&process, program, nil, nil, arguments, environ) == 0
        else { throw .transport(Phrase.noInstaller) }
        var status: Int32 = 0
        while unsafe waitpid(process, &status, 0) < 0 {
            guard errno == EINTR else { throw .transport(Phrase.noInstaller) }
        }
        let signal = status & 0x7F
        let exit = signal == 0 ? (status >> 8) & 0xFF : 128 + signal
        guard exit == 0 else { throw .transport(Phrase.installerFailed(exit)) }
    }
}
