internal import ArgumentParser
import Console
import SmartCard

/// Whether card data of a log are shown: only if requested, and if all card numbers in it are
/// published test numbers.
struct CardDataOption: ParsableArguments {
    @Flag(help: "Show PANs, tracks and names in full. For test cards only.")
    var showCardData = false

    /// A refused request is reported on standard error.
    func areShown(_ trace: APDUTrace, of path: String) -> Bool {
        guard showCardData else { return false }
        guard !trace.hasHiddenDigits else {
            printError("\(InputFile.name(path)): card data are masked in the log itself: there is nothing to show")
            return false
        }
        guard trace.hasOnlyTestCards else {
            printError(
                "\(InputFile.name(path)): the log has a card number that is not a published test number; card data stay masked")
            return false
        }
        return true
    }
}
