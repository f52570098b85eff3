// swift-tools-version: 6.2
import PackageDescription

/// Of every Swift target; strict memory safety makes each touch of C visible as `unsafe`.
let dialect: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .strictMemorySafety(),
]

/// Every function is bound at the start: at a first call the dynamic linker would save vector
/// registers on the stack, with the digits of a card that `memcpy` left in them. SwiftPM may refuse
/// such flags in a dependency, so only executables and tests have them (tools/checks/linking).
let boundAtStart: [LinkerSetting] = [
    .unsafeFlags(["-Xlinker", "-z", "-Xlinker", "now", "-Xlinker", "-z", "-Xlinker", "relro"])
]

// MARK: - Kinds of targets

/// The parts of the library, in the order of the imports: docs/architecture.md.
enum Wing: String {
    case ground = "Ground", card = "Card", kernel = "Kernel", capture = "Capture", device = "Device", till = "Till"
    case store = "Store", bench = "Bench", host = "Host", service = "Service", products = "Products"
}

/// Each once: the groups overlap.
func once(_ dependencies: [Target.Dependency]) -> [Target.Dependency] {
    var seen: Set<String> = []
    return dependencies.filter { seen.insert("\($0)").inserted }
}

/// - Parameter embedded: Files that become arrays of bytes in the module.
func library(
    _ name: String, in wing: Wing, _ dependencies: [Target.Dependency] = [], embedding embedded: [String] = []
) -> Target {
    .target(
        name: name, dependencies: once(dependencies), path: "Sources/\(wing.rawValue)/\(name)",
        resources: embedded.map { .embedInCode($0) }, swiftSettings: dialect)
}

func cLibrary(_ name: String, in folder: String, linking: [String] = []) -> Target {
    .target(name: name, path: "\(folder)/\(name)", linkerSettings: linking.map { .linkedLibrary($0) })
}

/// A library of the system, and Debian's package of it.
func system(_ name: String, in wing: Wing, _ library: String, _ package: String) -> Target {
    .systemLibrary(
        name: name, path: "Sources/\(wing.rawValue)/\(name)", pkgConfig: library, providers: [.apt([package])])
}

func command(_ name: String, _ dependencies: [Target.Dependency], in folder: String = "Sources/Products") -> Target {
    .executableTarget(
        name: name, dependencies: once(dependencies), path: "\(folder)/\(name)", swiftSettings: dialect,
        linkerSettings: boundAtStart)
}

/// An executable that tests start.
func helper(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    command(name, dependencies, in: "Tests/Support")
}

/// What tests share.
func support(_ name: String, _ dependencies: [Target.Dependency] = [], in folder: String = "Tests/Support") -> Target {
    .target(name: name, dependencies: once(dependencies), path: "\(folder)/\(name)", swiftSettings: dialect)
}

func tests(
    _ name: String, _ dependencies: [Target.Dependency], in folder: String = "Tests",
    exclude: [String] = [], copying resources: [String] = []
) -> Target {
    .testTarget(
        name: name, dependencies: once(dependencies), path: "\(folder)/\(name)", exclude: exclude,
        resources: resources.map { .copy($0) }, swiftSettings: dialect, linkerSettings: boundAtStart)
}

// MARK: - Outside modules

/// Both are on by default. Without them nothing of HTTP is resolved.
let traits: Set<Trait> = [
    .trait(name: "Gateways", description: "Gateways over HTTP: async-http-client, SwiftNIO"),
    .trait(name: "Server", description: "The bench host over HTTP: Hummingbird, SwiftNIO"),
    .default(enabledTraits: ["Gateways", "Server"]),
]

/// - Parameter traits: One of them must be on; nil for modules that are always there.
func outside(_ names: String..., of package: String, for traits: Set<String>? = nil) -> [Target.Dependency] {
    names.map { .product(name: $0, package: package, condition: traits.flatMap { .when(traits: $0) }) }
}

