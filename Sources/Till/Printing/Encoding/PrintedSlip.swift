/// A slip as the bytes of a printer.
public struct PrintedSlip: Sendable, Equatable {
    /// A character that the printer has in none of its tables, and a `?` was printed for it; or a
    /// code that could not be printed.
    public enum Event: Sendable, Equatable {
        /// `line` counts the items of the slip from 0.
        case substituted(Character, line: Int)
        /// The QR code has more bytes than a code can hold, or is wider than the paper.
        case omittedQR(line: Int)
        /// The printer takes pictures only, and there is no font to draw them with.
        case noFont
    }

    /// Commands that belong together, in order. A slip that ends between two of them is whole up
    /// to there.
    public let blocks: [[UInt8]]
    public let events: [Event]

    public init(blocks: [[UInt8]], events: [Event] = []) {
        self.blocks = blocks
        self.events = events
    }

    public var bytes: [UInt8] { blocks.flatMap(\.self) }
}

extension PrintedSlip.Event: CustomStringConvertible {
    public var description: String {
        switch self {
        case .substituted(let character, let line):
            "line \(line + 1): '?' for \(Self.codes(character)), which the printer does not have"
        case .omittedQR(let line): "line \(line + 1): the QR code is left out, it is too large"
        case .noFont: "this printer takes pictures only: give a font to draw them with"
        }
    }

    private static func codes(_ character: Character) -> String {
        character.unicodeScalars.prefix(8).map { "U+" + String($0.value, radix: 16, uppercase: true) }
            .joined(separator: " ")
    }
}
