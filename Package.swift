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

/// Every function is bound when the program starts, and the table that holds them is read-only from then on.
///
/// A function that is bound at its first call goes through the dynamic linker, which saves the vector registers
/// on the stack. The digits of a card that `memcpy` left in them then stay in memory that is not wiped.
///
/// SwiftPM has no other setting for this than unsafe flags, and may refuse a product of a dependency that has
/// such flags in one of its targets. So only executables and tests have them, which no other package links; the
/// libraries are free of them. tools/checks/linking looks at what was linked.
let boundAtStart: [LinkerSetting] = [
    .unsafeFlags(["-Xlinker", "-z", "-Xlinker", "now", "-Xlinker", "-z", "-Xlinker", "relro"])
]

// MARK: - Kinds of targets

func library(_ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
    .target(name: name, dependencies: dependencies, swiftSettings: dialect)
}

/// What commands share.
func commandLibrary(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .target(
        name: name, dependencies: dependencies, path: "Sources/Commands/\(name)", swiftSettings: dialect)
}

func command(
    _ name: String, _ dependencies: [Target.Dependency], in folder: String = "Sources/Commands"
) -> Target {
    .executableTarget(
        name: name, dependencies: dependencies, path: "\(folder)/\(name)", swiftSettings: dialect,
        linkerSettings: boundAtStart)
}

/// What tests share.
func support(
    _ name: String, _ dependencies: [Target.Dependency] = [], in folder: String = "Tests/Support"
) -> Target {
    .target(name: name, dependencies: dependencies, path: "\(folder)/\(name)", swiftSettings: dialect)
}

func tests(
    _ name: String, _ dependencies: [Target.Dependency], in folder: String = "Tests",
    exclude: [String] = [], resources: [Resource]? = nil
) -> Target {
    .testTarget(
        name: name, dependencies: dependencies, path: "\(folder)/\(name)", exclude: exclude,
        resources: resources, swiftSettings: dialect, linkerSettings: boundAtStart)
}

// MARK: - Outside modules

/// The traits of this package, with what they bring. Both are on by default; the modules and the umbrella without
/// gateways are there without them, and a package that switches them off resolves nothing of HTTP.
let traits: Set<Trait> = [
    .trait(name: "Gateways", description: "Gateways over HTTP: async-http-client, SwiftNIO"),
    .trait(name: "Server", description: "The bench host over HTTP: Hummingbird, SwiftNIO"),
    .default(enabledTraits: ["Gateways", "Server"]),
]

/// - Parameter traits: One of them must be on; nil for a module that is always there.
func outside(_ name: String, _ package: String, for traits: Set<String>? = nil) -> Target.Dependency {
    .product(name: name, package: package, condition: traits.flatMap { .when(traits: $0) })
}

let argumentParser = outside("ArgumentParser", "swift-argument-parser")
let asyncHTTPClient = outside("AsyncHTTPClient", "async-http-client", for: ["Gateways"])
let grdb = outside("GRDB", "GRDB.swift")
let httpTypes = outside("HTTPTypes", "swift-http-types", for: ["Server"])
let hummingbird = outside("Hummingbird", "hummingbird", for: ["Server"])
let hummingbirdCore = outside("HummingbirdCore", "hummingbird", for: ["Server"])
let hummingbirdTLS = outside("HummingbirdTLS", "hummingbird", for: ["Server"])
let logging = outside("Logging", "swift-log", for: ["Gateways", "Server"])
let nioCore = outside("NIOCore", "swift-nio", for: ["Gateways", "Server"])
let nioHTTP1 = outside("NIOHTTP1", "swift-nio", for: ["Gateways", "Server"])
let nioPosix = outside("NIOPosix", "swift-nio", for: ["Gateways", "Server"])
let nioSSL = outside("NIOSSL", "swift-nio-ssl", for: ["Gateways", "Server"])
let serviceLifecycle = outside("ServiceLifecycle", "swift-service-lifecycle", for: ["Server"])
let unixSignals = outside("UnixSignals", "swift-service-lifecycle", for: ["Server"])

// MARK: - The package

