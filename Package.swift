// swift-tools-version: 6.3

import PackageDescription

let package = Package(
    name: "swift-credential-storage",
    products: [
        .library(name: "CredentialStorage", targets: ["CredentialStorage"]),
        .library(name: "CredentialStorageSealing", targets: ["CredentialStorageSealing"]),
        .library(name: "CredentialStorageFile", targets: ["CredentialStorageFile"]),
        .library(name: "CredentialStorageSecretService", targets: ["CredentialStorageSecretService"]),
        .library(name: "CredentialStorageAutomatic", targets: ["CredentialStorageAutomatic"]),
        .library(name: "CredentialStorageTesting", targets: ["CredentialStorageTesting"]),
        .library(name: "AppGantrySDK", targets: ["AppGantrySDK"]),
        .library(name: "CredentialCLI", targets: ["CredentialCLI"]),
        .executable(name: "credstore", targets: ["credstore"]),
    ],
    traits: [
        .trait(
            name: "SecretService",
            description: "The Secret Service backend; its module needs libsecret."
        ),
        .default(enabledTraits: ["SecretService"]),
    ],
    targets: [
        // The C doors. Each is imported by as few files as possible and never shows in a signature.
        .target(name: "CCredentialShims"),
        .systemLibrary(
            name: "CCredentialSodium",
            pkgConfig: "libsodium",
            providers: [.apt(["libsodium-dev"])]
        ),
        .systemLibrary(
            name: "CCredentialLibsecret",
            pkgConfig: "libsecret-1",
            providers: [.apt(["libsecret-1-dev"])]
        ),

        .target(name: "CredentialStorage", dependencies: ["CCredentialShims"]),
        .target(
            name: "CredentialStorageSealing",
            dependencies: ["CredentialStorage", "CCredentialShims", "CCredentialSodium"]
        ),
        .target(
            name: "CredentialStorageFile",
            dependencies: ["CredentialStorage", "CredentialStorageSealing", "CCredentialShims"]
        ),
        .target(
            name: "CredentialStorageSecretService",
            dependencies: [
                "CredentialStorage",
                .target(name: "CCredentialLibsecret", condition: .when(traits: ["SecretService"])),
            ]
        ),
        .target(
            name: "CredentialStorageAutomatic",
            dependencies: [
                "CredentialStorage", "CredentialStorageSealing", "CredentialStorageFile",
                .target(name: "CredentialStorageSecretService", condition: .when(traits: ["SecretService"])),
            ]
        ),
        .target(name: "CredentialStorageTesting", dependencies: ["CredentialStorage"]),
        .target(
            name: "AppGantrySDK",
            dependencies: [
                "CredentialStorage", "CredentialStorageSealing", "CredentialStorageAutomatic", "CCredentialShims",
            ]
        ),
        .target(
            name: "CredentialCLI",
            dependencies: [
                "CredentialStorage", "CredentialStorageSealing", "CredentialStorageFile", "CredentialStorageAutomatic",
                "CCredentialShims",
                .target(name: "CredentialStorageSecretService", condition: .when(traits: ["SecretService"])),
            ]
        ),
        .executableTarget(name: "credstore", dependencies: ["CredentialCLI"]),

        .target(
            name: "CredentialTestSupport", dependencies: ["CredentialStorage"], path: "Tests/CredentialTestSupport"),
        .target(
            name: "SecretServiceTestSupport",
            dependencies: ["CredentialStorage", "CredentialTestSupport"],
            path: "Tests/SecretServiceTestSupport"
        ),
        .target(name: "CTestFork", path: "Tests/CTestFork"),
        .executableTarget(
            name: "MemorySubject",
            dependencies: ["CredentialStorage", "CTestFork"],
            path: "Tests/MemorySubject"
        ),
        .testTarget(
            name: "CredentialStorageTests",
            dependencies: [
                "CredentialStorage", "CredentialStorageTesting", "CredentialTestSupport", "MemorySubject",
                "CCredentialShims",
            ]
        ),
        // One list of stores for all contracts, so that a new backend inherits every test by one row.
        .testTarget(
            name: "ContractTests",
            dependencies: [
                "CredentialStorage", "CredentialStorageSealing", "CredentialStorageFile",
                "CredentialStorageSecretService", "CredentialStorageAutomatic", "CredentialStorageTesting",
                "CredentialTestSupport", "SecretServiceTestSupport",
            ]
        ),
        .testTarget(
            name: "CredentialStorageSealingTests",
            dependencies: [
                "CredentialStorage", "CredentialStorageSealing", "CredentialStorageTesting", "CredentialTestSupport",
            ]
        ),
        .executableTarget(
            name: "FileSubject",
            dependencies: ["CredentialStorage", "CredentialStorageSealing", "CredentialStorageFile", "CTestFork"],
            path: "Tests/FileSubject"
        ),
        .testTarget(
            name: "CredentialStorageFileTests",
            dependencies: [
                "CredentialStorage", "CredentialStorageSealing", "CredentialStorageFile", "CredentialStorageTesting",
                "CredentialTestSupport", "FileSubject", "CCredentialShims", "CTestFork",
            ]
        ),
        .executableTarget(
            name: "SecretServiceSubject",
            dependencies: ["CredentialStorage", "CredentialStorageSecretService", "CTestFork"],
            path: "Tests/SecretServiceSubject"
        ),
        .testTarget(
            name: "CredentialStorageSecretServiceTests",
            dependencies: [
                "CredentialStorage", "CredentialStorageSecretService", "CredentialStorageTesting",
                "CredentialTestSupport", "SecretServiceTestSupport", "SecretServiceSubject",
                .target(name: "CCredentialLibsecret", condition: .when(traits: ["SecretService"])),
            ]
        ),
        .testTarget(
            name: "CredentialStorageAutomaticTests",
            dependencies: [
                "CredentialStorage", "CredentialStorageAutomatic", "CredentialStorageFile",
                "CredentialStorageSecretService", "CredentialStorageTesting", "CredentialTestSupport",
                "SecretServiceTestSupport",
            ]
        ),
        .executableTarget(name: "PromptSubject", dependencies: ["AppGantrySDK"], path: "Tests/PromptSubject"),
        // Not a product: `Examples/UpdateCheck/run` builds and starts it.
        .executableTarget(
            name: "UpdateCheck", dependencies: ["AppGantrySDK"], path: "Examples/UpdateCheck",
            exclude: ["run", "state.json"]
        ),
        .executableTarget(
            name: "UpdateSubject",
            dependencies: ["AppGantrySDK", "CredentialStorageAutomatic", "CredentialStorageFile"],
            path: "Tests/UpdateSubject"
        ),
        .testTarget(
            name: "AppGantrySDKTests",
            dependencies: [
                "AppGantrySDK", "CredentialStorage", "CredentialStorageSealing", "CredentialStorageFile",
                "CredentialStorageSecretService", "CredentialStorageAutomatic", "CredentialStorageTesting",
                "CredentialTestSupport", "SecretServiceTestSupport", "UpdateSubject", "PromptSubject",
            ]
        ),
        // The executable stands here so that it is built: these tests run it as a user does.
        .testTarget(
            name: "CredentialCLITests",
            dependencies: [
                "CredentialCLI", "CredentialStorage", "CredentialStorageSealing", "CredentialStorageFile",
                "SecretServiceTestSupport", "CTestFork", "credstore",
            ]
        ),
    ],
    swiftLanguageModes: [.v6]
)

let cTargets: Set<String> = ["CCredentialShims", "CCredentialSodium", "CCredentialLibsecret", "CTestFork"]
for target in package.targets where !cTargets.contains(target.name) {
    target.swiftSettings = [
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("MemberImportVisibility"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .treatAllWarnings(as: .error),
    ]
    // Tests call the C library as they please; what ships marks each unsafe expression.
    if target.type != .test { target.swiftSettings?.append(.strictMemorySafety()) }
}
