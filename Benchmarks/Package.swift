// swift-tools-version: 6.3

import PackageDescription

// What the product is measured by. It uses the library as an outside program does, through the public products alone.
let package = Package(
    name: "Benchmarks",
    dependencies: [.package(name: "swift-credential-storage", path: "..")],
    targets: [
        .systemLibrary(name: "CBenchmarkSodium", pkgConfig: "libsodium", providers: [.apt(["libsodium-dev"])]),
        .systemLibrary(name: "CBenchmarkLibsecret", pkgConfig: "libsecret-1", providers: [.apt(["libsecret-1-dev"])]),
        // The peers. The databases are loaded when they are measured, so that this builds where they are missing.
        .target(name: "CBenchmarkPeers", dependencies: ["CBenchmarkSodium"]),
        .target(name: "CBenchmarkBus", dependencies: ["CBenchmarkLibsecret"]),
        .executableTarget(
            name: "Benchmarks",
            dependencies: [
                "CBenchmarkPeers", "CBenchmarkBus",
                .product(name: "CredentialStorage", package: "swift-credential-storage"),
                .product(name: "CredentialStorageSealing", package: "swift-credential-storage"),
                .product(name: "CredentialStorageFile", package: "swift-credential-storage"),
                .product(name: "CredentialStorageSecretService", package: "swift-credential-storage"),
            ],
            swiftSettings: [
                .enableUpcomingFeature("ExistentialAny"),
                .enableUpcomingFeature("MemberImportVisibility"),
                .enableUpcomingFeature("InternalImportsByDefault"),
                .treatAllWarnings(as: .error),
            ]
        ),
    ],
    swiftLanguageModes: [.v6]
)
