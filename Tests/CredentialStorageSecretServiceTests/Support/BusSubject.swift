#if SecretService
    import Foundation
    import SecretServiceTestSupport

    /// The helper executable, which stands beside the test binary.
    enum BusSubject {
        static func path() throws -> String {
            let test = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
            return URL(fileURLWithPath: test).deletingLastPathComponent().appendingPathComponent("SecretServiceSubject")
                .path
        }
    }

    extension PrivateBus {
        /// Runs the helper with the variables of this bus.
        func subject(
            _ arguments: String..., prefix: [String] = [], variables: [String: String] = [:], within seconds: Int = 120
        ) throws -> (lines: [String], status: Int32) {
            let result = try run(
                prefix + [try BusSubject.path(), service] + arguments,
                variables: ["SWIFT_BACKTRACE": "enable=no"].merging(variables) { $1 }, within: seconds)
            return (result.text.split(separator: "\n").map(String.init), result.status)
        }
    }
#endif
