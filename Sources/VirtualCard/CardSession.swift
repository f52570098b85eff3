internal import CardCryptography
internal import TLV

/// What the card forgets when it loses power.
struct CardSession {
    enum Selection: Equatable {
        case nothing
        case paymentSystemEnvironment
        /// An index of the profile's applications.
        case application(Int)
    }

    var selection = Selection.nothing
    /// Begun by GET PROCESSING OPTIONS.
    var transaction: CardTransaction?
    /// From GET CHALLENGE, good for the next command only (EMV 4.4 Book 3, 6.5.6). 8 bytes.
    var challenge: [UInt8]?
    /// Of kernel 8.
    var channel: BlindedChannel?
    /// The terminal has said that WRITE DATA follows.
    var expectsWriting = false
    /// Tag `9F69`, where the card signed at a contactless reader.
    var signedData: [UInt8]?
}

/// One transaction as the card sees it.
struct CardTransaction {
    enum Phase { case begun, wantsIssuer, complete }

    let counter: UInt16
    var phase = Phase.begun
    /// What CDA signs: the data of GET PROCESSING OPTIONS and GENERATE AC, one after the other (EMV 4.4 Book 2, 6.6.1).
    var received: [UInt8]
    /// The terminal's values by tag, the latest counting.
    var terminal = DataElements()
    /// The first cryptogram, once it is made.
    var firstCryptogram = CryptogramType.aac
    /// 8 bytes, what the issuer's answer is checked against.
    var arqc: [UInt8] = []
    var issuer = IssuerVerdict.notAuthenticated
    /// From the first cryptogram on, for the issuer's commands.
    var messaging: SecureMessaging?
    /// The terminal's entropy and the card's answer of each EXCHANGE RELAY RESISTANCE DATA, 14 bytes; the last one is signed.
    var relayExchanges: [[UInt8]] = []
    var pinDecipherment: ECPINDecipherment?
    var pinPerformed = false
    var pinFailed = false

    /// Takes over the values that the terminal sent for a list.
    mutating func take(_ values: DataElements, _ data: [UInt8]) {
        received += data
        terminal.update(with: values)
    }
}
