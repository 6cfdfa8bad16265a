public import FoundationEssentials

/// Random, recognisable names and values, and a search for them in anything that a program lets out.
///
/// ```swift
/// let canary = Canary()
/// try store.set(canary.value, forKey: canary.name)
/// #expect(canary.leaks(in: logText).isEmpty)
/// ```
///
/// A leak is any stretch of twelve bytes of the name or the value, as it is or in one of the usual disguises:
/// base64 (at each alignment, both alphabets), hexadecimal, percent-encoded, escaped, UTF-16, lists of byte numbers,
/// and all of them backwards.
public struct Canary: Sendable {
    /// A valid entry name of 32 letters and digits.
    public let name: String

    /// A secret of 40 letters and digits.
    public let text: String

    /// The secret as bytes.
    public var value: Data { Data(text.utf8) }

    private let needles: [Needle]

    /// Draws a new name and a new value.
    public init() {
        self.init(name: Self.draw(32), text: Self.draw(40))
    }

    /// Looks for a name and a value that are known.
    ///
    /// - Parameters:
    ///   - name: An entry name of at least twelve bytes.
    ///   - text: A secret of at least twelve bytes.
    public init(name: String, text: String) {
        self.name = name
        self.text = text
        needles = Needle.all(for: Array(name.utf8), of: "name") + Needle.all(for: Array(text.utf8), of: "value")
    }

    /// Looks through bytes.
    ///
    /// - Parameter bytes: A file, a log, a memory image.
    /// - Returns: What was found, as `value as base64` and the like; empty when nothing was.
    public func leaks(in bytes: Data) -> [String] {
        let haystack = Haystack(bytes)
        return needles.filter { haystack.contains($0) }.map(\.label)
    }

    /// Looks through text.
    ///
    /// - Parameter text: What a program printed.
    /// - Returns: What was found; empty when nothing was.
    public func leaks(in text: String) -> [String] { leaks(in: Data(text.utf8)) }

    /// Looks through every rendering of a value; see ``renderings(of:)``.
    ///
    /// - Parameter subject: An error, a result, a store.
    /// - Returns: What was found; empty when nothing was.
    public func leaks(in subject: Any) -> [String] {
        leaks(in: Self.renderings(of: subject).joined(separator: "\n"))
    }

    /// Every way in which a program is likely to print something.
    ///
    /// The description, the debug description, an interpolation, `dump`, a walk through its mirror, and for errors
    /// the texts of `LocalizedError`.
    ///
    /// - Parameter subject: Anything.
    /// - Returns: The texts.
    public static func renderings(of subject: Any) -> [String] {
        var texts = [String(describing: subject), String(reflecting: subject), "\(subject)"]
        var dumped = ""
        dump(subject, to: &dumped)
        texts.append(dumped)
        walk(Mirror(reflecting: subject), depth: 0, into: &texts)
        if let error = subject as? any LocalizedError {
            texts += [error.errorDescription, error.failureReason, error.recoverySuggestion, error.helpAnchor]
                .compactMap(\.self)
        }
        return texts
    }

    private static func walk(_ mirror: Mirror, depth: Int, into texts: inout [String]) {
        guard depth < 12 else { return }
        for child in mirror.children {
            if let label = child.label { texts.append(label) }
            texts += [String(describing: child.value), String(reflecting: child.value)]
            walk(Mirror(reflecting: child.value), depth: depth + 1, into: &texts)
        }
        if let parent = mirror.superclassMirror { walk(parent, depth: depth + 1, into: &texts) }
    }

    private static func draw(_ count: Int) -> String {
        let alphabet = Array("ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz23456789")
        return String((0..<count).map { _ in alphabet.randomElement() ?? "x" })
    }
}

extension Canary: CustomStringConvertible, CustomReflectable {
    /// A fixed text, so that a canary in a failure message is not taken for a leak.
    public var description: String { "Canary(redacted)" }
    /// An empty mirror.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
