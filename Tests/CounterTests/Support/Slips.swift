import Foundation
import PaymentTerminal
import Peripherals
import Printing

func slip(_ profile: PrinterProfile) throws -> PrintedSlip {
    let font = try SlipFont(
        Array(Data(contentsOf: URL(filePath: "/usr/share/fonts/truetype/dejavu/DejaVuSansMono.ttf"))))
    let slip = Slip(
        [.merchant("Café Łódź"), .row("Card", "VISA **** 0119"), .amount("12.50 EUR"), .outcome("APPROVED")],
        columns: profile.fonts[0].columns, additions: Slip.Additions(footer: ["Thank you"]))
    return profile.encode(slip, pictureFont: font)
}

extension PrintJob.Limits {
    /// For printers that say nothing more: what is waited for does not come.
    static var short: PrintJob.Limits {
        var limits = PrintJob.Limits()
        limits.status = .milliseconds(300)
        limits.end = .milliseconds(300)
        limits.attention = .milliseconds(300)
        return limits
    }
}

extension PrinterStand {
    var address: PrinterAddress {
        switch way {
        case .network: .tcp(host: "127.0.0.1", port: port)
        case .serial: .serial(path: path, rate: 115_200)
        case .linePrinter: .linePrinter(path: path)
        }
    }
}
