extension Backend {
    /// The desktop's keyring, whose module is not in this build.
    static let secretService = Backend(
        name: "secret-service",
        open: nil,
        diagnose: { _ in Diagnosis(failure: .backendNotInThisBuild) })
}
