import MagneticStripe

/// The data that the masked tracks show.
extension EncryptedTracks {
    /// The card number as far as the reader shows it, never more than its first six and last four
    /// digits, or the last four of a short one; nil if it shows no digit.
    public var maskedPAN: String? {
        let field = accountField
        guard (8...19).contains(field.count), field.allSatisfy({ isDigit($0) || $0 == hidden }),
            field.contains(where: isDigit)
        else {
            return nil
        }
        let first = field.count > 12 ? 6 : 0
        let shown = field.enumerated().map { index, character in
            index < first || index >= field.count - 4 ? character : hidden
        }
        return String(decoding: shown, as: UTF8.self)
    }

    /// YYMM, if the reader shows it.
    public var expiry: String? {
        let second = fields(.two, separator: UInt8(ascii: "="))
        let first = fields(.one, separator: UInt8(ascii: "^"))
        for field in [second.dropFirst(1).first, first.dropFirst(2).first] {
            guard let digits = field?.prefix(4), digits.count == 4, digits.allSatisfy(isDigit) else { continue }
            let text = String(decoding: digits, as: UTF8.self)
            if let month = Int(text.suffix(2)), (1...12).contains(month) { return text }
        }
        return nil
    }

    /// As on track 1, if the reader shows it.
    public var cardholderName: String? {
        let name = fields(.one, separator: UInt8(ascii: "^")).dropFirst(1).first.map {
            CardholderName(String(decoding: $0, as: UTF8.self)).text
        }
        return name.flatMap { $0.isEmpty || $0.utf8.contains(hidden) ? nil : $0 }
    }

    private var hidden: UInt8 { UInt8(ascii: "*") }

    private func isDigit(_ character: UInt8) -> Bool { (0x30...0x39).contains(character) }

    private var accountField: [UInt8] {
        if let field = fields(.two, separator: UInt8(ascii: "=")).first, !field.isEmpty { return field }
        // Format code, then the number.
        return Array(fields(.one, separator: UInt8(ascii: "^")).first?.dropFirst() ?? [])
    }

    /// The content between the sentinels of a masked track, split at the separators.
    private func fields(_ track: TrackNumber, separator: UInt8) -> [[UInt8]] {
        guard let text = masked[track]?.utf8.dropFirst().prefix(while: { $0 != UInt8(ascii: "?") }), !text.isEmpty
        else { return [] }
        return text.split(separator: separator, omittingEmptySubsequences: false).map(Array.init)
    }
}
