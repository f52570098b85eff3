public import TLV

/// The data objects of a transaction; those of the terminal and those of the card are separate.
///
/// If both have a tag, the terminal's value is used, so that a record of the card cannot replace an
/// amount, a date or a result of the terminal.
public struct TransactionData: Sendable {
    /// Those of the terminal: configuration, request, results and the issuer's answer.
    public package(set) var terminal = DataElements()
    /// Those of the card: file control information, records and answers.
    public package(set) var card = DataElements()

    package init() {}

    /// The value of `tag`: the terminal's, else the card's; nil if neither has it.
    public subscript(tag: Tag) -> [UInt8]? { terminal[tag] ?? card[tag] }

    /// The data objects of both in one collection.
    public var merged: DataElements { merged { _ in true } }

    /// The data objects of both without the tags that ``Redaction`` hides, such as PAN and track:
    /// for data that are shown, stored or passed on.
    public var shareable: DataElements { merged { !Redaction.sensitiveTags.contains($0) } }

    private func merged(where isSelected: (Tag) -> Bool) -> DataElements {
        var all = DataElements(minimumCapacity: 64, byteCount: 1024)
        for tag in terminal.tags where isSelected(tag) { all.set(tag, from: terminal) }
        for tag in card.tags where isSelected(tag) && !terminal.contains(tag) { all.set(tag, from: card) }
        return all
    }

    /// Removes all values, and overwrites them with zeros unless a copy still has them; the last
    /// copy overwrites them when it goes.
    public mutating func wipe() {
        terminal.wipe()
        card.wipe()
    }
}

extension DOL {
    /// The values that the list requests: the terminal's, else the card's (EMV 4.4 Book 3, 5.4).
    public func concatenate(_ data: TransactionData) -> [UInt8] { concatenate(data.terminal, otherwise: data.card) }
}
