import ArgumentParser
import Console
import PaymentTerminal
import Receipts
import TerminalFiles
import TerminalMessages

struct RefundCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "refund",
        abstract: "Refund an earlier sale by the host's reference, or pay to a card or a token.",
        discussion: """
            EXAMPLES
              cardpresent refund 5.00 --transaction 4711004711
              cardpresent refund 5.00 --token 2967531234567890
              cardpresent refund 5.00 --card mastercard

            The exit status is 0 if the refund was approved, and 1 if not.

            \(ExitStatus.explanation)
            """)

    @Argument(help: "The amount: 5.00, 5 or \"5.00 EUR\".")
    var amount: String

    @Option(help: ArgumentHelp("The host's reference of the sale, which its answer named.", valueName: "reference"))
    var transaction: String?

    @Option(help: "Pay to the secure card of this token.")
    var token: String?

    @Option(help: ArgumentHelp("The order id of the refund, unique. Default: generated.", valueName: "order"))
    var order: String?

    @Option(help: ArgumentHelp("The operator, for the merchant's records.", valueName: "name"))
    var `operator`: String?

    @Option(help: ArgumentHelp("The reason, for the merchant's records and the host.", valueName: "text"))
    var reason: String?

    @Flag(help: "As JSON (docs/terminal-messages.md).")
    var json = false

    @OptionGroup var bench: BenchOptions

    func validate() throws {
        if transaction != nil, token != nil {
            throw ValidationError("--transaction and --token name two targets: leave out one")
        }
        if transaction != nil || token != nil, !bench.namesNoCard {
            throw ValidationError("no card is read for it: leave out --card, --reader and --trace")
        }
    }

    func run() async throws {
        try await reportingErrors {
            let settings = try bench.shop.terminalFile()
            let amount = try Money(typed: amount, in: settings?.terminal.currency ?? .euro)
            let target: Refund.Target =
                transaction.map { .transaction($0) }
                ?? .card(token.map { .secureCard(SecureCardReference($0)) } ?? .reader)
            let refund = Refund(
                orderID: try OrderID(order ?? .generated("refund")), amount: amount, target: target,
                operatorName: `operator`, reason: reason)
            if transaction != nil || token != nil {
                try await bench.shop.withTerminal { try show(try await $0.processRefund(refund)) }
                return
            }
            let log = try bench.laneLog()
            let lane = try await BenchLane(bench, settings: settings, log: log)
            let response = try await lane.terminal.processRefund(refund)
            await lane.finish()
            try log.finishTrace()
            try show(response)
        }
    }

    private func show(_ response: PaymentResponse) throws { try response.show(asJSON: json) }
}

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
                orderID: try OrderID(order ?? .generated("capture")), original: transaction,
                amount: try Money(typed: amount, in: currency), operatorName: `operator`)
            try await shop.withTerminal { try (try await $0.capture(capture)).show(asJSON: json) }
        }
    }
}

struct ReverseCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "reverse", abstract: "Undo a payment of this terminal, before its batch is closed.",
        discussion: """
            EXAMPLES
              cardpresent reverse sale-17

            What the host does not undo any more can be refunded. The exit status is 0 if nothing is charged.

            \(ExitStatus.explanation)
            """)

    @Argument(help: "The order id of the payment.")
    var order: String

    @Flag(help: "As JSON (docs/terminal-messages.md).")
    var json = false

    @OptionGroup var shop: ShopOptions

    func run() async throws {
        try await reportingErrors {
            let order = try OrderID(order)
            try await shop.withTerminal { terminal in
                let response = try await terminal.reverse(order)
                if json { JSONText.show(TerminalMessage(.payment(response)).json) } else { print(response.description) }
                if response.reversal == .pending { throw ExitCode(ExitStatus.negative) }
            }
        }
    }
}

extension PaymentResponse {
    /// - Throws: The exit status, unless the merchant has what he asked for.
    fileprivate func show(asJSON: Bool) throws {
        if asJSON {
            JSONText.show(TerminalMessage(.payment(self)).json)
        } else {
            print(receipt.text(for: .merchant))
            if let uniqueReference { print("Reference \(uniqueReference)") }
            print(description)
        }
        if !isAccepted { throw ExitCode(ExitStatus.negative) }
    }
}
