import Testing

/// Runs the tests.
///
/// SwiftPM takes this file in place of its own, which looks for tests of XCTest in an index of the sources. There are none, and without
/// the index the sources compile in two thirds of the time.
@main struct TestRunner {
    static func main() async {
        // `swift test` runs this program once for each of its two libraries.
        guard CommandLine.arguments.contains("swift-testing") else { return }
        await Testing.__swiftPMEntryPoint() as Never
    }
}
