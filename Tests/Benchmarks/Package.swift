// swift-tools-version: 6.2
import PackageDescription

// A package of its own, so that nobody who depends on CardPresent builds the references it is
// measured against.
let package = Package(
    name: "benchmarks",
    dependencies: [
        .package(name: "swift-card-present", path: "../.."),
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
    ],
    targets: [
        .target(name: "CReference", cSettings: [.unsafeFlags(["-O2"])], linkerSettings: [.linkedLibrary("crypto")]),
        .executableTarget(
            name: "Benchmarks",
            dependencies: [
                "CReference", "CCounters", "Figures",
                .product(name: "CardPresentModules", package: "swift-card-present"),
                .product(name: "cardpresent", package: "swift-card-present"),
            ]),
        .executableTarget(name: "Empty"),
        .target(name: "Figures"),
        .target(name: "CommitReference", dependencies: [.product(name: "GRDB", package: "GRDB.swift")]),
        .target(name: "CCounters", cSettings: [.unsafeFlags(["-O2"])]),
        .executableTarget(
            name: "ReaderBenchmark",
            dependencies: ["CReference", .product(name: "CardBench", package: "swift-card-present")]),
        .executableTarget(
            name: "HostBenchmark",
            dependencies: [
                "CReference", "CommitReference", .product(name: "CardBench", package: "swift-card-present"),
                .product(name: "BenchHost", package: "swift-card-present"),
                .product(name: "BenchHostServer", package: "swift-card-present"),
                .product(name: "Gateways", package: "swift-card-present"),
                .product(name: "WorldNet", package: "swift-card-present"),
                .product(name: "GRDB", package: "GRDB.swift"),
            ]),
        .executableTarget(
            name: "JournalBenchmark",
            dependencies: [
                "CCounters", "CommitReference", "Figures", .product(name: "CardBench", package: "swift-card-present"),
                .product(name: "TerminalJournal", package: "swift-card-present"),
                .product(name: "GRDB", package: "GRDB.swift"),
            ], swiftSettings: [.enableUpcomingFeature("NonisolatedNonsendingByDefault")]),
        .executableTarget(
            name: "PCSCReference", cSettings: [.unsafeFlags(["-O2"])], linkerSettings: [.linkedLibrary("dl")]),
    ],
    swiftLanguageModes: [.v6]
)
