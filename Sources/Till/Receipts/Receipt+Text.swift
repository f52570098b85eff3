private import Bytes
public import PaymentTerminal

extension Receipt {
    /// The number of characters in a line.
    public static let width = 40

    /// The receipt in lines of at most ``width`` characters, each ended by a line feed. It contains
    /// no other control characters, even if merchant, card or host send them: a printer would
    /// execute them.
    public func text(for copy: Copy) -> String {
        lines(for: copy).flatMap(Self.text).map { $0 + "\n" }.joined()
    }

    private static func text(_ line: Line) -> [String] {
        switch line {
        case .merchant(let text), .heading(let text), .outcome(let text), .note(let text): centred(text)
        case .row(let name, let value): row(name, value)
        case .sum(let name, let money): row(name, money.description)
        case .amount(let money): row("AMOUNT", money.description)
        case .gap: [""]
        case .signature(.some): centred("Signed on the screen")
        case .signature(nil): ["", String(repeating: "_", count: width)] + centred("Cardholder signature")
        }
    }

    /// `name` left-aligned and `value` right-aligned, on two or more lines if they do not fit on
    /// one.
    private static func row(_ name: String, _ value: String) -> [String] {
        let (name, value) = (name.printable, value.printable)
        let gap = width - name.count - value.count
        if gap > 0 { return [name + String(repeating: " ", count: gap) + value] }
        return broken(name) + broken(value).map { String(repeating: " ", count: width - $0.count) + $0 }
    }

    private static func centred(_ text: String) -> [String] {
        broken(text.printable).map { String(repeating: " ", count: (width - $0.count) / 2) + $0 }
    }

    /// `text` in parts of at most ``width`` characters, broken between words if possible.
    private static func broken(_ text: String) -> [String] {
        var pieces: [String] = []
        var rest = text[...]
        while rest.count > width {
            let head = rest.prefix(width + 1)
            let end = head.dropFirst().lastIndex(of: " ") ?? head.index(before: head.endIndex)
            pieces.append(String(rest[..<end]))
            rest = rest[end...].drop { $0 == " " }
        }
        return pieces + [String(rest)]
    }
}

extension String {
    /// The text without characters that control a printer or the writing direction.
    var printable: String { onOneLine() }
}
