import Printing

/// The paper of a simulated printer, and the line that is being set.
struct PaperRoll: Sendable, Equatable {
    enum Alignment: UInt8, Sendable {
        case left, centre, right
    }

    private(set) var items: [SimulatedPrinter.Item] = []
    private var line: [Slip.Run] = []
    /// Columns of the current font, in which the line is set.
    var columns: Int
    /// Lines until the paper ends; nil for a roll without end.
    var linesLeft: Int?
    var style: SlipStyle = []
    var alignment = Alignment.left

    init(columns: Int) { self.columns = columns }

    var isAtEnd: Bool { linesLeft == 0 }
    var isLineEmpty: Bool { line.isEmpty }

    /// A line that is full is printed, and the next begun.
    mutating func set(_ character: Character) {
        if Slip.Line(line).columns + style.columnsPerCharacter > columns { feed() }
        if line.last?.style == style {
            line[line.count - 1].characters.append(character)
        } else {
            line.append(Slip.Run([character], style))
        }
    }

    /// Prints the line, in its place between the margins.
    mutating func feed() {
        let left = columns - Slip.Line(line).columns
        let indent = alignment == .left ? 0 : alignment == .centre ? left / 2 : left
        if indent > 0, !line.isEmpty { line.insert(Slip.Run(Array(repeating: " ", count: indent)), at: 0) }
        add(.line(Slip.Line(line)))
        line = []
    }

    /// Drops the line that is not printed yet.
    mutating func drop() { line = [] }

    mutating func add(_ item: SimulatedPrinter.Item) {
        items.append(item)
        if case .cut = item { return }
        if let left = linesLeft { linesLeft = max(0, left - 1) }
    }

    mutating func reset(columns: Int) {
        drop()
        style = []
        alignment = .left
        self.columns = columns
    }
}
