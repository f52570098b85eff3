/// The rules for a card's answer to reset, and for its data rate.
public enum CardRules: Sendable {
    /// EMV: other answers to reset do not come from payment cards. The rate is the initial one
    /// unless the card requires another.
    case emv
    /// Only ISO/IEC 7816-3, at the initial rate unless the card requires another.
    case iso
    /// Only ISO/IEC 7816-3, at the fastest rate that card and reader both support.
    case isoAtFullSpeed
}
