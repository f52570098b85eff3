import ArgumentParser
import Console
import PaymentTerminal
import Receipts
import TLV
import TerminalFiles
import TerminalMessages

struct SaleCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sale",
        abstract: "Sell with a virtual card, a card in a reader, keyed card data, or the token of a secure card.",
        discussion: """
            EXAMPLES
              cardpresent sale 12.34
              cardpresent sale 12.34 --card mastercard --trace sale.apdu
              cardpresent sale 12.34 --reader /dev/bus/usb/001/002 --ca-keys ca-keys.tsv
              cardpresent sale 12.34 --card Vectors/cards/maestro.json
              cardpresent sale 12.34 --tap --card Vectors/cards/contactless/visa-phone.json
              cardpresent sale 12.34 --tap --reader ACR122U --card visa.json --ca-keys ca-keys.tsv
              cardpresent sale 12.34 --tap --reader pn532:/dev/ttyUSB0
              cardpresent sale 12.34 --tap --language de --language en
              cardpresent sale 12.34 --tap --card mastercard --terminal terminal.json
              cardpresent sale 12.34 --reader Gemalto --tap-reader ACR122U --ca-keys ca-keys.tsv
              cardpresent sale 5.00 --token 2967531234567890
              cardpresent sale 20.00 --register customer-17
              cardpresent sale 10.02 --approval-code 123456
              cardpresent sale 12.34 --reader Gemalto --gateway https://gateway.example/merchant --api-key-file gateway.key \
                --terminal terminal.json --journal /var/lib/pos --journal-key journal.key
              cardpresent sale 12.34 --keyed

            The last two digits of the amount make the test issuer decline: 05 do not honour, 51 insufficient funds. \
            With 02 it refers the sale: --approval-code is the code that it gives on the telephone. Without the option, \
            the command asks for the code if standard input is a terminal, and declines the sale otherwise.

            A tap shows on standard error what the cardholder sees at the reader: four lights, the text, and the tones as \
            the terminal's bell. If standard error is not a terminal, each message is a line.

            The exit status is 0 if the whole amount was approved, by the issuer or offline, and 1 if a part of it was, or nothing.

            \(ExitStatus.explanation)
            """)

    @Argument(help: "The amount: 12.34, 10 or \"12.34 EUR\".")
    var amount: String

    @Option(help: "Charge the secure card of this token instead of reading a card.")
    var token: String?

    @Flag(
        help: ArgumentHelp(
            "Charge a card by its data, which are read from standard input, a line each: the number, the expiry date MMYY, and the CVV, which may be left out. They are in no argument: others could read it."
        ))
    var keyed = false

    @Flag(help: "Only reserve the amount: cardpresent capture charges it.")
    var preAuthorization = false

    @Flag(help: "Charge it, although the same card may just have paid the same amount.")
    var allowDuplicate = false

    @Option(help: ArgumentHelp("Also register the card, under this merchant reference.", valueName: "reference"))
    var register: String?

    @Option(help: ArgumentHelp("The order id, unique for each sale. Default: generated.", valueName: "order"))
    var order: String?

    @Option(
        help: ArgumentHelp(
            "The code that the issuer gives on the telephone if it refers the sale: six letters or digits, not 000000.",
            valueName: "code"))
    var approvalCode: String?

    @Flag(
        help: "The card is held to a contactless reader: the virtual one to a virtual reader, or the one at --reader.")
    var tap = false

    @Option(
        help: ArgumentHelp(
            "A contactless reader beside the contacts of --reader: the card may be tapped or inserted, and the first one counts.",
            valueName: "reader"))
    var tapReader: String?

    @Flag(help: "As JSON (docs/json.md).")
    var json = false

    @OptionGroup var language: LanguageOptions
    @OptionGroup var bench: BenchOptions

    func validate() throws {
        if let approvalCode, !SaleAttendant.isApprovalCode(approvalCode) {
            throw ValidationError("--approval-code has six letters or digits")
        }
        if token != nil, keyed { throw ValidationError("--token and --keyed name two cards: leave out one") }
        if token != nil || keyed, !bench.namesNoCard || tap || tapReader != nil || !language.languages.isEmpty {
            throw ValidationError(
                "\(keyed ? "keyed data are charged" : "a token is charged") without a card: leave out --card, --reader, --trace, --tap, --tap-reader and --language"
            )
        }
        guard tapReader != nil else { return }
        if bench.reader == nil { throw ValidationError("--tap-reader requires a chip reader: give it with --reader") }
        if tap { throw ValidationError("--tap-reader waits for taps beside --reader: leave out --tap") }
    }

    func run() async throws {
        try await reportingErrors {
            let settings = try bench.shop.terminalFile()
            let amount = try Money(typed: amount, in: settings?.terminal.currency ?? .euro)
            let secureCard = try register.map { SecureCard(merchantReference: try MerchantReference($0)) }
            let order = try order.map { try OrderID($0) } ?? .generated("sale")
            func sale(_ source: Sale.Source) -> Sale {
                Sale(
                    orderID: order, amount: amount, source: source, isPreAuthorization: preAuthorization,
                    terms: PaymentTerms(duplicateCheck: allowDuplicate ? .off : .whereSupported),
                    secureCard: secureCard)
            }
            if token != nil || keyed {
                let source: Sale.Source =
                    try token.map { .secureCard(SecureCardReference($0)) } ?? KeyedCard.read().source
                try await bench.shop.withTerminal(callsIssuer: true) { terminal in
                    await terminal.add(SaleAttendant(approvalCode: approvalCode), for: [.question])
                    try (try await terminal.processSale(sale(source))).show(asJSON: json)
                }
                return
            }
            let log = try bench.laneLog()
            let lane = try await BenchLane(
                bench, settings: settings, interface: tap ? .contactless : .contact,
                tapPlace: try tapReader.map { try ReaderPlace($0, caKeys: nil) }, callsIssuer: true,
                languages: language.languages, log: log)
            let screen = tap || tapReader != nil ? TapScreen(languages: lane.languages) : nil
            let attendant = SaleAttendant(approvalCode: approvalCode, screen: screen)
            await lane.terminal.add(attendant, for: [.question])
            let response = try await lane.showing(on: screen) { terminal in
                try await terminal.processSale(sale(.reader))
            }
            try log.finishTrace()
            try response.show(asJSON: json)
        }
    }
}
