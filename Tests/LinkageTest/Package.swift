// swift-tools-version: 6.3

import PackageDescription

// An outside package, in the three ways in which one can depend on this one. `scripts/linkage` builds each form and
// looks at what the programs link.
//   core: the core and the testing product alone
//   no-traits: the file backend too, with every trait switched off
//   default: the same with the default traits
let form = Context.environment["LINKAGE_FORM"] ?? "default"

func root(_ product: String) -> Target.Dependency { .product(name: product, package: "swift-credential-storage") }

let package = Package(
    name: "LinkageTest",
    dependencies: [
        .package(
            name: "swift-credential-storage", path: "../..", traits: form == "default" ? [.defaults] : []
        )
    ],
    targets: [
        .executableTarget(name: "CoreUser", dependencies: [root("CredentialStorage")]),
        .testTarget(
            name: "ContractUserTests", dependencies: [root("CredentialStorage"), root("CredentialStorageTesting")]
        ),
    ],
    swiftLanguageModes: [.v6]
)

if form != "core" {
    package.targets.append(
        // The samples of README.md.
        .executableTarget(
            name: "ReadmeUser",
            dependencies: [
                root("CredentialStorage"), root("CredentialStorageSealing"), root("CredentialStorageFile"),
                root("CredentialStorageAutomatic"),
            ]
        )
    )
    package.targets.append(
        .executableTarget(
            name: "SecretServiceUser",
            dependencies: [root("CredentialStorage"), root("CredentialStorageSecretService")],
            // The sample of README.md.
            exclude: form == "default" ? [] : ["KeyringSample.swift"],
            swiftSettings: form == "default" ? [.define("WITH_SECRET_SERVICE")] : []
        )
    )
    package.targets.append(
        // The sample of docs/update-client.md.
        .executableTarget(name: "UpdateUser", dependencies: [root("AppGantrySDK")])
    )
    package.targets.append(
        .executableTarget(
            name: "FileUser",
            dependencies: [
                root("CredentialStorage"), root("CredentialStorageSealing"), root("CredentialStorageFile"),
            ]
        )
    )
}

for target in package.targets {
    target.swiftSettings =
        (target.swiftSettings ?? []) + [
            .enableUpcomingFeature("ExistentialAny"),
            .enableUpcomingFeature("MemberImportVisibility"),
            .enableUpcomingFeature("InternalImportsByDefault"),
            .strictMemorySafety(),
            .treatAllWarnings(as: .error),
        ]
}
