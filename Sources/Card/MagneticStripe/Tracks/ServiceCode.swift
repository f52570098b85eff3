/// The service code of tracks 1 and 2: three digits that say where, how and for what a card may be
/// used (ISO/IEC 7813).
public struct ServiceCode: Sendable, Equatable {
    /// Three ASCII digits.
    public let digits: String

    /// Nil unless `digits` are three digits.
    public init?(_ digits: String) {
        guard digits.utf8.count == 3, digits.utf8.allSatisfy(isDigit) else { return nil }
        self.digits = digits
    }

    private func digit(_ index: Int) -> Int { Int(Array(digits.utf8)[index] - 0x30) }

    /// Where the card may be used; the first digit.
    public enum Interchange: Sendable, Equatable {
        case international
        /// In the country of the issuer only, unless two parties agree otherwise.
        case national
        /// Nowhere but where two parties agree.
        case byAgreementOnly
        case test
        case reserved
    }

    public var interchange: Interchange {
        switch digit(0) {
        case 1, 2: .international
        case 5, 6: .national
        case 7: .byAgreementOnly
        case 9: .test
        default: .reserved
        }
    }

    /// Whether the card has a chip, which must be used if possible; the first digit.
    public var hasChip: Bool { [2, 6].contains(digit(0)) }

    /// Who approves a transaction; the second digit.
    public enum Authorization: Sendable, Equatable {
        case normal
        /// The issuer, online.
        case online
        /// The issuer, online, unless two parties agree otherwise.
        case onlineExceptByAgreement
        case reserved
    }

    public var authorization: Authorization {
        switch digit(1) {
        case 0: .normal
        case 2: .online
        case 4: .onlineExceptByAgreement
        default: .reserved
        }
    }

    /// What the card may be used for; the third digit.
    public enum Services: Sendable, Equatable {
        case noRestrictions
        case goodsAndServices
        case atmOnly
        case cashOnly
        case reserved
    }

    public var services: Services {
        switch digit(2) {
        case 0, 1, 6: .noRestrictions
        case 2, 5, 7: .goodsAndServices
        case 3: .atmOnly
        case 4: .cashOnly
        default: .reserved
        }
    }

    /// Whether a PIN is asked for; the third digit.
    public enum PIN: Sendable, Equatable {
        case required
        /// If there is a PIN pad.
        case whereFeasible
        case notAskedFor
    }

    public var pin: PIN {
        switch digit(2) {
        case 0, 3, 5: .required
        case 6, 7: .whereFeasible
        default: .notAskedFor
        }
    }
}

extension ServiceCode: CustomStringConvertible {
    public var description: String { digits }
}
