internal import CardCryptography
internal import TLV

/// The state that a card loses without power.
struct CardSession {
    enum Selection: Equatable {
        case nothing
        case paymentSystemEnvironment
        /// An index of the profile's applications.
        case application(Int)
    }

    var selection = Selection.nothing
    /// Set by GET PROCESSING OPTIONS.
    var transaction: CardTransaction?
    /// From GET CHALLENGE, valid only for the next command (EMV 4.4 Book 3, 6.5.6). 8 bytes.
    var challenge: [UInt8]?
    /// The secure channel of kernel 8.
    var channel: BlindedChannel?
    /// Whether the terminal has announced WRITE DATA.
    var expectsWriting = false
    /// The record of a Visa card in mag-stripe mode, with the code of this transaction.
    var magstripeRecord: [UInt8]?
    /// Tag `9F69`, if the card signed at a contactless reader.
    var signedData: [UInt8]?
}

/// The card's state of one transaction.
struct CardTransaction {
    enum Phase { case begun, wantsIssuer, complete }

    let counter: UInt16
    var phase = Phase.begun
    /// The data that CDA signs: those of GET PROCESSING OPTIONS and GENERATE AC, concatenated (EMV
    /// 4.4 Book 2, 6.6.1).
    var received: [UInt8]
    /// The terminal's latest values by tag.
    var terminal = DataElements()
    /// The type of the first cryptogram, after it was computed.
    var firstCryptogram = CryptogramType.aac
    /// 8 bytes; the issuer's answer is checked against it.
    var arqc: [UInt8] = []
    var issuer = IssuerVerdict.notAuthenticated
    /// From the first cryptogram on, for the issuer's commands.
    var messaging: SecureMessaging?
    /// The terminal's entropy and the card's answer of each EXCHANGE RELAY RESISTANCE DATA, 14
    /// bytes; the last one is signed.
    var relayExchanges: [[UInt8]] = []
    /// DS summaries of the operator's slot: the one before GENERATE AC, then the one after it. They
    /// are signed.
    var storageSummaries: [UInt8] = []
    var pinDecipherment: ECPINDecipherment?
    var pinPerformed = false
    var pinFailed = false

    /// Stores the values that the terminal sent for a list.
    mutating func take(_ values: DataElements, _ data: [UInt8]) {
        received += data
        terminal.update(with: values)
    }
}
