/// Why an entry that exists cannot be read.
@nonexhaustive
public enum UndecryptableReason: String, Sendable, CaseIterable {
    /// Its bytes are damaged.
    case damaged
    /// It was sealed under another key.
    case wrongKey
    /// The key that it was sealed under no longer exists.
    case keyLost
    /// It was written by a newer version of its format.
    case formatTooNew
    /// It is locked although the rest of the store is not.
    case locked
    /// More than one item answers to its name, and none of them is chosen.
    case ambiguous
    /// It opened, was asked for as text, and is not UTF-8. Its bytes are sound; read them as bytes.
    case notText
}
