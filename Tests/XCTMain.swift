import Glibc
import Testing

/// Runs the tests.
///
/// SwiftPM takes this file in place of its own, which looks for tests of XCTest in an index of the
/// sources. There are none, and without the index the sources compile faster (tools/lib.sh). In
/// return SwiftPM takes all tests for those of XCTest, unless an option says otherwise: then it
/// cannot list them, which `--filter` needs.
@main struct TestRunner {
    static func main() async {
        guard !CommandLine.arguments.contains("--dump-tests-json") else {
            // SwiftPM shows what it cannot read as its list.
            print("these are tests of Swift Testing: give swift test --disable-xctest --enable-swift-testing, too")
            exit(EXIT_FAILURE)
        }
        await Testing.__swiftPMEntryPoint() as Never
    }
}