let argumentParser = outside("ArgumentParser", of: "swift-argument-parser")
let grdb = outside("GRDB", of: "GRDB.swift")
let logging = outside("Logging", of: "swift-log", for: ["Gateways", "Server"])
let nio =
    outside("NIOCore", "NIOPosix", "NIOHTTP1", "NIOTLS", of: "swift-nio", for: ["Gateways", "Server"])
    + outside("NIOSSL", of: "swift-nio-ssl", for: ["Gateways", "Server"]) + logging
let client = outside("AsyncHTTPClient", of: "async-http-client", for: ["Gateways"]) + nio
let server =
    outside("Hummingbird", "HummingbirdCore", "HummingbirdTLS", of: "hummingbird", for: ["Server"])
    + outside("HTTPTypes", of: "swift-http-types", for: ["Server"])
    + outside("ServiceLifecycle", "UnixSignals", of: "swift-service-lifecycle", for: ["Server"]) + nio
let mustache = outside("Mustache", of: "swift-mustache", for: ["Server"])
let gateways: [Target.Dependency] = [.target(name: "Gateways", condition: .when(traits: ["Gateways"]))]

// MARK: - Groups of targets

let card: [Target.Dependency] = ["Bytes", "TLV", "CardCryptography", "MagneticStripe", "SmartCard"]
let emv = card + ["EMVKernel"]
let kernels = emv + ["Contactless", "Kernels"]
let capture = emv + ["Contactless", "CardCapture"]
let readers = capture + ["DeviceIO", "CardReaders"]
let till = capture + ["JSONDocument", "PaymentTerminal"]
let logs: [Target.Dependency] = ["TraceImport", "EMVReplay", "EMVExplanation", "CardInspection", "CardProfiles"]
/// A virtual card, and the bench host behind a till with any reader.
let bench = till + readers + ["Kernels", "VirtualCard", "BenchHost", "TerminalFiles", "Receipts"]
/// What tests hold to a kernel.
let cards: [Target.Dependency] = ["VirtualCard", "KernelDoubles"]

// MARK: - The package

/// For programs that import single modules, and build nothing else: no database, no HTTP.
let modules = [
    "Bytes", "TLV", "JSONDocument", "XMLDocument", "FormDocument", "MagneticStripe", "CardCryptography", "SmartCard",
    "DeviceIO",
    "EMVKernel", "Contactless", "Kernels", "EMVReplay", "EMVExplanation", "TraceImport", "CardCapture", "CardReaders",
    "VirtualCard",
    "CardProfiles", "CardInspection", "PaymentTerminal", "TerminalFiles", "Receipts",
    "TerminalMessages",
]

let libraries = [
    "CardPresent", "CardBench", "TerminalJournal", "BenchHost", "DeviceSupply", "WorldNet", "Gateways",
    "BenchHostServer", "Printing", "Peripherals", "Counter", "PrinterModels", "IPG", "BenchIPG", "ThreeDSecure",
    "BenchThreeDSecure", "PaymentPage", "WebShopGateways", "Basket", "TillRecords", "Outbox", "BackOffice",
    "BackOfficeStore", "Mail",
]

