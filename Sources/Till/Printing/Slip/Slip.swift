public import PaymentTerminal

/// What is printed, laid out in lines of columns, before it becomes the commands of a printer.
public struct Slip: Sendable, Equatable {
    /// A part of the slip, from top to bottom.
    public enum Item: Sendable, Equatable {
        case line(Line)
        /// A QR code, centred: bytes of text in UTF-8, at most ``QRCode/maximumSize``.
        case qr([UInt8])
        /// The strokes of a signature as a picture, centred.
        case signature(Signature)
    }

    /// A line of at most ``Slip/columns`` columns, from the left margin.
    public struct Line: Sendable, Equatable {
        public var runs: [Run]

        public init(_ runs: [Run] = []) { self.runs = runs.filter { !$0.characters.isEmpty } }

        /// How many columns it takes.
        public var columns: Int {
            runs.reduce(0) { $0 + $1.characters.count * $1.style.columnsPerCharacter }
        }

        /// The printed characters, one by one: joined to a text, two of them may become one.
        public var characters: [Character] { runs.flatMap(\.characters) }
    }

    /// Characters of one style. Each is printed in a place of its own.
    public struct Run: Sendable, Equatable {
        public var characters: [Character]
        public var style: SlipStyle

        public init(_ characters: some Sequence<Character>, _ style: SlipStyle = []) {
            self.characters = Array(characters)
            self.style = style
        }
    }

    public let columns: Int
    public var items: [Item]

    public init(columns: Int, items: [Item] = []) {
        self.columns = columns
        self.items = items
    }

    /// The lines without codes and pictures.
    public var lines: [Line] {
        items.compactMap { if case .line(let line) = $0 { line } else { nil } }
    }
}
