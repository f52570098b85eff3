// swift-tools-version: 6.2
import PackageDescription

/// Every Swift target speaks the same dialect; strict memory safety makes each touch of C visible as `unsafe`.
let dialect: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .strictMemorySafety(),
]

let package = Package(
    name: "swift-card-present",
    products: [
        .library(name: "CardCryptography", targets: ["CardCryptography"])
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.0"),
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
    ],
    targets: [
        // Floor 0: C
        .systemLibrary(name: "COpenSSL", pkgConfig: "libcrypto", providers: [.apt(["libssl-dev"])]),

        // Floor 1
        .target(name: "Bytes", swiftSettings: dialect),
        .testTarget(name: "BytesTests", dependencies: ["Bytes"], swiftSettings: dialect),

        // Floor 2
        .target(name: "TLV", dependencies: ["Bytes"], swiftSettings: dialect),
        .testTarget(name: "TLVTests", dependencies: ["TLV", "Bytes"], swiftSettings: dialect),
        .target(name: "CardCryptography", dependencies: ["Bytes", "COpenSSL"], swiftSettings: dialect),
        .testTarget(name: "CardCryptographyTests", dependencies: ["CardCryptography", "Bytes"], swiftSettings: dialect),
        .target(name: "MagneticStripe", dependencies: ["Bytes"], swiftSettings: dialect),
        .testTarget(name: "MagneticStripeTests", dependencies: ["MagneticStripe", "Bytes"], swiftSettings: dialect),

        // Floor 3
        .target(name: "SmartCard", dependencies: ["Bytes", "TLV"], swiftSettings: dialect),
        .testTarget(name: "SmartCardTests", dependencies: ["SmartCard", "Bytes"], swiftSettings: dialect),

        // Floor 4
        .target(name: "EMVKernel", dependencies: ["Bytes", "TLV", "CardCryptography", "SmartCard"], swiftSettings: dialect),

        // Floor 5
        .target(name: "EMVReplay", dependencies: ["Bytes", "TLV", "CardCryptography", "SmartCard", "EMVKernel"], swiftSettings: dialect),
        .target(
            name: "CardReaders", dependencies: ["Bytes", "TLV", "CardCryptography", "SmartCard", "EMVKernel"], swiftSettings: dialect),
        .target(name: "VirtualCard", dependencies: ["Bytes", "TLV", "CardCryptography", "SmartCard"], swiftSettings: dialect),
        .testTarget(
            name: "VirtualCardTests",
            dependencies: ["VirtualCard", "Bytes", "TLV", "CardCryptography", "SmartCard", "EMVKernel", "MagneticStripe"],
            swiftSettings: dialect),
        .testTarget(
            name: "CardReadersTests",
            dependencies: ["CardReaders", "VirtualCard", "Bytes", "TLV", "CardCryptography", "SmartCard", "EMVKernel"],
            swiftSettings: dialect),
    ],
    swiftLanguageModes: [.v6]
)
