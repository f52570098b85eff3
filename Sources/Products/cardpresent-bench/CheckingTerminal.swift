import Bytes
import CardCryptography
import CardInspection
import EMVKernel
import SmartCard
import TLV

/// The terminal for inspecting a card: it supports everything, but has no issuer.
struct CheckingTerminal {
    /// YYMMDD in format `n`.
    let date: [UInt8]
    let caKeys: [CAPublicKey]

    private static let amount: UInt64 = 100
    private static let time: [UInt8] = [0x12, 0x00, 0x00]

    /// For cards in a field: an online cryptogram is requested, so that nothing is approved.
    private static let qualifiers: TerminalTransactionQualifiers = [
        .emvMode, .contactChip, .onlinePIN, .signature, .dataAuthenticationForOnline, .onlineCryptogramRequired,
        .consumerDeviceCVM,
    ]

    /// The data for data object lists.
    var data: DataElements {
        let configuration = configuration([])
        var data = DataElements()
        data[.amountAuthorised] = BCD.encode(Self.amount, count: 6)
        data[.amountOther] = [0, 0, 0, 0, 0, 0]
        data[.terminalCountryCode] = BCD.encode(UInt64(configuration.countryCode), count: 2)
        data[.transactionCurrencyCode] = [0x09, 0x78]
        data[.transactionDate] = date
        data[.transactionTime] = Self.time
        data[.transactionType] = [0x00]
        data[.terminalType] = [configuration.type.rawValue]
        data[.terminalCapabilities] = configuration.capabilities.bytes
        data[.additionalTerminalCapabilities] = configuration.additionalCapabilities.bytes
        data[.unpredictableNumber] = SecureRandom.bytes(4)
        data[.terminalTransactionQualifiers] = Self.qualifiers.bytes
        return data
    }

    /// Performs a transaction with the first of the applications.
    func transact(_ card: any CardChannel, _ names: [[UInt8]]) async -> [CardFinding] {
        var events: [KernelEvent] = []
        let outcome = await ContactKernel(configuration(names)).perform(
            TransactionRequest(amount: Self.amount, currencyCode: 978, date: date, time: Self.time), card: card,
            cardholder: Nobody(),
            issuer: NoIssuer(), environment: Environment()
        ) { events.append($0) }
        return CardFinding.ofTransaction(events, outcome)
    }

    private func configuration(_ names: [[UInt8]]) -> TerminalConfiguration {
        TerminalConfiguration(
            capabilities: [.contactChip, .encipheredOnlinePIN, .signature, .noCVM, .sda, .dda, .cda, .xda],
            additionalCapabilities: [.goods, .services], countryCode: 276,
            applications: names.map { ApplicationConfiguration(aid: $0, versions: [0]) }, caKeys: caKeys)
    }

    private struct Nobody: Cardholder {
        var pinPad: (any PINPad)? { nil }
        func chooseApplication(_ candidates: [Candidate]) async -> Int? { 0 }
    }

    private struct NoIssuer: OnlineAuthorizer {
        func authorize(_ request: OnlineRequest) async -> OnlineAnswer { .unableToGoOnline }
    }

    private struct Environment: EMVEnvironment {
        func unpredictableNumber() -> [UInt8] { SecureRandom.bytes(4) }
        func randomPercentage() -> Int { 99 }
    }
}

/// The AIDs that payment systems have published for their applications, for cards without a
/// directory.
enum PaymentSystems {
    static let names: [[UInt8]] = [
        // Visa, Visa Electron, V PAY, Plus
        [0xA0, 0x00, 0x00, 0x00, 0x03, 0x10, 0x10], [0xA0, 0x00, 0x00, 0x00, 0x03, 0x20, 0x10],
        [0xA0, 0x00, 0x00, 0x00, 0x03, 0x20, 0x20],
        [0xA0, 0x00, 0x00, 0x00, 0x03, 0x80, 0x10],
        // Mastercard, Maestro, Cirrus
        [0xA0, 0x00, 0x00, 0x00, 0x04, 0x10, 0x10], [0xA0, 0x00, 0x00, 0x00, 0x04, 0x30, 0x60],
        [0xA0, 0x00, 0x00, 0x00, 0x04, 0x60, 0x00],
        // American Express, JCB, Discover and Diners, UnionPay, Interac
        [0xA0, 0x00, 0x00, 0x00, 0x25, 0x01], [0xA0, 0x00, 0x00, 0x00, 0x65, 0x10, 0x10],
        [0xA0, 0x00, 0x00, 0x01, 0x52, 0x30, 0x10],
        [0xA0, 0x00, 0x00, 0x03, 0x33, 0x01, 0x01], [0xA0, 0x00, 0x00, 0x02, 0x77, 0x10, 0x10],
        // Cartes Bancaires, girocard, Dankort, Bancontact
        [0xA0, 0x00, 0x00, 0x00, 0x42, 0x10, 0x10], [0xA0, 0x00, 0x00, 0x03, 0x59, 0x10, 0x10, 0x02, 0x80, 0x01],
        [0xA0, 0x00, 0x00, 0x01, 0x21, 0x10, 0x10], [0xD0, 0x56, 0x00, 0x06, 0x66, 0x11, 0x10, 0x10],
    ]
}