let package = Package(
    name: "swift-card-present",
    products: [.library(name: "CardPresentModules", targets: modules)]
        + libraries.map { .library(name: $0, targets: [$0]) }
        + ["cardpresent", "cardpresent-bench"].map { .executable(name: $0, targets: [$0]) },
    traits: traits,
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.0"),
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
        .package(url: "https://github.com/swift-server/async-http-client", from: "1.37.0"),
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1", traits: []),
        .package(url: "https://github.com/hummingbird-project/swift-mustache", from: "2.1.1"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
        .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.6"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
    ],
    targets: [
        // A target depends on lower floors only, and on no later wing: tools/checks/layers.

        // Floor 0: C
        system("COpenSSL", in: .card, "libcrypto", "libssl-dev"),
        system("CSQLite", in: .store, "sqlite3", "libsqlite3-dev"),
        system("CZlib", in: .till, "zlib", "zlib1g-dev"),
        system("CFreeType", in: .till, "freetype2", "libfreetype-dev"),
        system("CQREncode", in: .till, "libqrencode", "libqrencode-dev"),
        system("CLibZip", in: .device, "libzip", "libzip-dev"),
        cLibrary("CDeviceIO", in: "Sources/Device", linking: ["usb-1.0", "udev"]),
        // Floor 1
        library("Bytes", in: .ground),
        // Floor 2
        library("JSONDocument", in: .ground, ["Bytes"]),
        library("XMLDocument", in: .ground, ["Bytes"]),
        library("FormDocument", in: .ground, ["Bytes"]),
        library("TLV", in: .card, ["Bytes"]),
        library("CardCryptography", in: .card, ["COpenSSL", "Bytes"]),
        library("MagneticStripe", in: .card, ["Bytes"]),
        library("DeviceIO", in: .device, ["CDeviceIO", "Bytes"]),
        // Floor 3
        library("SmartCard", in: .card, ["Bytes", "TLV", "MagneticStripe"]),
        library("SealedStore", in: .store, ["CSQLite", "Bytes", "CardCryptography"] + grdb),
        // Floor 4
        library("Outbox", in: .store, ["Bytes", "TLV", "SealedStore"] + grdb),
        library("EMVKernel", in: .kernel, card),
        library("VirtualCard", in: .bench, card),
        library("TraceImport", in: .bench, card),
        // Floor 5
        library("Contactless", in: .kernel, emv),
        library("CardInspection", in: .bench, emv),
        library("CardProfiles", in: .bench, emv + ["JSONDocument", "VirtualCard"]),
        // Floor 6
        library("Kernels", in: .kernel, emv + ["Contactless"]),
        // Floor 7
        library("CardCapture", in: .capture, emv + ["Contactless"]),
        library("EMVReplay", in: .bench, kernels),
        // Floor 8
        library("CardReaders", in: .device, capture + ["DeviceIO"]),
        library("PaymentTerminal", in: .till, capture + ["CZlib", "JSONDocument"]),
        library("EMVExplanation", in: .bench, kernels + ["EMVReplay"]),
        // Floor 9
        library("Peripherals", in: .device, ["Bytes", "DeviceIO", "CardReaders"]),
        library("DeviceSupply", in: .device, readers + ["CLibZip", "JSONDocument"]),
        library("TerminalJournal", in: .store, till + ["SealedStore"] + grdb),
        library("HTTPService", in: .service, ["Bytes", "CardCryptography"] + nio),
        library("WorldNet", in: .host, till + ["XMLDocument"]),
        library("IPG", in: .host, till + ["XMLDocument", "FormDocument"]),
        library("PaymentPage", in: .host, till + ["FormDocument"] + mustache),
        library("ThreeDSecure", in: .host, till + ["XMLDocument"]),
        library("TerminalFiles", in: .till, till + ["Kernels"]),
        library("Receipts", in: .till, till),
        library("Basket", in: .till, till),
        library("TerminalMessages", in: .till, till),
        library("BackOffice", in: .till, till + ["FormDocument"]),
        library(
            "Printing", in: .till,
            ["CZlib", "CFreeType", "CQREncode", "Bytes", "JSONDocument", "PaymentTerminal"],
            embedding: ["Profiles/printers.json", "CodeTables/code-tables.json"]),
        library("BenchHost", in: .host, till + ["SealedStore", "VirtualCard"] + grdb),
        // Floor 10
        library("TillRecords", in: .store, till + ["Basket", "SealedStore"] + grdb),
        library("PrinterModels", in: .bench, ["Printing"]),
        library("BackOfficeStore", in: .store, till + ["BackOffice", "SealedStore"] + grdb),
        library("Counter", in: .products, ["DeviceIO", "Peripherals", "Printing"]),
        library("BenchIPG", in: .host, till + ["XMLDocument", "FormDocument", "IPG"]),
        library("BenchThreeDSecure", in: .host, till + ["XMLDocument", "ThreeDSecure"]),
        library("Gateways", in: .host, till + ["XMLDocument", "WorldNet", "TerminalFiles"] + client),
        library(
            "BenchHostServer", in: .service,
            till + ["XMLDocument", "BenchHost", "WorldNet", "HTTPService"] + server),
        library("Mail", in: .service, till + ["Receipts", "Outbox"] + nio),
        library("CardBench", in: .products, bench + logs),
        // Floor 11
        library(
            "WebShopGateways", in: .host, till + ["XMLDocument", "FormDocument", "IPG", "ThreeDSecure", "Gateways"]),
        library(
            "CardPresent", in: .products,
            till + readers + ["Kernels", "TerminalFiles", "Receipts", "TerminalJournal"] + gateways),
        // Floor 12: what commands share
        cLibrary("CProcessSecrecy", in: "Sources/Products"),
        cLibrary("CWorkerProcess", in: "Sources/Products"),
        // Floor 13
        library(
            "Console", in: .products,
            ["Bytes", "TLV", "JSONDocument", "CProcessSecrecy", "CWorkerProcess"] + argumentParser),
        // Floor 14
        library(
            "BenchCards", in: .products,
            emv + ["JSONDocument", "VirtualCard", "CardProfiles", "Console"] + argumentParser),
        library("Reports", in: .products, kernels + logs + ["CardCapture", "Console"]),
        // Floor 15
        command("cardpresent", till + logs + ["TerminalFiles", "VirtualCard", "Console", "Reports"] + argumentParser),
        command(
            "cardpresent-bench",
            bench + logs
                + ["DeviceSupply", "TerminalMessages", "TerminalJournal", "CardBench", "Gateways", "BenchHostServer"]
                + ["Peripherals", "Printing", "PrinterModels", "Counter"]
                + ["Console", "BenchCards", "Reports"]
                + argumentParser + logging),
        // Floor 16: what tests share
        cLibrary("CHeap", in: "Tests/Support"),
        cLibrary("CSimulation", in: "Tests/Simulation", linking: ["sqlite3", "dl"]),
        support("CardModels", ["Bytes", "SmartCard"]),
        support("KernelDoubles", ["CardCryptography", "EMVKernel"]),
        support("MessageBus", ["DeviceIO"]),
        support("OpenSSLKeys"),
        support("PeerPrograms"),
        support("PaymentDoubles", till),
        support("ProcessMemory"),
        support("SeededNumbers"),
        helper("make-traces", bench + logs + ["Console"]),
        helper("make-kernel8-sessions", kernels + ["JSONDocument", "VirtualCard", "Console"]),
        // Floor 17
        support("FaultProxy", ["SeededNumbers"]),
        support("ReaderDoubles", readers + ["CardModels"]),
        support("VirtualTap", kernels + cards),
        support("Mutation", kernels + cards + ["SeededNumbers"]),
        helper("crash-lane", bench + cards + ["TerminalJournal", "BenchHostServer", "CardModels", "PaymentDoubles"]),
        helper("worker-lane", ["Console"]),
        // Floor 18
        helper(
            "payment-lane",
            bench + cards + ["TerminalJournal", "Gateways", "BenchHostServer", "ProcessMemory", "ReaderDoubles"]),
        helper("mutate-run", ["EMVKernel", "Contactless", "CHeap", "Mutation"]),
        support(
            "Simulator",
            bench + cards + [
                "SealedStore", "TerminalJournal", "XMLDocument", "WorldNet", "Gateways", "CSimulation",
                "PaymentDoubles",
            ],
            in: "Tests/Simulation"),
        // Floor 19
        command("simulate", ["Simulator"] + argumentParser, in: "Tests/Simulation"),
        // Floor 20
        tests("BytesTests", ["Bytes"]),
        tests("TLVTests", ["Bytes", "TLV", "SeededNumbers"]),
        tests("CardCryptographyTests", ["Bytes", "CardCryptography", "ProcessMemory", "PeerPrograms"]),
        tests("MagneticStripeTests", ["Bytes", "MagneticStripe", "SeededNumbers"]),
        tests("DeviceIOTests", ["Bytes", "DeviceIO", "MessageBus"]),
        tests("SealedStoreTests", ["Bytes", "SealedStore"] + grdb),
        tests("SmartCardTests", card + ["CardModels"]),
        tests("JSONDocumentTests", ["JSONDocument", "SeededNumbers"]),
        tests("XMLDocumentTests", ["XMLDocument"]),
        tests("FormDocumentTests", ["FormDocument"]),
        tests("TraceImportTests", card + ["TraceImport"], exclude: ["Recorded"]),
        tests("EMVKernelTests", emv + cards + ["SeededNumbers"]),
        tests("VirtualCardTests", emv + cards),
        tests("ContactlessTests", kernels + cards),
        tests("KernelsTests", kernels + cards + ["VirtualTap"]),
        tests("EMVReplayTests", kernels + readers + cards + ["EMVReplay"]),
        tests("CardInspectionTests", emv + cards + ["CardInspection", "CardProfiles", "CardModels"]),
        tests("CardProfilesTests", bench + cards + ["CardProfiles", "CardModels"]),
        tests("EMVExplanationTests", kernels + cards + ["EMVReplay", "EMVExplanation"], exclude: ["parse_page.py"]),
        tests("CardCaptureTests", kernels + readers + cards),
        tests(
            "CardReadersTests",
            kernels + readers + cards + ["CardModels", "ProcessMemory", "MessageBus", "ReaderDoubles"]),
        tests("DeviceSupplyTests", readers + ["JSONDocument", "DeviceSupply", "ReaderDoubles"]),
        tests(
            "PaymentTerminalTests", till + ["Kernels", "TerminalFiles", "Receipts", "PaymentDoubles"],
            exclude: ["Golden"]),
        tests("BasketTests", till + ["Basket", "SeededNumbers", "PeerPrograms"]),
        tests("TillRecordsTests", till + ["Basket", "SealedStore", "TillRecords", "PaymentDoubles"]),
        tests("OutboxTests", ["Bytes", "SealedStore", "Outbox", "SeededNumbers"] + grdb),
        tests(
            "MailTests", till + ["Receipts", "Outbox", "Mail", "PaymentDoubles", "SeededNumbers", "PeerPrograms"] + nio),
        tests("PeripheralsTests", ["Bytes", "CardReaders", "DeviceIO", "Peripherals"]),
        tests("CounterTests", ["DeviceIO", "PaymentTerminal", "Peripherals", "Printing", "PrinterModels", "Counter"]),
        tests(
            "PrintingTests", ["Bytes", "PaymentTerminal", "Printing", "PrinterModels", "SeededNumbers", "PeerPrograms"]),
        tests("TerminalFilesTests", till + ["Kernels", "TerminalFiles"]),
        tests("TerminalMessagesTests", till + ["TerminalMessages", "BenchHost", "VirtualCard", "PaymentDoubles"]),
        tests("TerminalJournalTests", till + ["TerminalJournal", "ProcessMemory", "PaymentDoubles"]),
        tests("BenchHostTests", bench + cards + ["SealedStore", "TerminalJournal", "PaymentDoubles"] + grdb),
        tests("IPGTests", till + ["XMLDocument", "FormDocument", "IPG", "OpenSSLKeys"]),
        tests(
            "WebShopGatewaysTests",
            till + [
                "XMLDocument", "FormDocument", "IPG", "BenchIPG", "ThreeDSecure", "BenchThreeDSecure", "Gateways",
                "WebShopGateways",
                "OpenSSLKeys",
            ]),
        tests("BackOfficeTests", till + ["FormDocument", "BackOffice", "SeededNumbers", "PeerPrograms"]),
        tests(
            "BackOfficeStoreTests",
            till + ["SealedStore", "BackOffice", "BackOfficeStore", "SeededNumbers", "PeerPrograms"]),
        tests("PaymentPageTests", till + ["FormDocument", "PaymentPage", "PeerPrograms"]),
        tests("ThreeDSecureTests", till + ["XMLDocument", "ThreeDSecure", "PeerPrograms"]),
        tests("BenchThreeDSecureTests", till + ["XMLDocument", "ThreeDSecure", "BenchThreeDSecure"]),
        tests(
            "BenchIPGTests",
            till + [
                "XMLDocument", "FormDocument", "IPG", "BenchIPG", "ThreeDSecure", "BenchThreeDSecure", "OpenSSLKeys",
                "SeededNumbers",
            ]),
        tests("WorldNetTests", till + ["XMLDocument", "WorldNet"]),
        tests(
            "GatewaysTests",
            till + [
                "VirtualCard", "TerminalJournal", "BenchHost", "XMLDocument", "WorldNet", "Gateways", "BenchHostServer",
                "HTTPService", "Receipts", "FaultProxy",
            ] + client + ["ProcessMemory", "PaymentDoubles", "crash-lane", "payment-lane"],
            exclude: ["peer.py"], copying: ["stray_status.py", "approving_gateway.py"]),
        tests("MutationTests", ["TLV", "EMVKernel", "Contactless", "Mutation", "SeededNumbers"]),
        tests(
            "CommandLineTests",
            till + ["VirtualCard", "Console", "Reports", "ReaderDoubles", "SeededNumbers", "worker-lane"]
                + ["cardpresent", "cardpresent-bench"]),
        tests("CrashTests", ["crash-lane"], copying: ["disk_fault.c"]),
        tests("CardPresentTests", till + readers + ["TerminalFiles", "CardBench", "CardPresent", "ReaderDoubles"]),
        tests(
            "DocumentationTests",
            kernels + cards
                + [
                    "CardBench", "CardPresent", "VirtualTap", "PaymentTerminal", "XMLDocument", "FormDocument", "IPG",
                    "ThreeDSecure", "CardCapture", "Basket", "TillRecords", "Outbox", "Mail",
                ],
            exclude: ["ReplacedSDKs"]),
        tests("SimulationTests", ["simulate"], in: "Tests/Simulation"),
    ],
    swiftLanguageModes: [.v6]
)

