import CardCryptography
import EMVKernel
import EMVReplay
import SmartCard
import TLV

/// The transaction in a log: the card's data, the terminal's values and the cryptograms.
struct LoggedTransaction {
    struct Cryptogram {
        let exchange: APDUTrace.Exchange
        /// Nil for a cryptogram in the answer to GET PROCESSING OPTIONS.
        let requested: CryptogramType?
        let sent: DataElements?
        /// Nil if the command failed or its answer cannot be read.
        let answer: LoggedCryptogram?
    }

    let conversation: LoggedConversation
    let card: DataElements
    let lists: LoggedLists
    /// Nil if the log does not show it.
    let interface: CardInterface?
    /// The format of the transaction log's records.
    let logFormat: DOL?
    let first: Cryptogram?
    let second: Cryptogram?
    /// The description of the terminal in the trace's head; nil if there is none.
    let terminal: TerminalConfiguration?

    init(_ trace: APDUTrace) {
        conversation = LoggedConversation(trace)
        card = conversation.cardData
        let lists = LoggedLists(card)
        self.lists = lists
        interface = conversation.interface(card)
        logFormat = conversation.logFormat(card)
        let cryptograms = conversation.cryptograms.prefix(2).enumerated().map { index, exchange in
            Cryptogram(
                exchange: exchange, requested: CryptogramType(rawValue: exchange.command.p1 & 0xC0),
                sent: lists.elements(exchange.command, isFirst: index == 0), answer: LoggedCryptogram(exchange.response)
            )
        }
        first =
            cryptograms.first { $0.answer != nil } ?? Self.recovered(conversation) ?? Self.contactless(
                conversation, lists)
            ?? cryptograms.first
        second = cryptograms.dropFirst().first
        terminal = (try? RecordedTerminal(trace))?.configuration
    }

    /// The answer to RECOVER AC is that of a GENERATE AC that was torn (EMV Contactless Book C-2,
    /// S9).
    private static func recovered(_ conversation: LoggedConversation) -> Cryptogram? {
        guard let exchange = conversation.exchange(.recoverAC), let answer = LoggedCryptogram(exchange.response) else {
            return nil
        }
        return Cryptogram(exchange: exchange, requested: nil, sent: nil, answer: answer)
    }

    /// Contactless cards return their only cryptogram with the processing options (EMV Contactless
    /// Book C-3, 5.4).
    private static func contactless(_ conversation: LoggedConversation, _ lists: LoggedLists) -> Cryptogram? {
        guard
            let options = conversation.exchanges.last(where: {
                $0.command.instruction == .getProcessingOptions && $0.response.data.first == 0x77
            }), let answer = LoggedCryptogram(options.response)
        else { return nil }
        return Cryptogram(
            exchange: options, requested: nil, sent: lists.elements(options.command, isFirst: true), answer: answer)
    }

    /// Mag-stripe mode: the card returned a code for its track (EMV Contactless Book C-2, S13 and
    /// S14).
    var hasChecksum: Bool { conversation.exchange(.computeCryptographicChecksum)?.response.status == .success }

    /// Mag-stripe mode of a contactless Visa card (MSD): its processing options are AIP and AFL
    /// alone (format 1), AIP byte 2 bit 8 is set, and it gives no cryptogram (Visa; EMV Contactless
    /// Book C-3, 5.4).
    var isVisaMagstripe: Bool {
        guard kernel == 3, first == nil, let profile = card[.applicationInterchangeProfile], profile.count == 2,
            profile[1] & 0x80 != 0,
            let options = conversation.exchange(.getProcessingOptions)?.response
        else { return false }
        return options.status == .success && options.data.first == 0x80
    }

    // MARK: Values

    /// The terminal's value for any list; the last value of a tag takes precedence.
    func sent(_ tag: Tag) -> [UInt8]? {
        let options = conversation.exchange(.getProcessingOptions).flatMap { lists.elements($0.command, isFirst: true) }
        return second?.sent?[tag] ?? first?.sent?[tag] ?? options?[tag]
    }

    var profile: ApplicationInterchangeProfile? {
        card[.applicationInterchangeProfile].flatMap(ApplicationInterchangeProfile.init)
    }
    var firstTVR: TerminalVerificationResults? {
        first?.sent?[.terminalVerificationResults].flatMap(TerminalVerificationResults.init)
    }
    var lastTVR: TerminalVerificationResults? {
        sent(.terminalVerificationResults).flatMap(TerminalVerificationResults.init)
    }
    var aid: [UInt8]? { card[.dfName] }
    /// The terminal action codes for the application; nil if they are not in the head.
    var terminalActionCodes: ActionCodes? {
        guard let aid, let applications = terminal?.applications else { return nil }
        return CandidateList.match(aid, in: applications).map { applications[$0].actionCodes }
    }
    var responseCode: String? { second?.sent?[.authorisationResponseCode].map(ValueDescription.printable) }

    /// Whether the terminal could not reach the issuer, according to the code that it set itself
    /// (EMV 4.4 Book 4, annex A6).
    var isUnableToGoOnline: Bool { responseCode == "Y3" || responseCode == "Z3" }

    var context: ValueContext {
        ValueContext(
            rid: aid.map { Array($0.prefix(5)) }, currency: sent(.transactionCurrencyCode).flatMap(Self.number),
            applicationCurrency: card.number(.applicationCurrencyCode),
            codeTable: card[.issuerCodeTableIndex]?.first.flatMap { CodeTable(index: $0) },
            issuerResponse: issuerResponse,
            interface: interface, kernel: interface == .contactless ? kernel : nil)
    }

    /// By the version in the issuer application data.
    private var issuerResponse: IssuerResponseMethod? {
        guard let data = first?.answer?.issuerApplicationData, let aid,
            let version = CryptogramVersion(rid: Array(aid.prefix(5)), issuerApplicationData: data)
        else { return nil }
        return version.responseMethod == .method1 ? .method1 : .method2
    }

    private static func number(_ value: [UInt8]) -> UInt64? {
        var elements = DataElements()
        elements.append(.transactionCurrencyCode, value)
        return elements.number(.transactionCurrencyCode)
    }

    /// Tag `9F6C` of a contactless card of Visa or UnionPay; nil without.
    var qualifiers: CardTransactionQualifiers? {
        guard kernel == 3 || kernel == 7 else { return nil }
        return card[.cardTransactionQualifiers].flatMap(CardTransactionQualifiers.init)
    }

    /// The kernel that Entry Point uses for the application if the directory specifies none (EMV
    /// Contactless Book B, 3.3.2.5), or kernel 8 if the card returned a key for its secure channel;
    /// nil for contact.
    var kernel: Int? {
        guard interface == .contactless, let aid else { return nil }
        if card.contains(.cardKeyData) { return 8 }
        return PaymentSystem.contactlessKernel(ofApplication: aid)
    }

    /// Payment system and label, as far as the card has them: `Visa "VISA CREDIT"`.
    var cardName: String {
        let system = aid.flatMap { PaymentSystem(rid: $0).name }
        let label = (card[.applicationLabel]).map { "“\(ValueDescription.printable($0))”" }
        return [system, label].compactMap { $0 }.joined(separator: " ")
    }
}
