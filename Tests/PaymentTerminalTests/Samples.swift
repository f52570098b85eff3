import Bytes
import CardCapture
import MagneticStripe
import PaymentDoubles
import PaymentTerminal
import TLV
import Testing

let noon = Timestamp(secondsSince1970: 1_773_057_909, utcOffset: 3600)

func terminal(
    _ host: FakeHost, reader: FakeReader? = nil, journal: any TransactionJournal = MemoryJournal(),
    secondsLater: Int64 = 0,
    configure: (inout Terminal.Configuration) -> Void = { _ in }
) async throws -> Terminal {
    var configuration = Terminal.Configuration(merchantName: "Corner Shop", terminalID: "BENCH001", currency: .euro)
    // What is open is recovered when a test says so, and never behind its back.
    configuration.limits.retry = .seconds(3600)
    configure(&configuration)
    let terminal = Terminal(configuration: configuration, host: host, journal: journal.reopened) {
        Timestamp(secondsSince1970: noon.secondsSince1970 + secondsLater, utcOffset: 3600)
    }
    if let reader { try await terminal.connect(reader) }
    return terminal
}

func euros(_ decimal: String) throws -> Money { try Money(parsing: decimal, in: .euro) }

func chipCard() -> CapturedCard {
    var elements = DataElements()
    elements[.dfName] = [0xA0, 0, 0, 0, 0x03, 0x10, 0x10]
    elements[.applicationLabel] = Array("VISA CREDIT".utf8)
    elements[.terminalVerificationResults] = [0x80, 0, 0x04, 0x80, 0]
    elements[.transactionStatusInformation] = [0x68, 0]
    elements[.applicationCryptogram] = [1, 2, 3, 4, 5, 6, 7, 8]
    elements[.cryptogramInformationData] = [0x40]
    elements[.authorisationResponseCode] = Array("00".utf8)
    elements[.cvmResults] = [0x1E, 0x03, 0x00]
    return CapturedCard(
        entryMode: .chip, pan: SecretBytes("4761739001010010".utf8), expiry: "3112", panSequenceNumber: 1,
        cardholderName: "CARDHOLDER/VISA", track2: SecretBytes("4761739001010010=31122010000".utf8),
        chip: ChipData(elements: elements))
}

func stripeCard() -> CapturedCard {
    CapturedCard(entryMode: .magneticStripe, pan: SecretBytes("4111111111111111".utf8), expiry: "3112")
}

/// A card whose reader keeps the number to itself.
func encipheredCard() -> CapturedCard {
    let tracks = EncryptedTracks(
        cipher: .tdes, keyUse: .dataVariant, ksn: [UInt8](repeating: 1, count: 10),
        ciphertexts: [.two: [UInt8](repeating: 2, count: 40)],
        masked: [.two: ";4111********1111=3112?"])
    return CapturedCard(entryMode: .magneticStripe, pan: nil, expiry: tracks.expiry, encryptedTracks: tracks)
}

func keyedCard() throws -> CardDetails {
    try CardDetails(
        pan: SecretBytes("5555555555554444".utf8), expiry: #require(ExpiryDate(mmyy: "1231")),
        cardholderName: "JANE DOE")
}

/// Never returns, whoever cancels it.
func hang() async {
    await unsafe withUnsafeContinuation { (_: UnsafeContinuation<Void, Never>) in }
}
