import CardCapture

extension Receipt {
    /// A line of a receipt by its meaning, for any layout: text, a page, or the integrator's
    /// printer.
    public enum Line: Sendable, Equatable {
        /// The merchant's name.
        case merchant(String)
        /// Centred: the operation, and the kind of copy.
        case heading(String)
        /// A fact and its value.
        case row(String, String)
        /// An additional amount, above or below the total.
        case sum(String, Money)
        /// The total.
        case amount(Money)
        /// The result as text, such as approved or declined.
        case outcome(String)
        /// Centred: an explanation of the outcome.
        case note(String)
        /// A separator between unrelated parts.
        case gap
        /// The line for the signature, or the signature.
        case signature(Signature?)
    }

    /// The receipt from top to bottom.
    ///
    /// Both copies show only the last four digits of the card number, and neither expiry date nor
    /// name (PCI DSS 4.0, 3.4). The merchant's copy has the signature.
    public func lines(for copy: Copy) -> [Line] {
        var lines: [Line] = [
            .merchant(merchantName), .heading(operation.heading),
            .heading(copy == .merchant ? "MERCHANT COPY" : "CARDHOLDER COPY"), .gap,
            .row("Terminal", terminalID), .row("Date", timestamp.description), .row("Order", orderID.text),
        ]
        if let card { lines.append(.row("Card", card.shownOnPaper)) }
        if let entryMode { lines.append(.row("Entry", entryMode.summary)) }
        lines += chipRows + [.gap] + money + [.gap, .outcome(outcome.summary(hasChip: chip != nil))]
        if let note = note { lines.append(.note(note)) }
        if requiresSignature, copy == .merchant { lines += [.gap, .signature(signature)] }
        return lines
    }

    private var chipRows: [Line] {
        guard let chip else { return [] }
        let rows = [
            ("Application", chip.label), ("AID", chip.aid), ("PAN sequence", chip.panSequenceNumber),
            ("TVR", chip.terminalVerificationResults), ("TSI", chip.transactionStatusInformation),
            (chip.cryptogramType ?? "AC", chip.applicationCryptogram), ("ARC", chip.authorisationResponseCode),
            ("CVM", chip.cardholderVerification),
        ]
        let available = chip.availableOfflineAmount.map {
            Line.row("Available offline", Money(minorUnits: Int64(clamping: $0), currency: amount.currency).description)
        }
        return rows.compactMap { name, value in value.map { .row(name, $0) } } + [available].compactMap(\.self)
    }

    private var money: [Line] {
        var lines: [Line] = []
        let extras = [("Service charge", serviceCharge), ("Tip", tip)].compactMap { name, amount in
            amount.map { (name, $0) }
        }
        if !extras.isEmpty {
            lines.append(.sum("Subtotal", requested - extras.map(\.1)))
            lines += extras.map { .sum($0.0, $0.1) }
        }
        if isPartial { lines.append(.sum("Total", requested)) }
        lines.append(.amount(amount))
        if isPartial { lines.append(.sum("Still to pay", requested - [amount])) }
        if !taxes.isEmpty {
            lines.append(.sum("Net", requested - taxes.map(\.amount)))
            lines += taxes.map { .sum("\($0.name) \($0.percentage)", $0.amount) }
        }
        if let approvalCode { lines.append(.row("Approval code", approvalCode)) }
        return lines
    }

    private var isPartial: Bool { outcome == .partiallyApproved && amount != requested }

    private var note: String? {
        switch outcome {
        case .partiallyApproved: "approved \(amount.decimal) of \(requested)"
        case .reversed(let reason): reason.summary
        case .storedOffline: "sent to the host later"
        case .unknown: "the reversal is in progress"
        case .approved, .declined: nil
        }
    }
}

extension Money {
    fileprivate static func - (whole: Money, parts: [Money]) -> Money {
        Money(minorUnits: parts.reduce(whole.minorUnits) { $0 - $1.minorUnits }, currency: whole.currency)
    }
}

extension CardSummary {
    /// The brand and the last four digits: `VISA **** 0119`.
    fileprivate var shownOnPaper: String {
        let digits = lastFourDigits.contains("*") ? "" : lastFourDigits
        return ([brand?.rawValue, "****"].compactMap(\.self) + (digits.isEmpty ? [] : [digits])).joined(separator: " ")
    }
}

extension TerminalOperation {
    fileprivate var heading: String {
        switch self {
        case .refund: "REFUND"
        case .preAuthorization: "PRE-AUTHORISATION"
        case .capture: "CAPTURE"
        case .reversal: "REVERSAL"
        case .sale, .registerSecureCard, .retrieveSecureCard, .editSecureCard, .deleteSecureCard, .transactions,
            .settings:
            "SALE"
        }
    }
}

extension PaymentResponse.Outcome {
    fileprivate func summary(hasChip: Bool) -> String {
        switch self {
        case .approved: "APPROVED"
        case .partiallyApproved: "PARTLY APPROVED"
        case .declined: "DECLINED"
        case .reversed: "REVERSED"
        // Without a chip it is not approved yet.
        case .storedOffline: hasChip ? "APPROVED OFFLINE" : "STORED OFFLINE"
        case .unknown: "OUTCOME NOT KNOWN"
        }
    }
}

extension CapturedCard.EntryMode {
    fileprivate var summary: String {
        switch self {
        case .keyed: "Keyed"
        case .chip: "Contact chip"
        case .contactlessChip: "Contactless chip"
        case .stripeFallback: "Magnetic stripe (fallback)"
        case .magneticStripe: "Magnetic stripe"
        case .contactlessStripe: "Contactless magnetic stripe"
        }
    }
}
