import Figures
import Foundation

/// What was measured, as a table for the terminal and for docs/performance.md.
struct BenchmarkReport {
    var comparisons: [Comparison] = []
    var figures: [Figure] = []

    mutating func add(_ part: (comparisons: [Comparison], figures: [Figure])) {
        comparisons += part.comparisons
        figures += part.figures
    }

    var isWithinLimits: Bool {
        comparisons.allSatisfy { $0.ratio <= $0.limit } && figures.allSatisfy { $0.value <= $0.limit }
    }

    var text: String {
        let rows = comparisons.map { comparison in
            String(
                format: "%@ %10.2f %10.2f %7.2f %7.2f%@",
                Self.padded("\(comparison.name) / \(comparison.referenceName)"), comparison.ours,
                comparison.reference, comparison.ratio, comparison.limit,
                Self.remark(comparison.ratio, comparison.limit))
        }
        let values = figures.map { figure in
            String(
                format: "%@ %21.2f %@ %7.2f%@", Self.padded(figure.name), figure.value, figure.unit, figure.limit,
                Self.remark(figure.value, figure.limit))
        }
        return ([Self.padded("measured / reference") + "   ours, µs  reference   ratio at most"] + rows + values)
            .joined(separator: "\n")
    }

    /// Two tables, with two figures of each time.
    var markdown: String {
        let rows = comparisons.map { comparison in
            "| \(comparison.name) | \(comparison.referenceName) | \(Self.time(comparison.ours)) | \(Self.time(comparison.reference)) | "
                + String(format: "%.2f | %.2f |", comparison.ratio, comparison.limit)
        }
        let values = figures.map { figure in
            "| \(figure.name) | \(Self.number(figure.value)) \(figure.unit) | \(Self.number(figure.limit)) |"
        }
        return
            (["| measured | reference | ours | reference | ratio | at most |", "|---|---|---|---|---|---|"] + rows
            + ["", "| measured | value | at most |", "|---|---|---|"] + values).joined(separator: "\n")
    }

    private static func remark(_ value: Double, _ limit: Double) -> String {
        if value > limit { return "  EXCEEDED" }
        return limit > 1.2 * value ? "  loose" : ""
    }

    private static func padded(_ name: String) -> String { name.padding(toLength: 110, withPad: " ", startingAt: 0) }

    private static func time(_ microseconds: Double) -> String {
        microseconds < 1000 ? number(microseconds) + " µs" : number(microseconds / 1000) + " ms"
    }

    private static func number(_ value: Double) -> String {
        value < 10
            ? String(format: "%.2f", value)
            : value < 100 ? String(format: "%.1f", value) : String(format: "%.0f", value)
    }
}