/// For programs that import single modules, and build nothing else: no database, no HTTP.
let modules = [
    "Bytes", "TLV", "JSONDocument", "MagneticStripe", "CardCryptography", "SmartCard", "DeviceIO", "EMVKernel",
    "Contactless", "EntryPoint", "Kernel2", "Kernel3", "Kernel4", "Kernel7", "Kernel8", "EMVReplay", "EMVExplanation", "TraceImport",
    "CardCapture", "CardReaders", "VirtualCard", "CardProfiles", "CardInspection", "PaymentTerminal",
]

let package = Package(
    name: "swift-card-present",
    products: [
        .library(name: "CardPresent", targets: ["CardPresent"]),
        .library(name: "CardBench", targets: ["CardBench"]),
        .library(name: "CardPresentModules", targets: modules),
        .library(name: "TerminalJournal", targets: ["TerminalJournal"]),
        .library(name: "BenchHost", targets: ["BenchHost"]),
        .library(name: "DeviceSupply", targets: ["DeviceSupply"]),
        .library(name: "WorldNet", targets: ["WorldNet"]),
        .library(name: "Gateways", targets: ["Gateways"]),
        .library(name: "BenchHostServer", targets: ["BenchHostServer"]),
        .executable(name: "cardpresent", targets: ["cardpresent"]),
        .executable(name: "cardpresent-bench", targets: ["cardpresent-bench"]),
        .executable(name: "cardpresent-readers", targets: ["cardpresent-readers"]),
        .executable(name: "cardpresent-host", targets: ["cardpresent-host"]),
    ],
    traits: traits,
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
        // Libraries. A target depends on lower floors only: tools/checks/layers.

        // Floor 0: C
        .systemLibrary(name: "COpenSSL", pkgConfig: "libcrypto", providers: [.apt(["libssl-dev"])]),
        .systemLibrary(name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
        .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
        .systemLibrary(name: "CLibZip", pkgConfig: "libzip", providers: [.apt(["libzip-dev"])]),
        .target(name: "CDeviceIO", linkerSettings: [.linkedLibrary("usb-1.0"), .linkedLibrary("udev")]),

        // Floor 1
        library("Bytes"),

        // Floor 2
        library("TLV", ["Bytes"]),
        library("CardCryptography", ["COpenSSL", "Bytes"]),
        library("MagneticStripe", ["Bytes"]),
        library("DeviceIO", ["CDeviceIO", "Bytes"]),

        // Floor 3
        library("SealedStore", ["CSQLite", "Bytes", "CardCryptography", grdb]),
        library("SmartCard", ["Bytes", "TLV", "MagneticStripe"]),
        library("JSONDocument", ["Bytes", "TLV"]),

        // Floor 4
        library("TraceImport", ["Bytes", "SmartCard"]),
        library("EMVKernel", ["Bytes", "TLV", "CardCryptography", "SmartCard"]),
        library("VirtualCard", ["Bytes", "TLV", "CardCryptography", "SmartCard"]),

        // Floor 5
        library("Contactless", ["Bytes", "TLV", "CardCryptography", "SmartCard", "EMVKernel"]),
        library(
            "CardInspection",
            [
                "Bytes", "TLV", "CardCryptography", "MagneticStripe", "SmartCard", "EMVKernel",
            ]),
        library(
            "CardProfiles",
            [
                "Bytes", "TLV", "CardCryptography", "MagneticStripe", "JSONDocument", "SmartCard", "EMVKernel",
                "VirtualCard",
            ]),

        // Floor 6
        library("EntryPoint", ["Bytes", "TLV", "SmartCard", "EMVKernel", "Contactless"]),
        library(
            "Kernel3",
            [
                "Bytes", "TLV", "CardCryptography", "SmartCard", "EMVKernel", "Contactless",
            ]),
        library(
            "Kernel2",
            [
                "Bytes", "TLV", "CardCryptography", "SmartCard", "EMVKernel", "Contactless",
            ]),
        library("Kernel4", ["Bytes", "TLV", "CardCryptography", "SmartCard", "EMVKernel", "Contactless"]),
        library("Kernel7", ["TLV", "SmartCard", "EMVKernel", "Contactless"]),
        library(
            "Kernel8",
            [
                "Bytes", "TLV", "CardCryptography", "SmartCard", "EMVKernel", "Contactless",
            ]),

        // Floor 7
        library(
            "EMVReplay",
            [
                "Bytes", "TLV", "CardCryptography", "SmartCard", "EMVKernel", "Contactless", "EntryPoint", "Kernel3",
                "Kernel2", "Kernel4", "Kernel7", "Kernel8",
            ]),
        library(
            "CardCapture",
            [
                "Bytes", "TLV", "CardCryptography", "MagneticStripe", "SmartCard", "EMVKernel",
                "Contactless", "EntryPoint",
            ]),

        // Floor 8
        library(
            "EMVExplanation",
            [
                "Bytes", "TLV", "CardCryptography", "MagneticStripe", "SmartCard", "EMVKernel",
                "EMVReplay",
            ]),
        library(
            "CardReaders",
            [
                "Bytes", "TLV", "CardCryptography", "MagneticStripe", "DeviceIO", "SmartCard",
                "EMVKernel", "CardCapture",
            ]),
        library(
            "PaymentTerminal",
            [
                "CZlib", "Bytes", "TLV", "CardCryptography", "MagneticStripe", "JSONDocument", "EMVKernel",
                "Contactless", "EntryPoint", "Kernel3", "Kernel2", "Kernel4", "Kernel7", "Kernel8", "CardCapture",
            ]),

        // Floor 9
        library(
            "TerminalJournal",
            [
                "Bytes", "CardCryptography", "SealedStore", "CardCapture", "PaymentTerminal", grdb,
            ]),
        library(
            "BenchHost",
            [
                "Bytes", "TLV", "CardCryptography", "MagneticStripe", "SealedStore", "SmartCard",
                "VirtualCard", "CardCapture", "PaymentTerminal", grdb,
            ]),
        library(
            "DeviceSupply",
            ["CLibZip", "Bytes", "CardCryptography", "JSONDocument", "DeviceIO", "CardCapture", "CardReaders"]),
        library(
            "WorldNet",
            [
                "Bytes", "TLV", "CardCryptography", "MagneticStripe", "EMVKernel", "CardCapture",
                "PaymentTerminal",
            ]),

        // Floor 10
        library(
            "Gateways",
            [
                "Bytes", "CardCryptography", "CardCapture", "PaymentTerminal", "WorldNet", asyncHTTPClient, logging,
                nioCore, nioHTTP1, nioPosix, nioSSL,
            ]),
        library(
            "BenchHostServer",
            [
                "Bytes", "CardCryptography", "CardCapture", "PaymentTerminal", "BenchHost",
                "WorldNet", httpTypes, hummingbird, hummingbirdCore, hummingbirdTLS, logging,
                nioCore, nioSSL, serviceLifecycle, unixSignals,
            ]),
        library(
            "CardBench",
            [
                "Bytes", "JSONDocument", "TLV", "CardCryptography", "MagneticStripe", "DeviceIO", "SmartCard",
                "TraceImport", "EMVKernel", "VirtualCard", "Contactless", "EMVReplay",
                "CardInspection", "CardProfiles", "EntryPoint", "Kernel3", "Kernel2", "Kernel4", "Kernel7", "Kernel8",
                "EMVExplanation", "CardCapture", "CardReaders", "PaymentTerminal", "BenchHost",
            ]),

        // Floor 11
        library(
            "CardPresent",
            [
                "Bytes", "JSONDocument", "CardCryptography", "DeviceIO", "SmartCard", "EMVKernel", "Contactless", "EntryPoint",
                "Kernel3", "Kernel2", "Kernel4", "Kernel7", "Kernel8", "CardCapture", "CardReaders", "PaymentTerminal",
                "TerminalJournal", .target(name: "Gateways", condition: .when(traits: ["Gateways"])),
            ]),

        // Commands

        // Floor 12: what they share
        .target(name: "CProcessSecrecy", path: "Sources/Commands/CProcessSecrecy"),
        .target(name: "CWorkerProcess", path: "Sources/Commands/CWorkerProcess"),
        // Floor 13
        commandLibrary("Console", ["Bytes", "TLV", "CProcessSecrecy", "CWorkerProcess", argumentParser]),
        // Floor 14
        commandLibrary("BenchSetup", ["Bytes", "CardCryptography", "Console"]),
        commandLibrary(
            "BenchCards", ["JSONDocument", "TLV", "SmartCard", "VirtualCard", "CardProfiles", "Console", argumentParser]),
        commandLibrary(
            "Reports",
            [
                "Bytes", "TLV", "CardCryptography", "MagneticStripe", "SmartCard", "EMVKernel",
                "EMVReplay", "CardInspection", "EMVExplanation", "CardCapture", "Console",
            ]),
        // Floor 15
        command(
            "cardpresent",
            [
                "Bytes", "JSONDocument", "TLV", "CardCryptography", "MagneticStripe", "SmartCard", "TraceImport",
                "EMVKernel", "VirtualCard", "EMVReplay", "CardProfiles", "EMVExplanation", "Console",
                "Reports",
                "CardCapture", "PaymentTerminal", argumentParser,
            ]),
        command(
            "cardpresent-bench",
            [
                "Bytes", "JSONDocument", "TLV", "CardCryptography", "DeviceIO", "SmartCard", "EMVKernel",
                "VirtualCard", "Contactless", "EMVReplay", "CardInspection", "CardProfiles",
                "EntryPoint", "Kernel3", "Kernel2", "Kernel4", "Kernel7", "Kernel8", "EMVExplanation", "CardCapture", "CardReaders",
                "PaymentTerminal", "TerminalJournal", "BenchHost", "CardBench", "Console",
                "BenchSetup", "BenchCards", "Reports", argumentParser,
            ]),
        command(
            "cardpresent-readers",
            [
                "Bytes", "CardCryptography", "MagneticStripe", "DeviceIO", "SmartCard", "Contactless",
                "CardCapture", "CardReaders", "DeviceSupply", "Console", "BenchCards", "Reports", argumentParser,
            ]),
        command(
            "cardpresent-host",
            [
                "Bytes", "JSONDocument", "CardCryptography", "VirtualCard", "CardProfiles", "CardCapture",
                "PaymentTerminal", "BenchHost", "BenchHostServer", "Console", "BenchSetup",
                argumentParser, logging,
            ]),
        command(
            "make-traces",
            [
                "Bytes", "TLV", "CardCryptography", "SmartCard", "EMVKernel", "VirtualCard",
                "Contactless", "EntryPoint", "Kernel3", "Kernel2", "Kernel4", "Kernel7", "Kernel8", "EMVReplay", "CardProfiles",
                "CardCapture",
                "CardReaders", "PaymentTerminal", "BenchHost", "Console",
            ]),
        command(
            "make-kernel8-sessions",
            [
                "Bytes", "TLV", "CardCryptography", "JSONDocument", "SmartCard", "EMVKernel", "VirtualCard", "Contactless",
                "EntryPoint", "Kernel8", "Console",
            ]),

        // Tests

        // Floor 16: what they share
        .target(name: "CHeap", path: "Tests/Support/CHeap"),
        .target(
            name: "CSimulation", path: "Tests/Simulation/CSimulation",
            linkerSettings: [.linkedLibrary("sqlite3"), .linkedLibrary("dl")]),
        support("CardModels", ["Bytes", "SmartCard"]),
        support("KernelDoubles", ["CardCryptography", "EMVKernel"]),
        support("MessageBus", ["DeviceIO"]),
        support("PaymentDoubles", ["Bytes", "CardCapture", "PaymentTerminal"]),
        support("ProcessMemory"),
        support("SeededNumbers"),
        // Floor 17
        support("FaultProxy", ["SeededNumbers"]),
        support("ReaderDoubles", ["Bytes", "CardCryptography", "CardCapture", "CardReaders", "DeviceIO", "SmartCard", "CardModels"]),
        support(
            "VirtualTap",
            [
                "Bytes", "TLV", "CardCryptography", "SmartCard", "EMVKernel", "VirtualCard", "Contactless", "EntryPoint", "KernelDoubles",
            ]),
        support(
            "Mutation",
            [
                "Bytes", "TLV", "CardCryptography", "SmartCard", "EMVKernel", "VirtualCard",
                "Contactless", "EntryPoint", "Kernel3", "Kernel2", "Kernel4", "Kernel7", "Kernel8", "KernelDoubles", "SeededNumbers",
            ]),
        command(
            "crash-lane",
            [
                "Bytes", "TLV", "CardCryptography", "SmartCard", "EMVKernel", "VirtualCard",
                "CardCapture", "CardReaders", "PaymentTerminal", "TerminalJournal", "BenchHost",
                "BenchHostServer", "CardModels", "KernelDoubles", "PaymentDoubles",
            ],
            in: "Tests/Support"),
        command("worker-lane", ["Console"], in: "Tests/Support"),
        // Floor 18
        command(
            "payment-lane",
            [
                "Bytes", "TLV", "CardCryptography", "SmartCard", "EMVKernel", "VirtualCard", "Contactless", "EntryPoint", "Kernel3",
                "CardCapture", "CardReaders", "PaymentTerminal", "TerminalJournal", "BenchHost", "Gateways", "BenchHostServer",
                "KernelDoubles", "ProcessMemory", "ReaderDoubles",
            ],
            in: "Tests/Support"),
        command(
            "mutate-run",
            [
                "EMVKernel", "Contactless", "CHeap", "Mutation",
            ],
            in: "Tests/Support"),
        support(
            "Simulator",
            [
                "Bytes", "TLV", "CardCryptography", "SealedStore", "SmartCard", "EMVKernel", "VirtualCard",
                "Contactless", "EntryPoint", "Kernel2", "Kernel3", "Kernel4", "Kernel7", "Kernel8", "CardCapture", "PaymentTerminal",
                "TerminalJournal", "BenchHost", "WorldNet", "Gateways", "CSimulation", "KernelDoubles", "PaymentDoubles",
            ],
            in: "Tests/Simulation"),
        // Floor 19
        command("simulate", ["Simulator", argumentParser], in: "Tests/Simulation"),
        // Floor 20
        tests("BytesTests", ["Bytes"]),
        tests("TLVTests", ["Bytes", "TLV", "SeededNumbers"]),
        tests("CardCryptographyTests", ["Bytes", "CardCryptography", "ProcessMemory"]),
        tests("MagneticStripeTests", ["Bytes", "MagneticStripe", "SeededNumbers"]),
        tests("DeviceIOTests", ["Bytes", "DeviceIO", "MessageBus"]),
        tests("SealedStoreTests", ["Bytes", "SealedStore", grdb]),
        tests("SmartCardTests", ["Bytes", "TLV", "SmartCard", "CardModels"]),
        tests("TraceImportTests", ["Bytes", "SmartCard", "TraceImport"], exclude: ["Recorded"]),
        tests(
            "EMVKernelTests",
            [
                "Bytes", "TLV", "CardCryptography", "SmartCard", "EMVKernel", "VirtualCard", "KernelDoubles",
                "SeededNumbers",
            ]),
        tests(
            "VirtualCardTests",
            [
                "Bytes", "TLV", "CardCryptography", "MagneticStripe", "SmartCard", "EMVKernel",
                "VirtualCard", "KernelDoubles",
            ]),
        tests("ContactlessTests", ["Bytes", "TLV", "SmartCard", "EMVKernel", "Contactless"]),
        tests(
            "EMVReplayTests",
            [
                "Bytes", "TLV", "CardCryptography", "SmartCard", "EMVKernel", "VirtualCard", "Contactless",
                "EntryPoint", "Kernel2", "EMVReplay", "CardCapture", "CardReaders", "KernelDoubles",
            ]),
        tests(
            "CardInspectionTests",
            [
                "Bytes", "TLV", "CardCryptography", "SmartCard", "EMVKernel", "VirtualCard",
                "CardInspection", "CardProfiles", "CardModels", "KernelDoubles",
            ]),
        tests(
            "CardProfilesTests",
            [
                "Bytes", "JSONDocument", "TLV", "CardCryptography", "MagneticStripe", "SmartCard", "EMVKernel",
                "VirtualCard", "Contactless", "CardProfiles", "EntryPoint", "Kernel3", "Kernel2", "Kernel4",
                "Kernel7", "Kernel8", "CardCapture", "CardReaders", "PaymentTerminal", "BenchHost", "CardModels", "KernelDoubles",
            ]),
        tests(
            "EntryPointTests",
            [
                "Bytes", "TLV", "SmartCard", "EMVKernel", "Contactless", "EntryPoint", "KernelDoubles",
            ]),
        tests(
            "Kernel3Tests",
            [
                "Bytes", "TLV", "CardCryptography", "SmartCard", "EMVKernel", "VirtualCard",
                "Contactless", "EntryPoint", "Kernel3", "KernelDoubles", "VirtualTap",
            ]),
        tests(
            "Kernel2Tests",
            [
                "Bytes", "TLV", "CardCryptography", "SmartCard", "EMVKernel", "VirtualCard", "Contactless",
                "EntryPoint", "Kernel2", "KernelDoubles", "VirtualTap",
            ]),
        tests(
            "Kernel4Tests",
            [
                "Bytes", "TLV", "CardCryptography", "SmartCard", "EMVKernel", "VirtualCard", "Contactless",
                "EntryPoint", "Kernel4", "KernelDoubles", "VirtualTap",
            ]),
        tests(
            "Kernel7Tests",
            [
                "Bytes", "TLV", "CardCryptography", "SmartCard", "EMVKernel", "VirtualCard", "Contactless", "Kernel3", "Kernel7",
                "VirtualTap",
            ]),
        tests(
            "Kernel8Tests",
            [
                "Bytes", "TLV", "CardCryptography", "SmartCard", "EMVKernel", "VirtualCard",
                "Contactless", "EntryPoint", "Kernel8", "KernelDoubles", "VirtualTap",
            ]),
        tests(
            "EMVExplanationTests",
            [
                "Bytes", "TLV", "CardCryptography", "SmartCard", "EMVKernel", "VirtualCard",
                "EMVReplay", "EMVExplanation", "KernelDoubles",
            ],
            exclude: ["parse_page.py"]),
        tests(
            "CardCaptureTests",
            [
                "Bytes", "TLV", "CardCryptography", "SmartCard", "EMVKernel", "VirtualCard",
                "Contactless", "EntryPoint", "Kernel3", "Kernel2", "CardCapture", "CardReaders", "KernelDoubles",
            ]),
        tests(
            "CardReadersTests",
            [
                "Bytes", "TLV", "CardCryptography", "MagneticStripe", "DeviceIO", "SmartCard",
                "EMVKernel", "VirtualCard", "Contactless", "EntryPoint", "Kernel3", "CardCapture",
                "CardReaders", "CardModels", "ProcessMemory", "KernelDoubles", "MessageBus", "ReaderDoubles",
            ]),
        tests(
            "DeviceSupplyTests",
            [
                "Bytes", "CardCryptography", "JSONDocument", "DeviceIO", "SmartCard", "CardCapture", "CardReaders", "DeviceSupply",
                "ReaderDoubles",
            ]),
        tests(
            "PaymentTerminalTests",
            [
                "Bytes", "SmartCard", "JSONDocument", "TLV", "MagneticStripe", "EMVKernel", "Contactless", "Kernel3", "Kernel2",
                "Kernel4", "Kernel7", "Kernel8", "CardCapture", "PaymentTerminal", "PaymentDoubles",
            ],
            exclude: ["Golden"]),
        tests(
            "TerminalJournalTests",
            [
                "Bytes", "TLV", "CardCapture", "PaymentTerminal", "TerminalJournal", "ProcessMemory", "PaymentDoubles",
            ],
            resources: [.copy("Golden")]),
        tests(
            "BenchHostTests",
            [
                "Bytes", "TLV", "CardCryptography", "MagneticStripe", "SealedStore", "SmartCard",
                "EMVKernel", "VirtualCard", "Contactless", "Kernel2", "Kernel3", "Kernel4", "Kernel7", "Kernel8", "JSONDocument",
                "CardCapture", "CardReaders", "PaymentTerminal", "TerminalJournal", "BenchHost", grdb, "KernelDoubles", "PaymentDoubles",
            ]),
        tests(
            "WorldNetTests",
            [
                "Bytes", "TLV", "CardCryptography", "MagneticStripe", "EMVKernel", "CardCapture",
                "PaymentTerminal", "WorldNet",
            ]),
        tests(
            "GatewaysTests",
            [
                "Bytes", "TLV", "CardCryptography", "MagneticStripe", "SmartCard", "EMVKernel",
                "VirtualCard", "CardCapture", "PaymentTerminal", "TerminalJournal", "BenchHost",
                "WorldNet", "Gateways", "BenchHostServer", "FaultProxy", "ProcessMemory", "PaymentDoubles",
                "crash-lane", "payment-lane", asyncHTTPClient, logging, nioCore, nioPosix, nioSSL,
            ],
            exclude: ["peer.py"], resources: [.copy("stray_status.py"), .copy("approving_gateway.py")]),
        tests("MutationTests", ["TLV", "EMVKernel", "Contactless", "Mutation", "SeededNumbers"]),
        tests(
            "CommandLineTests",
            [
                "Bytes", "CardCryptography", "SmartCard", "VirtualCard", "PaymentTerminal", "Console", "Reports", "ReaderDoubles",
                "SeededNumbers", "cardpresent", "cardpresent-bench", "cardpresent-readers", "cardpresent-host", "worker-lane",
            ]),
        tests("CrashTests", ["crash-lane"], resources: [.copy("disk_fault.c")]),
        tests(
            "CardPresentTests",
            [
                "Bytes", "CardBench", "CardCapture", "CardCryptography", "CardPresent", "CardReaders", "DeviceIO",
                "EMVKernel", "EntryPoint", "PaymentTerminal", "ReaderDoubles",
            ]),
        tests(
            "DocumentationTests",
            [
                "CardBench", "CardPresent", "SmartCard", "TLV", "EMVKernel", "Contactless", "EntryPoint", "KernelDoubles", "VirtualCard",
                "VirtualTap",
            ],
            exclude: ["ReplacedSDKs"]),
        tests("SimulationTests", ["simulate"], in: "Tests/Simulation"),
    ],
    swiftLanguageModes: [.v6]
)

