import Bytes
public import CardCryptography
import PaymentTerminal

/// The issuer of the bench's test cards: checks cryptogram, counter and PIN of a card like an
/// issuer, and decides by the amount.
///
/// A decision is a value; the caller stores the counter for it.
public struct TestIssuer: Sendable {
    public let profiles: [IssuerProfile]
    /// Base derivation key of the PIN pads (TDES DUKPT), 16 bytes; nil if there are no online PINs.
    public let pinKey: TDESKey?
    public let scripts: ScriptPolicy

    public init(profiles: [IssuerProfile], pinKey: TDESKey? = nil, scripts: ScriptPolicy = .none) {
        self.profiles = profiles
        self.pinKey = pinKey
        self.scripts = scripts
    }
}

extension TestIssuer {
    struct Decision {
        var code: ResponseCode
        /// Tag `91`; nil without a correct ARQC.
        var issuerAuthenticationData: [UInt8]?
        /// Templates `71` and `72`.
        var scripts: [[UInt8]] = []
        /// The counter of a correct ARQC, which the caller must store.
        var acceptedCounter: UInt16?
        var checks = CardholderChecks()
        /// The explanation for the terminal, if the response code does not give the reason.
        var explanation: String?

        /// The counter of the cryptogram is not above that of the card's last correct one: the card
        /// was copied or reset.
        static let counterNotIncreased = Decision(
            code: .securityViolation, explanation: "SECURITY VIOLATION: THE CARD'S COUNTER DID NOT INCREASE")

        /// All of `amount`, or half of it in a partial approval.
        func authorizedAmount(of amount: Money) -> Money {
            code == .partiallyApproved ? Money(minorUnits: amount.minorUnits / 2, currency: amount.currency) : amount
        }
    }

    /// Decides about a card that was read.
    ///
    /// A wrong ARQC is declined with 88, one whose counter does not increase with 63; both without
    /// an ARPC. The PIN is checked next, the amount last: these declines have an ARPC, by which the
    /// card authenticates the issuer.
    ///
    /// - Parameters:
    ///   - limit: the response code of a limit that the payment exceeds; nil if it exceeds none.
    ///   - lastCounter: the counter of the card's last correct ARQC.
    func decide(
        _ examination: Examination, amount: Money, limit: ResponseCode? = nil, lastCounter: UInt16?
    ) throws(IssuerScriptError) -> Decision {
        let code = examination.pinFault ?? limit ?? ResponseCode(forAmount: amount.minorUnits)
        let exchange: CryptogramExchange
        switch examination.chip {
        case .absent: return Decision(code: code)
        case .unknownIssuer: return Decision(code: .noSuchIssuer)
        case .wrongCryptogram: return Decision(code: .cryptographicFailure)
        case .track(let trackCode):
            guard let counter = trackCode?.counter(after: lastCounter) else {
                return Decision(code: .cryptographicFailure)
            }
            return Decision(code: code, acceptedCounter: counter)
        case .rightCryptogram(let right): exchange = right
        }
        guard let answer = try? exchange.issuerAuthenticationData(for: code) else {
            return Decision(code: .cryptographicFailure)
        }
        guard lastCounter.map({ exchange.atc > $0 }) ?? true else { return .counterNotIncreased }
        let scripts = scripts.scripts(
            ScriptPolicy.Occasion(
                pan: examination.pan, amount: amount, transactionCounter: exchange.atc, approves: code.approves))
        return Decision(
            code: code, issuerAuthenticationData: answer, scripts: try exchange.encode(scripts),
            acceptedCounter: exchange.atc)
    }

    /// Decides about keyed card data.
    func decide(cvv: SecretBytes?, amount: Money, limit: ResponseCode? = nil) -> Decision {
        Decision(code: isRight(cvv) ? limit ?? ResponseCode(forAmount: amount.minorUnits) : .cvvFailure)
    }

    /// Decides about a refund or a capture, only by the amount.
    func decide(referenced amount: Money) -> Decision {
        let code = ResponseCode(forAmount: amount.minorUnits)
        return Decision(code: code == .partiallyApproved ? .approved : code)
    }

    /// The issuer's checks of the cardholder's data. A street or a postal code is correct unless
    /// all its digits are nines.
    func checks(cvv: SecretBytes?, address: BillingAddress?) -> CardholderChecks {
        CardholderChecks(
            address: address.map { address in
                switch (Self.isRight(address.street), Self.isRight(address.postalCode)) {
                case (true, true): "Y"
                case (true, false): "A"
                case (false, true): "Z"
                case (false, false): "N"
                }
            }, cvv: cvv.map { isRight($0) ? "M" : "N" })
    }

    private static func isRight(_ text: String) -> Bool {
        let digits = text.filter(\.isNumber)
        return !text.isEmpty && (digits.isEmpty || digits.contains { $0 != "9" })
    }

    /// The bench's cards have no CVV key: three or four digits are correct unless all are nines.
    /// Without a CVV there is nothing to check.
    func isRight(_ cvv: SecretBytes?) -> Bool {
        guard let cvv else { return true }
        return cvv.withBytes { digits in
            (3...4).contains(digits.count) && digits.indices.allSatisfy { (0x30...0x39).contains(digits[$0]) }
                && digits.indices.contains { digits[$0] != 0x39 }
        }
    }

    func profile(for pan: SecretBytes) -> IssuerProfile? {
        var digits = pan.revealed()
        defer { wipe(&digits) }
        return profiles.first { digits.starts(with: $0.leadingDigits.utf8) }
    }
}
