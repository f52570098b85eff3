import ArgumentParser
import Console
import PaymentTerminal
import TerminalMessages

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
