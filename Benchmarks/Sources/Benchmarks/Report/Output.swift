internal import Glibc

/// Writes a line to standard output at once, whatever that is.
func say(_ line: String) { put(line + "\n", 1) }

/// Writes text for the person who waits.
func note(_ text: String) { put(text, 2) }

private func put(_ text: String, _ file: Int32) {
    var bytes = Array(text.utf8)[...]
    while !bytes.isEmpty {
        let written = bytes.withUnsafeBytes { write(file, $0.baseAddress, $0.count) }
        if written <= 0 { return }
        bytes = bytes.dropFirst(written)
    }
}
