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
        .library(name: "CardPresent", targets: ["CardPresent"]),
        .library(name: "TerminalJournal", targets: ["TerminalJournal"]),
        .library(name: "BenchHost", targets: ["BenchHost"]),
        .executable(name: "cardpresent", targets: ["cardpresent"]),
        .executable(name: "cardpresent-bench", targets: ["cardpresent-bench"]),
        .executable(name: "cardpresent-readers", targets: ["cardpresent-readers"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.0"),
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
    ],
    targets: [
        // Floor 0: C
        .systemLibrary(name: "COpenSSL", pkgConfig: "libcrypto", providers: [.apt(["libssl-dev"])]),
        .target(name: "CHeap", path: "tools/mutation/heap"),

        .target(name: "CDeviceIO", linkerSettings: [.linkedLibrary("usb-1.0"), .linkedLibrary("udev")]),

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
        .target(
            name: "SealedStore", dependencies: ["Bytes", "CardCryptography", .product(name: "GRDB", package: "GRDB.swift")],
            swiftSettings: dialect),
        .target(name: "SmartCard", dependencies: ["Bytes", "TLV"], swiftSettings: dialect),
        .testTarget(name: "SmartCardTests", dependencies: ["CardModels", "SmartCard", "Bytes"], swiftSettings: dialect),

        // Floor 4
        .target(name: "CardModels", dependencies: ["SmartCard"], path: "Tests/CardModels", swiftSettings: dialect),
        .target(name: "DeviceIO", dependencies: ["CDeviceIO", "Bytes"], swiftSettings: dialect),
        .testTarget(name: "DeviceIOTests", dependencies: ["DeviceIO", "Bytes"], swiftSettings: dialect),
        .target(name: "EMVKernel", dependencies: ["Bytes", "TLV", "CardCryptography", "SmartCard"], swiftSettings: dialect),
        .testTarget(
            name: "EMVKernelTests", dependencies: ["EMVKernel", "VirtualCard", "Bytes", "TLV", "CardCryptography", "SmartCard"],
            swiftSettings: dialect),

        // Floor 5
        .target(name: "EMVReplay", dependencies: ["Bytes", "TLV", "CardCryptography", "SmartCard", "EMVKernel"], swiftSettings: dialect),
        .target(
            name: "CardReaders",
            dependencies: ["Bytes", "TLV", "MagneticStripe", "CardCryptography", "SmartCard", "DeviceIO", "EMVKernel"],
            swiftSettings: dialect),
        .target(name: "VirtualCard", dependencies: ["Bytes", "TLV", "CardCryptography", "SmartCard"], swiftSettings: dialect),
        .testTarget(
            name: "VirtualCardTests",
            dependencies: ["VirtualCard", "Bytes", "TLV", "CardCryptography", "SmartCard", "EMVKernel", "MagneticStripe"],
            swiftSettings: dialect),
        .testTarget(
            name: "CardReadersTests",
            dependencies: [
                "CardReaders", "CardModels", "VirtualCard", "Bytes", "TLV", "MagneticStripe", "CardCryptography", "SmartCard", "DeviceIO",
                "EMVKernel",
            ], swiftSettings: dialect),
        .testTarget(
            name: "EMVReplayTests",
            dependencies: ["EMVReplay", "VirtualCard", "CardReaders", "Bytes", "TLV", "CardCryptography", "SmartCard", "EMVKernel"],
            swiftSettings: dialect),

        // Floor 6
        .target(
            name: "PaymentTerminal", dependencies: ["Bytes", "TLV", "MagneticStripe", "CardCryptography", "EMVKernel", "CardReaders"],
            swiftSettings: dialect),
        .testTarget(
            name: "PaymentTerminalTests", dependencies: ["PaymentTerminal", "Bytes", "TLV", "MagneticStripe", "CardReaders", "EMVKernel"],
            swiftSettings: dialect),

        .target(
            name: "CardProfiles", dependencies: ["Bytes", "TLV", "MagneticStripe", "CardCryptography", "SmartCard", "VirtualCard"],
            swiftSettings: dialect),
        .target(
            name: "Mutation", dependencies: ["Bytes", "TLV", "CardCryptography", "SmartCard", "EMVKernel", "VirtualCard"],
            path: "tools/mutation/conversations", swiftSettings: dialect),
        .testTarget(name: "MutationTests", dependencies: ["Mutation", "EMVKernel", "TLV"], swiftSettings: dialect),

        // Floor 7
        .executableTarget(
            name: "mutate-run", dependencies: ["CHeap", "Mutation", "EMVKernel"], path: "tools/mutation/run", swiftSettings: dialect),
        .target(
            name: "TerminalJournal",
            dependencies: [
                "Bytes", "CardCryptography", "SealedStore", "PaymentTerminal", .product(name: "GRDB", package: "GRDB.swift"),
            ], swiftSettings: dialect),
        .testTarget(
            name: "TerminalJournalTests",
            dependencies: ["TerminalJournal", "PaymentTerminal", "CardReaders", "Bytes"], swiftSettings: dialect),
        .target(
            name: "BenchHost",
            dependencies: [
                "Bytes", "TLV", "MagneticStripe", "CardCryptography", "SealedStore", "SmartCard", "CardReaders", "PaymentTerminal",
                .product(name: "GRDB", package: "GRDB.swift"),
            ], swiftSettings: dialect),
        .testTarget(
            name: "CardProfilesTests",
            dependencies: [
                "CardProfiles", "BenchHost", "PaymentTerminal", "CardReaders", "VirtualCard", "EMVKernel", "MagneticStripe",
                "CardCryptography",
                "SmartCard", "TLV", "Bytes",
            ], swiftSettings: dialect),
        .testTarget(
            name: "BenchHostTests",
            dependencies: [
                "BenchHost", "PaymentTerminal", "SealedStore", "CardReaders", "VirtualCard", "EMVKernel", "CardCryptography", "SmartCard",
                "MagneticStripe", "TLV",
                "Bytes",
                .product(name: "GRDB", package: "GRDB.swift"),
            ], swiftSettings: dialect),

        // Floor 8: what an integrator imports, and what the commands write with
        .target(
            name: "CardPresent",
            dependencies: [
                "Bytes", "TLV", "MagneticStripe", "CardCryptography", "SmartCard", "DeviceIO", "EMVKernel", "EMVReplay", "CardReaders",
                "VirtualCard", "CardProfiles", "PaymentTerminal",
            ], swiftSettings: dialect),
        .target(name: "Console", path: "tools/console", swiftSettings: dialect),

        // Floor 9
        .target(
            name: "Reports", dependencies: ["Bytes", "TLV", "MagneticStripe", "SmartCard", "EMVKernel", "EMVReplay", "Console"],
            path: "tools/reports", swiftSettings: dialect),

        // Floor 10: the command line
        .executableTarget(
            name: "cardpresent",
            dependencies: [
                "Bytes", "TLV", "MagneticStripe", "CardCryptography", "SmartCard", "EMVReplay", "VirtualCard", "CardProfiles", "Console",
                "Reports",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            path: "tools/cardpresent", swiftSettings: dialect),
        .executableTarget(
            name: "cardpresent-bench",
            dependencies: [
                "Bytes", "TLV", "CardCryptography", "SmartCard", "EMVKernel", "EMVReplay", "CardReaders", "VirtualCard", "CardProfiles",
                "PaymentTerminal", "TerminalJournal", "DeviceIO", "BenchHost", "Console", "Reports",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            path: "tools/cardpresent-bench", swiftSettings: dialect),
        .executableTarget(
            name: "cardpresent-readers",
            dependencies: [
                "Bytes", "MagneticStripe", "CardCryptography", "SmartCard", "DeviceIO", "CardReaders", "Console", "Reports",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            path: "tools/cardpresent-readers", swiftSettings: dialect),
        .testTarget(
            name: "CommandLineTests", dependencies: ["cardpresent", "cardpresent-bench", "cardpresent-readers", "SmartCard", "Bytes"],
            swiftSettings: dialect),
        .testTarget(name: "DocumentationTests", swiftSettings: dialect),
    ],
    swiftLanguageModes: [.v6]
)
