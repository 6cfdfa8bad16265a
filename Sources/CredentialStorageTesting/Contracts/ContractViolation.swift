/// A rule that a store breaks.
public struct ContractViolation: Error, Sendable, CustomStringConvertible {
    /// What every store must do, as a sentence.
    public internal(set) var rule: String

    /// What this one did instead.
    public let message: String

    /// Makes a violation for a rule of your own; the rule that is running puts its sentence in.
    ///
    /// - Parameter message: What the store did instead.
    public init(_ message: String) {
        rule = ""
        self.message = message
    }

    /// The rule and what happened.
    public var description: String { rule.isEmpty ? message : "\(rule): \(message)" }
}

extension ContractViolation {
    /// Ends the rule unless the condition holds; for rules of your own.
    ///
    /// - Parameters:
    ///   - condition: What must hold.
    ///   - message: What happened instead, without any value.
    /// - Throws: ``ContractViolation`` when it does not hold.
    public static func unless(
        _ condition: Bool,
        _ message: @autoclosure () -> String
    ) throws(ContractViolation) {
        guard condition else { throw ContractViolation(message()) }
    }
}
