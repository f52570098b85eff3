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
        abstract: "Sell with a virtual card, a card in a reader, or the token of a secure card.",
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
        if token != nil, bench.reader != nil || bench.namedCard != nil || tap || tapReader != nil {
            throw ValidationError(
                "a token is charged without a card: leave out --card, --reader, --tap and --tap-reader")
        }
        guard tapReader != nil else { return }
        if bench.reader == nil { throw ValidationError("--tap-reader requires a chip reader: give it with --reader") }
        if tap { throw ValidationError("--tap-reader waits for taps beside --reader: leave out --tap") }
    }

    func run() async throws {
        try await reportingErrors {
            let settings = try bench.terminalFile()
            let amount = try Money(typed: amount, in: settings?.terminal.currency ?? .euro)
            let source: Sale.Source = token.map { .secureCard(SecureCardReference($0)) } ?? .reader
            let secureCard = try register.map { SecureCard(merchantReference: try MerchantReference($0)) }
            let order = try OrderID(order ?? "sale-\(String(UInt64.random(in: 0...UInt64.max), radix: 36))")
            let log = try bench.laneLog()
            let lane = try await BenchLane(
                bench, settings: settings, interface: tap ? .contactless : .contact,
                tapPlace: try tapReader.map { try ReaderPlace($0, caKeys: nil) }, callsIssuer: true,
                languages: language.languages, log: log)
            let screen = tap || tapReader != nil ? TapScreen(languages: lane.languages) : nil
            let attendant = SaleAttendant(approvalCode: approvalCode, screen: screen)
            await lane.terminal.add(attendant, for: [.question])
            let response = try await lane.showing(on: screen) { terminal in
                try await terminal.processSale(
                    Sale(orderID: order, amount: amount, source: source, secureCard: secureCard))
            }
            if json {
                JSONText.show(TerminalMessage(.payment(response)).json)
            } else {
                print(response.receipt.text(for: .merchant))
                print(response.description)
                for (tag, value) in response.storedOnCard { print("Data storage \(tag) \(value)") }
                if let kept = response.secureCardReference { print("Token \(kept)") }
            }
            try log.finishTrace()
            if !response.isAccepted { throw ExitCode(ExitStatus.negative) }
        }
    }
}
