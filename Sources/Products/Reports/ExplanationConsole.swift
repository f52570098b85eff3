public import Console
public import EMVExplanation

/// Writes the lines of an explanation.
public struct ExplanationConsole {
    private let console: Console

    public init(_ console: Console) { self.console = console }

    /// Prints all lines while they are computed.
    public func print(_ text: ExplanationText) { text.write { print($0) } }

    /// - Parameter indent: Before every line.
    public func print(_ lines: [ExplanationText.Line], indent: String = "") {
        for line in lines {
            let margin = indent + String(repeating: "  ", count: line.depth)
            switch line.kind {
            case .heading: console.heading(line.text)
            case .plain: Swift.print(margin + line.text)
            case .exchange: Swift.print(margin + console.paint(line.text, .cyan))
            case .dataObject: Swift.print(margin + line.text)
            case .detail: Swift.print(margin + console.paint(line.text, .dim))
            case .good: Swift.print(margin + console.paint(line.text, .green))
            case .bad: Swift.print(margin + console.paint(line.text, .red))
            case .warning: Swift.print(margin + console.paint(line.text, .yellow))
            }
        }
    }
}
