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

/// For programs that import single modules, and build nothing else: no database, no HTTP.
let modules = [
    "Bytes", "TLV", "MagneticStripe", "CardCryptography", "SmartCard", "DeviceIO", "EMVKernel", "Contactless", "EntryPoint",
    "Kernel2", "Kernel3", "EMVReplay", "EMVExplanation", "TraceImport", "CardCapture", "CardReaders", "VirtualCard", "CardProfiles",
    "CardInspection", "PaymentTerminal",
]

let package = Package(
    name: "swift-card-present",
    products: [
        .library(name: "CardPresent", targets: ["CardPresent"]),
        .library(name: "CardBench", targets: ["CardBench"]),
        .library(name: "CardPresentModules", targets: modules),
        .library(name: "TerminalJournal", targets: ["TerminalJournal"]),
        .library(name: "BenchHost", targets: ["BenchHost"]),
        .library(name: "WorldNet", targets: ["WorldNet"]),
        .library(name: "Gateways", targets: ["Gateways"]),
        .library(name: "BenchHostServer", targets: ["BenchHostServer"]),
        .executable(name: "cardpresent", targets: ["cardpresent"]),
        .executable(name: "cardpresent-bench", targets: ["cardpresent-bench"]),
        .executable(name: "cardpresent-readers", targets: ["cardpresent-readers"]),
        .executable(name: "cardpresent-host", targets: ["cardpresent-host"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.0"),
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
        .package(url: "https://github.com/swift-server/async-http-client", from: "1.37.0"),
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1", traits: []),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
        .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.6"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
    ],
    targets: [
        // Floor 0: C
        .systemLibrary(name: "COpenSSL", pkgConfig: "libcrypto", providers: [.apt(["libssl-dev"])]),
        .target(name: "CHeap", path: "tools/mutation/heap"),
        .target(name: "CProcessSecrecy", path: "tools/process-secrecy"),
        .target(
            name: "CSimulation", path: "Tests/Simulation/CSimulation", linkerSettings: [.linkedLibrary("sqlite3"), .linkedLibrary("dl")]),
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
        .testTarget(
            name: "SealedStoreTests", dependencies: ["SealedStore", "Bytes", .product(name: "GRDB", package: "GRDB.swift")],
            swiftSettings: dialect),
        .target(name: "SmartCard", dependencies: ["Bytes", "TLV", "MagneticStripe"], swiftSettings: dialect),
        .testTarget(name: "SmartCardTests", dependencies: ["CardModels", "SmartCard", "TLV", "Bytes"], swiftSettings: dialect),

        // Floor 4
        .target(name: "CardModels", dependencies: ["SmartCard"], path: "Tests/CardModels", swiftSettings: dialect),
        .target(name: "FaultProxy", path: "Tests/FaultProxy", swiftSettings: dialect),
        .target(name: "ProcessMemory", path: "Tests/ProcessMemory", swiftSettings: dialect),
        .target(name: "DeviceIO", dependencies: ["CDeviceIO", "Bytes"], swiftSettings: dialect),
        .target(name: "TraceImport", dependencies: ["Bytes", "SmartCard"], swiftSettings: dialect),
        .testTarget(name: "TraceImportTests", dependencies: ["TraceImport", "Bytes", "SmartCard"], swiftSettings: dialect),
        .testTarget(name: "DeviceIOTests", dependencies: ["DeviceIO", "Bytes"], swiftSettings: dialect),
        .target(name: "EMVKernel", dependencies: ["Bytes", "TLV", "CardCryptography", "SmartCard"], swiftSettings: dialect),
        .testTarget(
            name: "EMVKernelTests", dependencies: ["EMVKernel", "VirtualCard", "Bytes", "TLV", "CardCryptography", "SmartCard"],
            swiftSettings: dialect),

        // Floor 5: what contactless kernels share
        .target(
            name: "Contactless", dependencies: ["Bytes", "TLV", "CardCryptography", "SmartCard", "EMVKernel"], swiftSettings: dialect),
        .testTarget(
            name: "ContactlessTests", dependencies: ["Contactless", "Bytes", "TLV", "SmartCard", "EMVKernel"], swiftSettings: dialect),

        // Floor 6: Entry Point and the contactless kernels, each by itself
        .target(
            name: "EntryPoint", dependencies: ["Bytes", "TLV", "SmartCard", "EMVKernel", "Contactless"], swiftSettings: dialect),
        .testTarget(
            name: "EntryPointTests", dependencies: ["EntryPoint", "Contactless", "Bytes", "TLV", "SmartCard", "EMVKernel"],
            swiftSettings: dialect),
        .target(
            name: "Kernel3", dependencies: ["Bytes", "TLV", "CardCryptography", "SmartCard", "EMVKernel", "Contactless"],
            swiftSettings: dialect),
        .target(
            name: "Kernel2", dependencies: ["Bytes", "TLV", "CardCryptography", "SmartCard", "EMVKernel", "Contactless"],
            swiftSettings: dialect),
        .testTarget(
            name: "Kernel2Tests",
            dependencies: ["Kernel2", "EntryPoint", "Contactless", "Bytes", "TLV", "CardCryptography", "SmartCard", "EMVKernel"],
            swiftSettings: dialect),
        .testTarget(
            name: "Kernel3Tests",
            dependencies: [
                "Kernel3", "EntryPoint", "Contactless", "VirtualCard", "Bytes", "TLV", "CardCryptography", "SmartCard", "EMVKernel",
            ], swiftSettings: dialect),

        // Floor 7
        .target(name: "EMVReplay", dependencies: ["Bytes", "TLV", "CardCryptography", "SmartCard", "EMVKernel"], swiftSettings: dialect),
        .target(
            name: "CardCapture",
            dependencies: [
                "Bytes", "TLV", "MagneticStripe", "CardCryptography", "SmartCard", "EMVKernel", "Contactless", "EntryPoint",
            ], swiftSettings: dialect),
        .testTarget(
            name: "CardCaptureTests",
            dependencies: [
                "CardCapture", "CardReaders", "Kernel3", "EntryPoint", "Contactless", "VirtualCard", "Bytes", "TLV", "CardCryptography",
                "SmartCard", "EMVKernel",
            ], swiftSettings: dialect),
        .target(
            name: "CardInspection",
            dependencies: ["Bytes", "TLV", "MagneticStripe", "CardCryptography", "SmartCard", "EMVKernel"], swiftSettings: dialect),
        .testTarget(
            name: "CardInspectionTests",
            dependencies: [
                "CardInspection", "VirtualCard", "CardProfiles", "Bytes", "TLV", "CardCryptography", "SmartCard", "EMVKernel",
            ], swiftSettings: dialect),
        .target(name: "VirtualCard", dependencies: ["Bytes", "TLV", "CardCryptography", "SmartCard"], swiftSettings: dialect),
        .testTarget(
            name: "VirtualCardTests",
            dependencies: ["VirtualCard", "Bytes", "TLV", "CardCryptography", "SmartCard", "EMVKernel", "MagneticStripe"],
            swiftSettings: dialect),
        .testTarget(
            name: "CardReadersTests",
            dependencies: [
                "CardCapture", "CardReaders", "CardModels", "VirtualCard", "Bytes", "TLV", "MagneticStripe", "CardCryptography",
                "SmartCard", "DeviceIO",
                "EMVKernel", "ProcessMemory",
            ], swiftSettings: dialect),
        .testTarget(
            name: "EMVReplayTests",
            dependencies: [
                "EMVReplay", "VirtualCard", "CardCapture", "CardReaders", "Bytes", "TLV", "CardCryptography", "SmartCard", "EMVKernel",
            ],
            swiftSettings: dialect),

        // Floor 8
        .target(
            name: "CardReaders",
            dependencies: [
                "Bytes", "TLV", "MagneticStripe", "CardCryptography", "SmartCard", "DeviceIO", "EMVKernel", "CardCapture",
            ], swiftSettings: dialect),
        .target(
            name: "PaymentTerminal",
            dependencies: ["Bytes", "TLV", "MagneticStripe", "CardCryptography", "EMVKernel", "CardCapture"],
            swiftSettings: dialect),
        .testTarget(
            name: "PaymentTerminalTests",
            dependencies: ["PaymentTerminal", "Bytes", "TLV", "MagneticStripe", "CardCapture", "EMVKernel"],
            exclude: ["Golden"], swiftSettings: dialect),

        .target(
            name: "EMVExplanation",
            dependencies: ["Bytes", "TLV", "MagneticStripe", "CardCryptography", "SmartCard", "EMVKernel", "EMVReplay"],
            swiftSettings: dialect),
        .testTarget(
            name: "EMVExplanationTests",
            dependencies: [
                "EMVExplanation", "VirtualCard", "Bytes", "TLV", "CardCryptography", "SmartCard", "EMVKernel", "EMVReplay",
            ], exclude: ["parse_page.py"], swiftSettings: dialect),

        .target(
            name: "CardProfiles",
            dependencies: ["Bytes", "TLV", "MagneticStripe", "CardCryptography", "SmartCard", "EMVKernel", "VirtualCard"],
            swiftSettings: dialect),
        .target(
            name: "Mutation",
            dependencies: [
                "Bytes", "TLV", "CardCryptography", "SmartCard", "EMVKernel", "Contactless", "EntryPoint", "Kernel3", "VirtualCard",
            ],
            path: "tools/mutation/conversations", swiftSettings: dialect),
        .testTarget(name: "MutationTests", dependencies: ["Mutation", "Contactless", "EMVKernel", "TLV"], swiftSettings: dialect),

        // Floor 9
        .executableTarget(
            name: "mutate-run", dependencies: ["CHeap", "Mutation", "Contactless", "EMVKernel"], path: "tools/mutation/run",
            swiftSettings: dialect),
        .target(
            name: "TerminalJournal",
            dependencies: [
                "Bytes", "CardCryptography", "SealedStore", "CardCapture", "PaymentTerminal", .product(name: "GRDB", package: "GRDB.swift"),
            ], swiftSettings: dialect),
        .testTarget(
            name: "TerminalJournalTests",
            dependencies: ["TerminalJournal", "PaymentTerminal", "ProcessMemory", "CardCapture", "Bytes", "TLV"],
            resources: [.copy("Golden")],
            swiftSettings: dialect),
        .target(
            name: "BenchHost",
            dependencies: [
                "Bytes", "TLV", "MagneticStripe", "CardCryptography", "SealedStore", "SmartCard", "VirtualCard", "CardCapture",
                "PaymentTerminal",
                .product(name: "GRDB", package: "GRDB.swift"),
            ], swiftSettings: dialect),
        .testTarget(
            name: "CardProfilesTests",
            dependencies: [
                "CardProfiles", "BenchHost", "PaymentTerminal", "CardCapture", "CardReaders", "VirtualCard", "EMVKernel", "Contactless",
                "EntryPoint", "Kernel3", "MagneticStripe", "CardCryptography",
                "SmartCard", "TLV", "Bytes",
            ], swiftSettings: dialect),
        .testTarget(
            name: "BenchHostTests",
            dependencies: [
                "BenchHost", "PaymentTerminal", "SealedStore", "CardCapture", "CardReaders", "VirtualCard", "EMVKernel", "CardCryptography",
                "SmartCard",
                "MagneticStripe", "TLV",
                "Bytes",
                .product(name: "GRDB", package: "GRDB.swift"),
            ], swiftSettings: dialect),

        .target(
            name: "WorldNet",
            dependencies: [
                "Bytes", "TLV", "MagneticStripe", "CardCryptography", "EMVKernel", "CardCapture", "PaymentTerminal",
            ],
            swiftSettings: dialect),
        .testTarget(
            name: "WorldNetTests",
            dependencies: [
                "WorldNet", "Bytes", "TLV", "MagneticStripe", "CardCryptography", "EMVKernel", "CardCapture", "PaymentTerminal",
            ],
            swiftSettings: dialect),

        // Floor 10: hosts over HTTP, and what the commands write with
        .target(
            name: "Gateways",
            dependencies: [
                "Bytes", "CardCapture", "PaymentTerminal", "WorldNet",
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
                .product(name: "Logging", package: "swift-log"),
            ], swiftSettings: dialect),
        .target(
            name: "BenchHostServer",
            dependencies: [
                "Bytes", "CardCryptography", "CardCapture", "PaymentTerminal", "WorldNet", "BenchHost",
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "HummingbirdCore", package: "hummingbird"),
                .product(name: "HummingbirdTLS", package: "hummingbird"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
                .product(name: "UnixSignals", package: "swift-service-lifecycle"),
            ], swiftSettings: dialect),
        .target(name: "Console", dependencies: ["CProcessSecrecy"], path: "tools/console", swiftSettings: dialect),

        // Floor 11: what shops and benches import, and what commands share
        .target(
            name: "CardPresent",
            dependencies: [
                "Bytes", "CardCryptography", "DeviceIO", "CardCapture", "CardReaders", "EMVKernel", "PaymentTerminal", "TerminalJournal",
                "Gateways",
            ], swiftSettings: dialect),
        .target(
            name: "CardBench",
            dependencies: [
                "Bytes", "TLV", "MagneticStripe", "CardCryptography", "SmartCard", "DeviceIO", "EMVKernel", "EMVReplay", "EMVExplanation",
                "TraceImport", "CardCapture", "CardReaders", "VirtualCard", "CardProfiles", "CardInspection", "PaymentTerminal",
                "BenchHost",
            ], swiftSettings: dialect),
        .target(
            name: "BenchSetup", dependencies: ["Bytes", "CardCryptography", "Console"],
            path: "tools/bench-setup", swiftSettings: dialect),
        .executableTarget(
            name: "crash-lane",
            dependencies: [
                "Bytes", "TLV", "CardCryptography", "SmartCard", "EMVKernel", "CardCapture", "CardReaders", "VirtualCard",
                "PaymentTerminal",
                "TerminalJournal", "BenchHost", "BenchHostServer",
            ], path: "tools/crash", swiftSettings: dialect),
        .testTarget(
            name: "GatewaysTests",
            dependencies: [
                "crash-lane", "Gateways", "BenchHostServer", "BenchHost", "WorldNet", "FaultProxy", "ProcessMemory", "PaymentTerminal",
                "TerminalJournal",
                "CardCapture", "VirtualCard", "EMVKernel", "CardCryptography", "SmartCard", "MagneticStripe", "TLV", "Bytes",
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
                .product(name: "Logging", package: "swift-log"),
            ], exclude: ["peer.py"], resources: [.copy("stray_status.py"), .copy("approving_gateway.py")], swiftSettings: dialect),
        .testTarget(
            name: "CrashTests", dependencies: ["crash-lane"], resources: [.copy("disk_fault.c")], swiftSettings: dialect),
        .executableTarget(
            name: "make-traces",
            dependencies: [
                "Bytes", "TLV", "CardCryptography", "SmartCard", "EMVKernel", "EMVReplay", "CardCapture", "CardReaders", "VirtualCard",
                "CardProfiles",
                "PaymentTerminal", "BenchHost", "Console",
            ], path: "tools/make-traces", swiftSettings: dialect),
        .target(
            name: "Reports",
            dependencies: [
                "Bytes", "TLV", "MagneticStripe", "CardCryptography", "SmartCard", "EMVKernel", "EMVReplay", "EMVExplanation",
                "CardInspection", "CardCapture", "Console",
            ],
            path: "tools/reports", swiftSettings: dialect),

        .target(
            name: "Simulator",
            dependencies: [
                "CSimulation", "Bytes", "TLV", "EMVKernel", "CardCapture", "PaymentTerminal", "SealedStore",
                "TerminalJournal",
            ], path: "Tests/Simulation/Simulator", swiftSettings: dialect),

        // Floor 12: the command line
        .executableTarget(
            name: "simulate", dependencies: ["Simulator"], path: "Tests/Simulation/simulate", swiftSettings: dialect),
        .testTarget(
            name: "SimulationTests", dependencies: ["simulate"], path: "Tests/Simulation/SimulationTests",
            resources: [.copy("Draws")], swiftSettings: dialect),
        .executableTarget(
            name: "cardpresent",
            dependencies: [
                "Bytes", "TLV", "MagneticStripe", "CardCryptography", "SmartCard", "EMVReplay", "EMVExplanation", "TraceImport",
                "VirtualCard", "CardProfiles", "Console", "Reports",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            path: "tools/cardpresent", swiftSettings: dialect),
        .executableTarget(
            name: "cardpresent-bench",
            dependencies: [
                "Bytes", "TLV", "CardCryptography", "SmartCard", "EMVKernel", "Contactless", "EntryPoint", "Kernel3", "EMVReplay",
                "EMVExplanation", "CardCapture", "CardReaders",
                "VirtualCard",
                "CardProfiles", "CardInspection", "PaymentTerminal", "TerminalJournal", "DeviceIO", "BenchHost", "BenchSetup", "CardBench",
                "Console",
                "Reports",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            path: "tools/cardpresent-bench", swiftSettings: dialect),
        .executableTarget(
            name: "cardpresent-readers",
            dependencies: [
                "Bytes", "MagneticStripe", "CardCryptography", "SmartCard", "DeviceIO", "CardCapture", "CardReaders", "Console", "Reports",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            path: "tools/cardpresent-readers", swiftSettings: dialect),
        .executableTarget(
            name: "cardpresent-host",
            dependencies: [
                "Bytes", "CardCryptography", "CardCapture", "PaymentTerminal", "VirtualCard", "CardProfiles", "BenchHost",
                "BenchHostServer", "BenchSetup",
                "Console",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "Logging", package: "swift-log"),
            ],
            path: "tools/cardpresent-host", swiftSettings: dialect),
        .testTarget(
            name: "CommandLineTests",
            dependencies: [
                "cardpresent", "cardpresent-bench", "cardpresent-readers", "cardpresent-host", "Reports", "Console", "SmartCard", "Bytes",
            ], swiftSettings: dialect),
        .testTarget(
            name: "DocumentationTests", dependencies: ["CardPresent", "CardBench"], swiftSettings: dialect),
    ],
    swiftLanguageModes: [.v6]
)

/// Every function is bound when the program starts, and the table that holds them is read-only from then on.
///
/// A function that is bound at its first call goes through the dynamic linker, which saves the vector registers
/// on the stack. The digits of a card that `memcpy` left in them then stay in memory that nobody wipes.
///
/// SwiftPM has no other setting for this than unsafe flags, and may refuse a product of a dependency that has
/// such flags in one of its targets. So only executables and tests have them, which nobody else links; the
/// libraries are free of them. tools/check-linking looks at what was linked.
let boundAtStart: [LinkerSetting] = [.unsafeFlags(["-Xlinker", "-z", "-Xlinker", "now", "-Xlinker", "-z", "-Xlinker", "relro"])]
for target in package.targets where target.type == .executable || target.type == .test {
    target.linkerSettings = (target.linkerSettings ?? []) + boundAtStart
}
