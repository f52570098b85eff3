public import TLV

/// The data objects of a transaction, the terminal's apart from the card's.
///
/// Where both have a tag the terminal's counts, so that no record of a card can put an amount, a date or a result in the place of the terminal's own.
public struct TransactionData: Sendable {
    public internal(set) var terminal = DataElements(minimumCapacity: 48, byteCount: 256)
    public internal(set) var card = DataElements()

    public subscript(tag: Tag) -> [UInt8]? { terminal[tag] ?? card[tag] }

    public func contains(_ tag: Tag) -> Bool { terminal.contains(tag) || card.contains(tag) }

    /// All of it under one roof, for a host message or a receipt.
    public var merged: DataElements {
        var all = terminal
        for tag in card.tags where !terminal.contains(tag) { all[tag] = card[tag] }
        return all
    }

    mutating func wipe() {
        terminal.wipe()
        card.wipe()
    }
}

extension DOL {
    /// The values that the list asks for, the terminal's before the card's (EMV 4.4 Book 3, 5.4).
    public func concatenate(_ data: TransactionData) -> [UInt8] { concatenate(data.terminal, data.card) }
}
