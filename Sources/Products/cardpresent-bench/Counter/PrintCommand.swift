import ArgumentParser
import Console

struct PrintCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "print", abstract: "Print the receipt of a sale in a till's journal, and ask a printer how it is.",
        discussion: """
            EXAMPLES
              cardpresent print models
              cardpresent print status --printer tcp://192.0.2.7:9100 --profile epson-tm-m30iii
              cardpresent print receipt /var/lib/pos --key /etc/pos/journal.key --order sale-17 \
            --printer /dev/usb/lp0 --profile epson-tm-t20iii
              cardpresent print receipt /var/lib/pos --key /etc/pos/journal.key --order sale-17 \
            --simulate slip.png --profile star-mpop

            A printer on the network has no password and no encryption: whoever reaches its port \
            prints.

            \(ExitStatus.explanation)
            """,
        subcommands: [PrintReceiptCommand.self, PrintModelsCommand.self, PrintStatusCommand.self])
}