// MARK: - Fuzz targets

/// Each has a main that SwiftPM renames to NAME_main, and starts libFuzzer from it. They take the
/// place of commands and tests, for tools/fuzz/run alone. CARDPRESENT_FUZZ is `core`, or `host` for
/// the one that needs an HTTP server, which takes minutes to build.
if let part = Context.environment["CARDPRESENT_FUZZ"] {
    let isHost = part == "host"
    let names = [
        "TLV", "DOL", "ATR", "Trace", "Tracks", "Certificates", "Selection", "Transaction", "Tap", "PinPads",
        "MagstripeReaders", "CCID", "ContactlessReaders", "Bluetooth", "LogImport", "Explanation", "Replay",
        "Inspection", "Profiles", "Journal", "Plans", "TerminalFile", "KeyBlocks", "VPCD", "SupplyFiles", "Packages",
        "Gateway", "TillRequest", "PrinterStatus", "Scans", "Slips", "IPG", "ThreeDSecure", "BackOffice",
    ]
    let reached =
        modules
        + [
            "DeviceSupply", "WorldNet", "IPG", "ThreeDSecure", "KernelDoubles", "Printing", "Peripherals",
            "PrinterModels", "BackOffice",
        ]
        + (isHost ? ["SealedStore", "BenchHost", "BenchHostServer", "HTTPService"] : [])
    package.targets.removeAll { $0.type != .system && $0.name != "CDeviceIO" && !reached.contains($0.name) }
    package.products.removeAll { $0.name != "CardPresentModules" }
    package.targets.append(cLibrary("CFuzzer", in: "Tests/Fuzz"))
    package.targets.append(support("Modules", reached.map { .byName(name: $0) }, in: "Tests/Fuzz"))
    for name in names + (isHost ? ["Host"] : []) {
        package.targets.append(
            .executableTarget(
                name: "Fuzz\(name)", dependencies: ["CFuzzer", "Modules"], path: "Tests/Fuzz/Fuzz\(name)",
                swiftSettings: [.unsafeFlags(["-parse-as-library"])]))
    }
}
