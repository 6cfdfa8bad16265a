internal import CCredentialShims
internal import Glibc

extension UpdatePromptView {
    /// Where a prompt is shown and answered.
    public struct Terminal: Sendable, Hashable {
        /// The descriptor that keys come from.
        public let input: Int32
        /// The descriptor that is written to.
        public let output: Int32

        /// Standard input and standard output.
        public static let standard = Terminal(input: STDIN_FILENO, output: STDOUT_FILENO)

        /// Names a terminal by open descriptors, which stay the caller's.
        ///
        /// - Parameters:
        ///   - input: The descriptor that keys come from.
        ///   - output: The descriptor that is written to; `STDERR_FILENO` where standard output is for data.
        public init(input: Int32, output: Int32) {
            self.input = input
            self.output = output
        }

        /// Whether a person can be asked here.
        var canAsk: Bool {
            isatty(input) == 1 && isatty(output) == 1 && ccs_terminal_is_foreground(input) == 1
        }

        var size: TerminalSize {
            var numbers: (UInt16, UInt16, UInt16, UInt16) = (0, 0, 0, 0)
            unsafe withUnsafeMutableBytes(of: &numbers) { bytes in
                unsafe ccs_terminal_size(output, bytes.assumingMemoryBound(to: UInt16.self).baseAddress!)
            }
            return TerminalSize(
                columns: Int(numbers.0), rows: Int(numbers.1), width: Int(numbers.2), height: Int(numbers.3))
        }
    }
}

/// A terminal's size in cells, and that of a cell in pixels.
struct TerminalSize: Equatable {
    let columns: Int
    let rows: Int
    let cellWidth: Int
    let cellHeight: Int

    /// A terminal that does not know its size counts as one of the usual 80 by 24.
    init(columns: Int, rows: Int, width: Int = 0, height: Int = 0) {
        self.columns = columns > 0 ? max(2, columns) : 80
        self.rows = rows > 0 ? rows : 24
        cellWidth = columns > 0 && width >= columns ? width / columns : 10
        cellHeight = rows > 0 && height >= rows ? height / rows : 20
    }
}
