/// By which rules a card's answer to reset is judged, and how fast the card is spoken to.
public enum CardRules: Sendable {
    /// EMV's: an answer that they do not have is no payment card's, and the rate is the initial one unless the card insists.
    case emv
    /// ISO/IEC 7816-3 alone, at the initial rate unless the card insists.
    case iso
    /// The same, at the fastest rate that card and reader both can do.
    case isoAtFullSpeed
}
