public import Bytes
public import CardCryptography
public import SmartCard

/// The device where the cardholder enters the PIN. An implementation never reveals the clear PIN:
/// the kernel receives only enciphered blocks and the card's answers.
public protocol PINPad: Sendable {
    /// Asks for a PIN and enciphers it for the host (ISO 9564-1; EMV 4.4 Book 3, 10.5.2).
    /// - Parameter pan: ASCII digits.
    func enterOnlinePIN(pan: SecretBytes, amount: UInt64, currencyCode: UInt16) async -> OnlinePINEntry

    /// Asks for a PIN and sends it to the card in its own VERIFY (EMV 4.4 Book 3, 6.5.12 and
    /// 10.5.1).
    /// - Parameters:
    ///   - form: The form of the PIN; an enciphered PIN needs a GET CHALLENGE first.
    ///   - triesLeft: As the card reported it; nil if it did not.
    func verifyOfflinePIN(
        _ form: OfflinePINForm, triesLeft: UInt8?, card: any CardChannel
    ) async throws(CardChannelError) -> OfflinePINEntry

    /// Why no cardholder's PIN may be entered here, as text; nil (the default) if PINs may be
    /// entered.
    var testOnlyReason: String? { get }
}

extension PINPad {
    public var testOnlyReason: String? { nil }
}

/// The form in which a PIN is sent to the card (EMV 4.4 Book 3, table 24).
public enum OfflinePINForm: Sendable {
    /// The PIN block alone, P2 `80`.
    case plaintext
    /// The PIN block with the card's challenge under this key, P2 `88` (EMV 4.4 Book 2, 7.2).
    case enciphered(RSAPublicKey)
    /// The PIN block with the card's challenge under keys from a key agreement with the card's
    /// elliptic curve key, P2 `8A` (EMV 4.4 Book 2, 13.2). All tries of a transaction use the same
    /// object.
    case encipheredByECC(ECPINEncipherment)
}

/// The result of a PIN entry for the issuer.
public enum OnlinePINEntry: Sendable {
    /// The enciphered PIN block and the serial number of its key.
    case entered(format: OnlinePIN.Format, pinBlock: [UInt8], ksn: [UInt8])
    /// The cardholder has no PIN to enter: the next rule of the CVM list may apply.
    case bypassed
    /// The PIN pad does not work.
    case failed
    /// The cardholder pressed cancel: the transaction ends.
    case cancelled
}

/// The result of a PIN entry for the card; a wrong PIN is reported by ``answered(_:)``.
public enum OfflinePINEntry: Sendable {
    /// The card's answer to VERIFY.
    case answered(StatusWord)
    /// GET CHALLENGE was refused, or answered with anything but 8 bytes: no PIN went to the card.
    case noChallenge
    /// The cardholder has no PIN to enter: the next rule of the CVM list may apply.
    case bypassed
    /// The PIN pad does not work.
    case failed
    /// The cardholder pressed cancel: the transaction ends.
    case cancelled
}
