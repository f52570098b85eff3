import Foundation
import PeerPrograms
import PrinterModels
import Printing
import Testing

/// The same slip printed by python-escpos and by this package: the simulated printer reads both
/// alike.
@Suite("python-escpos prints the same slip") struct EscposPeerTests {
    private struct Request: Encodable {
        struct Run: Encodable {
            let text: String
            let bold, wide, high, underline, inverse: Bool
        }
        let profile: String
        let lines: [[Run]]
        let qr: String?
    }

    /// Characters that the library has as well: its own tables are those of the profile.
    private static func isShared(_ character: Character, _ profile: PrinterProfile) -> Bool {
        character.isASCII && character != "?"
            || profile.codeTables.contains { $0.table.byte(for: character) != nil }
                && character.unicodeScalars.count == 1
    }

    @Test(
        arguments: [
            ("TM-T88V", "epson-tm-t88v"), ("TM-T20II", "epson-tm-t20iii"), ("TM-P80", "epson-tm-p80"),
        ])
    func slips(_ theirName: String, _ id: String) throws {
        let profile = try #require(PrinterProfile.named(id))
        var random = RandomSlips(seed: 88)
        let font = try Peer.font()
        for number in 0..<4 {
            var slip = Slip(random.lines(), columns: profile.fonts[0].columns)
            for (index, item) in slip.items.enumerated() {
                guard case .line(var line) = item else { continue }
                for run in line.runs.indices {
                    line.runs[run].characters = line.runs[run].characters.map { Self.isShared($0, profile) ? $0 : "x" }
                    if number % 4 == 1 { line.runs[run].style.insert(.underline) }
                    if number % 4 == 2 { line.runs[run].style.insert(.inverse) }
                }
                slip.items[index] = .line(line)
            }
            let text = "https://example.com/receipt/\(number)"
            slip.items.append(.qr(Array(text.utf8)))
            let request = Request(
                profile: theirName,
                lines: slip.lines.map { line in
                    line.runs.map { run in
                        Request.Run(
                            text: run.characters.map(String.init).joined(), bold: run.style.contains(.bold),
                            wide: run.style.contains(.doubleWidth), high: run.style.contains(.doubleHeight),
                            underline: run.style.contains(.underline), inverse: run.style.contains(.inverse))
                    }
                }, qr: text)
            let theirs = try PeerProgram.python(
                file: "escpos-slip.py", input: JSONEncoder().encode(request))
            var (their, our) = (SimulatedPrinter(profile), SimulatedPrinter(profile))
            _ = their.receive(try [UInt8](hexadecimal: theirs))
            _ = our.receive(profile.encode(slip, pictureFont: font).bytes)
            let count = slip.lines.count
            #expect(their.lines.prefix(count).map(\.places) == our.lines.map(\.places), "slip \(number)")
            #expect(their.items.contains(.qr(Array(text.utf8))))
            #expect(our.items.contains(.qr(Array(text.utf8))))
            #expect(their.items.last == .cut)
            #expect(our.items.last == .cut)
            #expect(their.strangeBytes == 0)
        }
    }
}

extension [UInt8] {
    /// Two digits a byte.
    init(hexadecimal text: String) throws {
        let digits = Array<Character>(text)
        self = try stride(from: 0, to: digits.count, by: 2).map {
            try #require(UInt8(String(digits[$0...($0 + 1)]), radix: 16))
        }
    }
}
