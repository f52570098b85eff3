public import SmartCard
public import TLV

/// The values that the terminal of a trace sent for the card's lists: in GET PROCESSING OPTIONS,
/// INTERNAL AUTHENTICATE and GENERATE AC.
public struct SentElements: Sendable {
    private let lists: LoggedLists
    private let firstCryptogramLine: Int?

    public init(_ trace: APDUTrace) {
        let conversation = LoggedConversation(trace)
        lists = LoggedLists(conversation.cardData)
        firstCryptogramLine = conversation.cryptograms.first?.line
    }

    /// The elements in the data of `exchange`'s command; nil if it sends none, or if their length
    /// does not match the card's list.
    public func elements(of exchange: APDUTrace.Exchange) -> DataElements? {
        lists.elements(exchange.command, isFirst: exchange.line == firstCryptogramLine)
    }
}
