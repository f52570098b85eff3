// swift-tools-version: 6.2
import PackageDescription

// Each fuzzer brings the main that SwiftPM renames to NAME_main and starts libFuzzer from it. The sanitizers come on tools/fuzz/run's command line, so that the
// library is instrumented too.
func fuzzer(_ name: String, _ more: [Target.Dependency] = []) -> Target {
    .executableTarget(
        name: name, dependencies: ["CFuzzer", "Modules"] + more,
        swiftSettings: [.unsafeFlags(["-parse-as-library"])])
}

/// The bench host's server, for whoever asks for it: it takes minutes to build.
let host =
    Context.environment["FUZZ_HOST"] == nil
    ? []
    : [
        fuzzer(
            "FuzzHost",
            [
                .product(name: "BenchHost", package: "swift-card-present"),
                .product(name: "BenchHostServer", package: "swift-card-present"),
                .product(name: "WorldNet", package: "swift-card-present"),
            ])
    ]

// A package of its own: not for those who depend on CardPresent.
let package = Package(
    name: "fuzz",
    dependencies: [.package(name: "swift-card-present", path: "../..")],
    targets: [
        .target(name: "CFuzzer"),
        .target(name: "Modules", dependencies: [.product(name: "CardPresentModules", package: "swift-card-present")]),
        fuzzer("FuzzTLV"), fuzzer("FuzzDOL"), fuzzer("FuzzATR"), fuzzer("FuzzTrace"), fuzzer("FuzzTracks"),
        fuzzer("FuzzCertificates"), fuzzer("FuzzSelection"), fuzzer("FuzzTransaction"), fuzzer("FuzzTap"), fuzzer("FuzzPinPads"),
        fuzzer("FuzzMagstripeReaders"),
        fuzzer("FuzzCCID"), fuzzer("FuzzBluetooth"), fuzzer("FuzzLogImport"), fuzzer("FuzzExplanation"), fuzzer("FuzzReplay"),
        fuzzer("FuzzInspection"), fuzzer("FuzzProfiles"), fuzzer("FuzzJournal"),
        fuzzer("FuzzGateway", [.product(name: "WorldNet", package: "swift-card-present")]),
    ] + host,
    swiftLanguageModes: [.v6]
)
