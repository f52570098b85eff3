public import TLV

/// The data objects of a transaction, the terminal's apart from the card's.
///
/// Where both have a tag the terminal's counts, so that no record of a card can put an amount, a date or a result in the place of the terminal's own.
public struct TransactionData: Sendable {
    /// The terminal's own: configuration, request, results and the issuer's answer.
    public package(set) var terminal = DataElements(minimumCapacity: 48, byteCount: 256)
    /// The card's own: file control information, records and answers.
    public package(set) var card = DataElements()

    package init() {}

    /// The value of `tag`, the terminal's before the card's; nil if neither has it.
    public subscript(tag: Tag) -> [UInt8]? { terminal[tag] ?? card[tag] }

    /// The data objects of both under one roof.
    public var merged: DataElements { merged { _ in true } }

    /// The same without the tags that ``Redaction`` hides, PAN and track above all: for data that
    /// are shown, kept or passed on.
    public var shareable: DataElements { merged { !Redaction.sensitiveTags.contains($0) } }

    private func merged(where isWanted: (Tag) -> Bool) -> DataElements {
        var all = DataElements(minimumCapacity: 64, byteCount: 1024)
        for tag in terminal.tags where isWanted(tag) { all[tag] = terminal[tag] }
        for tag in card.tags where isWanted(tag) && !terminal.contains(tag) { all[tag] = card[tag] }
        return all
    }

    /// Overwrites all values with zeros. Call it when the PAN is not needed any more.
    public mutating func wipe() {
        terminal.wipe()
        card.wipe()
    }
}

extension DOL {
    /// The values that the list asks for, the terminal's before the card's (EMV 4.4 Book 3, 5.4).
    public func concatenate(_ data: TransactionData) -> [UInt8] { concatenate(data.terminal, otherwise: data.card) }
}
