private import Bytes
internal import PaymentTerminal

/// Lays out lines in columns, which are counted by printed characters.
struct SlipLayout {
    let columns: Int
    /// The columns of the amounts, which end at the right margin.
    let amountColumn: Int

    /// A name stands over its amount if fewer columns are left for it.
    static let narrowestName = 12

    func items(_ line: Receipt.Line) -> [Slip.Item] {
        switch line {
        case .merchant(let text): large(text)
        case .heading(let text), .note(let text): centred(text)
        case .outcome(let text): large(text)
        case .row(let name, let value): row(name, value)
        case .sum(let name, let money): sum(name, money, [])
        case .amount(let money): sum("AMOUNT", money, [.bold, .doubleHeight])
        case .gap: gap
        case .signature(let signature): gap + signed(signature)
        }
    }

    var gap: [Slip.Item] { [.line(Slip.Line())] }

    func centred(_ text: String, _ style: SlipStyle = []) -> [Slip.Item] {
        let width = columns / style.columnsPerCharacter
        return Self.broken(text.printed, width).map { piece in
            let left = (columns - piece.count * style.columnsPerCharacter) / 2
            return line([Slip.Run(Self.spaces(left)), Slip.Run(piece, style)])
        }
    }

    /// In double size if that fits on a line, else of double height.
    private func large(_ text: String) -> [Slip.Item] {
        let fits = text.printed.count * 2 <= columns
        return centred(text, fits ? [.bold, .doubleWidth, .doubleHeight] : [.bold, .doubleHeight])
    }

    /// The value at the right margin, on a line of its own if it does not fit beside the name.
    private func row(_ name: String, _ value: String) -> [Slip.Item] {
        let (name, value) = (name.printed, value.printed)
        let gap = columns - name.count - value.count
        if gap > 0 { return [line([Slip.Run(name + Self.spaces(gap) + value)])] }
        return Self.broken(name, columns).map { line([Slip.Run($0)]) }
            + Self.broken(value, columns).map { line([Slip.Run(Self.spaces(columns - $0.count) + $0)]) }
    }

    /// The amount in its column, beside the last line of its name.
    private func sum(_ name: String, _ money: Money, _ style: SlipStyle) -> [Slip.Item] {
        let (name, amount) = (name.printed, money.description.printed)
        let left = columns - amountColumn - 1
        guard left >= Self.narrowestName else {
            return Self.broken(name, columns).map { line([Slip.Run($0, style)]) }
                + Self.broken(amount, columns).map { line([Slip.Run(Self.spaces(columns - $0.count) + $0, style)]) }
        }
        var pieces = Self.broken(name, left)
        let last = pieces.removeLast()
        return pieces.map { line([Slip.Run($0, style)]) }
            + [line([Slip.Run(last + Self.spaces(columns - last.count - amount.count) + amount, style)])]
    }

    private func signed(_ signature: Signature?) -> [Slip.Item] {
        let line = signature.map { [Slip.Item.signature($0)] } ?? gap + gap
        return line + [.line(Slip.Line([Slip.Run(String(repeating: "_", count: columns))]))]
            + centred("Cardholder signature")
    }

    private func line(_ runs: [Slip.Run]) -> Slip.Item { .line(Slip.Line(runs)) }

    private static func spaces(_ count: Int) -> [Character] { Array(repeating: " ", count: max(0, count)) }

    /// `text` in pieces of at most `width` characters, broken between words if possible; at least
    /// one piece.
    static func broken(_ text: [Character], _ width: Int) -> [[Character]] {
        var pieces: [[Character]] = []
        var rest = text[...]
        while rest.count > width {
            let head = rest.prefix(width + 1)
            let end = head.dropFirst().lastIndex(of: " ") ?? head.index(before: head.endIndex)
            pieces.append(Array(rest[..<end]))
            rest = rest[end...].drop { $0 == " " }
        }
        return pieces + [Array(rest)]
    }
}

extension String {
    /// The characters as a printer prints them: a space for each that steers a printer or the
    /// direction of writing, and for every kind of space.
    var printed: [Character] {
        onOneLine().map { character in
            let isSpace = character.unicodeScalars.first?.properties.generalCategory == .spaceSeparator
            return isSpace && character.unicodeScalars.count == 1 ? " " : character
        }
    }
}
