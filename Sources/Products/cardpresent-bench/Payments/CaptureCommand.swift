import ArgumentParser
import Console
import PaymentTerminal
import TerminalFiles

struct CaptureCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "capture", abstract: "Charge an amount that a pre-authorization reserved.",
        discussion: """
            EXAMPLES
              cardpresent sale 50.00 --pre-authorization
              cardpresent capture 4711004711 42.50

            \(ExitStatus.explanation)
            """)

    @Argument(help: "The host's reference of the pre-authorization, which its answer named.")
    var transaction: String

    @Argument(help: "The amount: 42.50, 42 or \"42.50 EUR\".")
    var amount: String

    @Option(help: ArgumentHelp("The order id of the capture, unique. Default: generated.", valueName: "order"))
    var order: String?

    @Option(help: ArgumentHelp("The operator, for the merchant's records.", valueName: "name"))
    var `operator`: String?

    @Flag(help: "As JSON (docs/terminal-messages.md).")
    var json = false

    @OptionGroup var shop: ShopOptions

    func run() async throws {
        try await reportingErrors {
            let currency = try shop.terminalFile()?.terminal.currency ?? .euro
            let capture = FundsCapture(
                orderID: try order.map { try OrderID($0) } ?? .generated("capture"), original: transaction,
                amount: try Money(typed: amount, in: currency), operatorName: `operator`)
            try await shop.withTerminal { try (try await $0.capture(capture)).show(asJSON: json) }
        }
    }
}
