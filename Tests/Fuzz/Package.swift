// swift-tools-version: 6.3

import PackageDescription

// libFuzzer programs over the encrypted file, in a package of their own so that nothing else is built for them or
// instrumented with them. `scripts/fuzz` builds and runs them.
let package = Package(
    name: "Fuzz",
    dependencies: [.package(name: "swift-credential-storage", path: "../..", traits: [])],
    targets: [
        .target(
            name: "FuzzSupport",
            dependencies: [
                .product(name: "CredentialStorage", package: "swift-credential-storage"),
                .product(name: "CredentialStorageSealing", package: "swift-credential-storage"),
                .product(name: "CredentialStorageFile", package: "swift-credential-storage"),
            ]
        ),
        .executableTarget(name: "FuzzHeader", dependencies: ["FuzzSupport"]),
        .executableTarget(name: "FuzzFrames", dependencies: ["FuzzSupport"]),
        .executableTarget(name: "FuzzVault", dependencies: ["FuzzSupport"]),
    ],
    swiftLanguageModes: [.v6]
)

for target in package.targets {
    target.swiftSettings = [
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("MemberImportVisibility"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .treatAllWarnings(as: .error),
        // libFuzzer brings the main function.
        .unsafeFlags(["-parse-as-library"]),
    ]
}
