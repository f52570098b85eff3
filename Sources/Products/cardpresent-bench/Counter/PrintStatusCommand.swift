import ArgumentParser
import Console
import Counter
import JSONDocument
import Peripherals
import Printing

struct PrintStatusCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status", abstract: "Ask a printer how it is.",
        discussion: "Many printers do not answer: that is no fault of theirs.\n\n\(ExitStatus.explanation)")

    @Option(
        help: ArgumentHelp(
            "tcp://HOST[:9100], a device such as /dev/usb/lp0, serial:/dev/ttyUSB0[,RATE], or bluetooth:ADDRESS[,CHANNEL].",
            valueName: "address"))
    var printer: PrinterChoice

    @OptionGroup var model: ProfileOptions

    @Flag(help: "As JSON.")
    var json = false

    func run() async throws {
        try await reportingErrors {
            let printer = try ReceiptPrinter(printer.value, profile: model.chosen())
            let identity = try await printer.identity()
            let status = try await printer.status()
            if json {
                JSONText.show([
                    "printer": .text(self.printer.value.description), "identity": identity.map { .text($0) },
                    "status": status.document,
                ])
            } else {
                if let identity { print(identity) }
                print(status.summary)
            }
            if let obstacle = status.obstacle {
                printError(obstacle.description)
                throw ExitCode(ExitStatus.negative)
            }
        }
    }
}

extension PrinterStatus {
    /// One line.
    var summary: String {
        let paper =
            switch paper {
            case .good: "paper in"
            case .nearEnd: "paper near its end"
            case .end: "out of paper"
            case nil: "paper not known"
            }
        return [
            isOffline == true ? "offline" : "online", paper, isCoverOpen == true ? "cover open" : "cover closed",
            drawerSwitch.map { "drawer switch \($0.rawValue)" },
        ].compactMap(\.self).joined(separator: ", ")
    }

    /// Without what the printer has not said.
    var document: JSON {
        let paper: String? =
            switch paper {
            case .good: "good"
            case .nearEnd: "nearEnd"
            case .end: "end"
            case nil: nil
            }
        return .object([
            "isOffline": isOffline.map { .flag($0) }, "isCoverOpen": isCoverOpen.map { .flag($0) },
            "paper": paper.map { .text($0) }, "drawerSwitch": drawerSwitch.map { .text($0.rawValue) },
            "faults": .list(faults.map(\.rawValue).sorted().map { .text($0) }),
            "obstacle": obstacle.map { .text($0.code) },
        ])
    }
}
