import ArgumentParser
import Console
import PaymentTerminal
import TerminalFiles

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
                orderID: try order.map { try OrderID($0) } ?? .generated("refund"), amount: amount, target: target,
                operatorName: `operator`, reason: reason)
            if transaction != nil || token != nil {
                try await bench.shop.withTerminal { try (try await $0.processRefund(refund)).show(asJSON: json) }
                return
            }
            let log = try bench.laneLog()
            let lane = try await BenchLane(bench, settings: settings, log: log)
            let response = try await lane.withTerminal { try await $0.processRefund(refund) }
            try log.finishTrace()
            try response.show(asJSON: json)
        }
    }

}
