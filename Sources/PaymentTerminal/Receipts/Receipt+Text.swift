import CardReaders

extension Receipt {
    public enum Copy: Sendable { case merchant, cardholder }

    /// The characters of a line.
    public static let width = 40

    /// The receipt in lines of at most ``width`` characters, each ended by a line feed.
    ///
    /// Of the card number both copies show the last four digits only. The merchant's copy has the line to sign on.
    public func text(for copy: Copy) -> String {
        var lines = Self.centred(merchantName) + Self.centred(copy == .merchant ? "MERCHANT COPY" : "CARDHOLDER COPY") + [""]
        lines += Self.row("Terminal", terminalID)
        lines += Self.row("Date", timestamp.description)
        lines += Self.row("Order", orderID.text)
        lines += Self.row("Card", card.map { "\($0.brand.map { "\($0.rawValue) " } ?? "")**** \($0.lastFourDigits)" })
        lines += Self.row("Entry", entryMode?.words)
        if let chip { lines += Self.rows(chip) }
        lines += [""] + Self.row("AMOUNT", amount.description)
        lines += Self.row("Approval code", approvalCode)
        lines += [""] + Self.centred(outcome.words)
        if signatureWanted && copy == .merchant {
            lines += ["", "", String(repeating: "_", count: Self.width)] + Self.centred("Cardholder signature")
        }
        return lines.map { $0 + "\n" }.joined()
    }

    private static func rows(_ chip: ChipLines) -> [String] {
        row("Application", chip.label) + row("AID", chip.aid) + row("TVR", chip.terminalVerificationResults)
            + row("TSI", chip.transactionStatusInformation) + row(chip.cryptogramType ?? "AC", chip.applicationCryptogram)
            + row("ARC", chip.authorisationResponseCode) + row("CVM", chip.cardholderVerification)
    }

    /// `name` at the left edge and `value` at the right one, on two or more lines if they do not fit on one; none without a value.
    private static func row(_ name: String, _ value: String?) -> [String] {
        guard let value else { return [] }
        let gap = width - name.count - value.count
        if gap > 0 { return [name + String(repeating: " ", count: gap) + value] }
        return [name] + broken(value).map { String(repeating: " ", count: width - $0.count) + $0 }
    }

    private static func centred(_ text: String) -> [String] {
        broken(text).map { String(repeating: " ", count: (width - $0.count) / 2) + $0 }
    }

    /// `text` in pieces of at most ``width`` characters, broken between words where there is one.
    private static func broken(_ text: String) -> [String] {
        var pieces: [String] = []
        var rest = text[...]
        while rest.count > width {
            let head = rest.prefix(width + 1)
            let end = head.lastIndex(of: " ") ?? head.index(before: head.endIndex)
            pieces.append(String(rest[..<end]))
            rest = rest[end...].drop { $0 == " " }
        }
        return pieces + [String(rest)]
    }
}

extension PaymentResponse.Outcome {
    fileprivate var words: String {
        switch self {
        case .approved: "APPROVED"
        case .partiallyApproved: "PARTLY APPROVED"
        case .declined: "DECLINED"
        case .reversed: "REVERSED"
        case .storedOffline: "APPROVED OFFLINE"
        case .unknown: "OUTCOME NOT KNOWN"
        }
    }
}

extension CapturedCard.EntryMode {
    fileprivate var words: String {
        switch self {
        case .keyed: "Keyed"
        case .chip: "Chip"
        case .contactlessChip: "Contactless"
        case .stripeFallback: "Magnetic stripe (fallback)"
        case .magneticStripe: "Magnetic stripe"
        case .contactlessStripe: "Contactless magnetic stripe"
        }
    }
}
