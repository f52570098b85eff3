import ArgumentParser
import CardCryptography
import Console
import EMVExplanation
import EMVReplay
import Reports
import SmartCard

/// The output of `explain --diff` for two logs.
struct ExplainComparison {
    let comparison: ExplanationComparison
    let isRedacted: Bool
    let origin: PageOrigin

    /// - Parameters:
    ///   - path: The path of the page; nil for no page.
    ///   - isJSON: Whether standard output gets the JSON document.
    func write(page path: String?, isJSON: Bool) throws {
        if let path {
            try OutputFile.replace(path) { write throws(InputError) in
                try ComparisonPage(comparison, isRedacted: isRedacted, origin: origin).write(write)
            }
        }
        if isJSON {
            print(try comparison.json())
        } else if path == nil {
            ExplanationConsole(Console()).print(ComparisonText(comparison, origin: origin).lines)
        } else {
            print(comparison.headline)
        }
    }
}
