public import PaymentTerminal

/// The electronic commerce indicator of an authentication (ECI), two characters.
public struct ECommerceIndicator: RawRepresentable, Sendable, Hashable, Codable {
    public let rawValue: String

    public init?(rawValue: String) {
        guard rawValue.utf8.count == 2, rawValue.utf8.allSatisfy({ (0x30...0x39).contains($0) || $0 == 0x4E }) else {
            return nil
        }
        self.rawValue = rawValue
    }

    /// What an indicator says.
    public enum Meaning: Sendable, Hashable {
        case authenticated
        case attempted
        case notAuthenticated
        /// Mastercard: data were shared, nothing was authenticated.
        case dataOnly
    }

    /// What it says for a brand: 02, 01, 00 and 04 are Mastercard's, 05, 06 and 07 those of the
    /// others. Nil for one that the brand does not have. Brands that have both by the card's second
    /// brand are not known here.
    public func meaning(_ brand: CardBrand) -> Meaning? {
        let isMastercard = brand == .mastercard || brand == .maestro
        return switch rawValue {
        case "02", "N2": isMastercard ? .authenticated : nil
        case "01": isMastercard ? .attempted : nil
        case "00", "N0": isMastercard ? .notAuthenticated : nil
        case "04": isMastercard ? .dataOnly : nil
        case "05": isMastercard ? nil : .authenticated
        case "06": isMastercard ? nil : .attempted
        case "07": isMastercard ? nil : .notAuthenticated
        default: nil
        }
    }
}