// MARK: - Fuzz targets

/// Each has a main that SwiftPM renames to NAME_main, and starts libFuzzer from it. They take the place of commands
/// and tests, for tools/fuzz/run alone: everything is built with the sanitizers of its command line then.
/// CARDPRESENT_FUZZ is `core`, or `host` for the one that needs an HTTP server, which takes minutes to build.
if let part = Context.environment["CARDPRESENT_FUZZ"] {
    var fuzzed: [String: [Target.Dependency]] = [
        "FuzzTLV": [],
        "FuzzDOL": [],
        "FuzzATR": [],
        "FuzzTrace": [],
        "FuzzTracks": [],
        "FuzzCertificates": [],
        "FuzzSelection": [],
        "FuzzTransaction": [],
        "FuzzTap": [],
        "FuzzPinPads": [],
        "FuzzMagstripeReaders": [],
        "FuzzCCID": [],
        "FuzzContactlessReaders": [],
        "FuzzBluetooth": [],
        "FuzzLogImport": [],
        "FuzzExplanation": [],
        "FuzzReplay": [],
        "FuzzInspection": [],
        "FuzzProfiles": [],
        "FuzzJournal": [],
        "FuzzPlans": [],
        "FuzzTerminalFile": [],
        "FuzzKeyBlocks": [],
        "FuzzVPCD": [],
        "FuzzSupplyFiles": ["DeviceSupply"],
        "FuzzPackages": ["DeviceSupply"],
        "FuzzGateway": ["WorldNet"],
    ]
    if part == "host" { fuzzed["FuzzHost"] = ["WorldNet", "BenchHost", "BenchHostServer"] }
    // What they reach, and nothing else.
    var reached = Set(modules)
    var next = modules + ["KernelDoubles"] + fuzzed.values.joined().compactMap(\.name)
    while let name = next.popLast() {
        reached.insert(name)
        next += package.targets.first { $0.name == name }?.dependencies.compactMap(\.name).filter { !reached.contains($0) } ?? []
    }
    package.targets.removeAll { !reached.contains($0.name) }
    package.products.removeAll { $0.name != "CardPresentModules" }
    package.targets.append(.target(name: "CFuzzer", path: "Tests/Fuzz/CFuzzer"))
    package.targets.append(
        support("Modules", (modules + ["KernelDoubles"]).map { .byName(name: $0) }, in: "Tests/Fuzz"))
    for (name, dependencies) in fuzzed {
        package.targets.append(
            .executableTarget(
                name: name, dependencies: ["CFuzzer", "Modules"] + dependencies, path: "Tests/Fuzz/\(name)",
                swiftSettings: [.unsafeFlags(["-parse-as-library"])]))
    }
}

extension Target.Dependency {
    /// Of a target of this package.
    var name: String? {
        guard case .byNameItem(let name, _) = self else { return nil }
        return name
    }
}
