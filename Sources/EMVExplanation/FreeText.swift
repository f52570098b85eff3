import MagneticStripe
import TLV

/// Text of a log that nobody has taken apart: titles, remarks, what hosts said. A card number in it is masked as any other.
struct FreeText {
    let isRedacted: Bool

    /// `text` without control characters; where card data are hidden, 12 to 19 digits with a right check digit, spaces or hyphens between them or not, keep the
    /// first six and the last four.
    func shown(_ text: some StringProtocol) -> String {
        var result = ""
        var run = ""
        for scalar in text.unicodeScalars {
            let isControl = scalar.properties.generalCategory == .control || scalar.properties.isBidiControl
            let character = isControl ? " " : Character(scalar)
            if isDigit(character) || !run.isEmpty && (character == " " || character == "-") {
                run.append(character)
            } else {
                result += masked(run)
                run = ""
                result.append(character)
            }
        }
        return result + masked(run)
    }

    private func masked(_ run: String) -> String {
        let digits = run.filter(isDigit).utf8
        guard isRedacted, (12...19).contains(digits.count), Luhn.isValid(Array(digits)) else { return run }
        var shown = Redaction.maskedPAN(digits).makeIterator()
        return String(run.map { isDigit($0) ? shown.next() ?? Redaction.mask : $0 })
    }

    private func isDigit(_ character: Character) -> Bool { ("0"..."9").contains(character) }
}
