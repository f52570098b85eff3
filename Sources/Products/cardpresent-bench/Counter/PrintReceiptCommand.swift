import ArgumentParser
import Bytes
import Console
import Counter
import JSONDocument
import PaymentTerminal
import Peripherals
import PrinterModels
import Printing
import TerminalJournal

struct PrintReceiptCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "receipt", abstract: "Print the receipt of an order in a journal, once.",
        discussion: """
            The exit status is 0 when the printer has said that it printed everything, 3 when it cannot \
            say so, 1 when it stopped in the middle, 2 when nothing was printed. Nothing is printed a \
            second time by itself: look at the printer first.

            \(ExitStatus.explanation)
            """)

    @OptionGroup var journal: JournalPlace

    @Option(help: ArgumentHelp("The order whose receipt is printed.", valueName: "order"))
    var order: String

    @Option(help: "Whose copy: cardholder, merchant or both. Default: cardholder.")
    var copy = CopyChoice.cardholder

    @Option(
        help: ArgumentHelp(
            "tcp://HOST[:9100], a device such as /dev/usb/lp0, serial:/dev/ttyUSB0[,RATE], or bluetooth:ADDRESS[,CHANNEL].",
            valueName: "address"))
    var printer: PrinterChoice?

    @Option(
        help: ArgumentHelp("Print on a simulated printer, and write its paper to this file, PNG.", valueName: "file"),
        completion: .file(extensions: ["png"]))
    var simulate: String?

    @OptionGroup var model: ProfileOptions

    @Option(help: ArgumentHelp("A line below the merchant's name; may be repeated.", valueName: "text"))
    var header: [String] = []

    @Option(help: ArgumentHelp("A line at the end; may be repeated.", valueName: "text"))
    var footer: [String] = []

    @Option(help: ArgumentHelp("The text of a QR code.", valueName: "text"))
    var qr: String?

    @Flag(help: "Say on the slip that it was printed before.")
    var reprint = false

    @Option(
        help: ArgumentHelp(
            "The font of pictures, a file of TrueType. Default: DejaVu Sans Mono.", valueName: "file"),
        completion: .file(extensions: ["ttf", "otf"]))
    var font: String?

    @Flag(help: "As JSON.")
    var json = false

    func validate() throws {
        if (printer == nil) == (simulate == nil) { throw ValidationError("give either --printer or --simulate") }
    }

    func run() async throws {
        try await reportingErrors {
            let profile = try model.chosen()
            guard let entry = try await journal.open().entry(for: try OrderID(order)) else {
                printError("order \(order) not found in the journal".onOneLine())
                throw ExitCode(ExitStatus.failure)
            }
            guard let receipt = entry.response?.receipt else {
                printError("order \(order) has no receipt yet: its outcome is open".onOneLine())
                throw ExitCode(ExitStatus.failure)
            }
            try await print(receipt, profile)
        }
    }

    private func print(_ receipt: Receipt, _ profile: PrinterProfile) async throws {
        let needsFont = simulate != nil || profile.language == .starRaster || font != nil
        let font = needsFont ? try PictureFont.file(font) : nil
        let additions = Slip.Additions(header: header, footer: footer, qr: qr, isReprint: reprint)
        var results: [PrintResult] = []
        var simulated = SimulatedPrinter(profile)
        for copy in copy.copies {
            let slip = Slip(receipt, for: copy, columns: profile.fonts[0].columns, additions: additions)
            let printed = profile.encode(slip, pictureFont: font)
            var job = PrintResult(copy: copy, events: printed.events)
            let number = UInt16.random(in: 0...UInt16.max)
            if let printer {
                let report = try await ReceiptPrinter(printer.value, profile: profile).print(printed, number: number)
                job.take(report.outcome, report.status, report.cause)
            } else {
                let report = simulated.print(printed, number: number)
                job.take(report.outcome, report.status, nil)
            }
            results.append(job)
            // The second copy would come out of a printer that nobody has looked at.
            if case .notPrinted = job.outcome { break }
            if case .notKnown(.some) = job.outcome { break }
        }
        if let simulate, let font { try OutputFile.replace(simulate, with: simulated.picture(font: font).png) }
        try show(results, profile)
    }

    private func show(_ results: [PrintResult], _ profile: PrinterProfile) throws {
        if json {
            JSONText.show([
                "printer": .text(printer?.value.description ?? "simulated"), "profile": .text(profile.id),
                "copies": .list(results.map(\.document)),
            ])
        }
        for result in results {
            for event in result.events { printError("\(result.copyName) copy, \(event)") }
            if !json { Swift.print("\(result.copyName) copy: \(result.summary)") }
        }
        let worst = results.map(\.exitStatus).max { PrintResult.rank($0) < PrintResult.rank($1) }
        if let worst, worst != ExitStatus.success { throw ExitCode(worst) }
    }
}

/// For --copy.
enum CopyChoice: String, ExpressibleByArgument, CaseIterable {
    case cardholder, merchant, both

    var copies: [Receipt.Copy] {
        switch self {
        case .cardholder: [.cardholder]
        case .merchant: [.merchant]
        case .both: [.merchant, .cardholder]
        }
    }
}
