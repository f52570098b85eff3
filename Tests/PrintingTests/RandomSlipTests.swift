import Foundation
import PrinterModels
import Printing
import Testing

/// Layout and encoders against a printer that is written from the makers' references.
@Suite("What was laid out is what the printer prints") struct RandomSlipTests {
    /// `tools/slips` sets it to 10,000.
    private static let count = ProcessInfo.processInfo.environment["CARDPRESENT_SLIPS"].flatMap { Int($0) } ?? 400

    @Test("Random slips: every character, in its place and style, in parts of any size") func slips() throws {
        var random = RandomSlips(seed: 41)
        let font = try Peer.font()
        var (substitutes, codes) = (0, 0)
        for number in 0..<Self.count {
            let (profile, fontIndex) = random.profile()
            let columns = profile.fonts[fontIndex].columns
            let slip = Slip(random.lines(), columns: columns, additions: random.additions())
            #expect(slip.lines.allSatisfy { $0.columns <= columns }, "slip \(number)")
            let printed = profile.encode(slip, fontIndex: fontIndex, pictureFont: font)
            var printer = SimulatedPrinter(profile)
            for part in random.parts(printed.bytes) { _ = printer.receive(part) }
            #expect(printer.strangeBytes == 0, "slip \(number)")
            #expect(printer.pulses.isEmpty, "slip \(number)")
            #expect(printer.buffered == 0, "slip \(number)")
            let expected = slip.lines.map { $0.places(on: profile) }
            // A printer without a knife, or whose code is a picture, is fed by empty lines.
            let got = printer.lines.prefix(expected.count).map(\.places)
            #expect(got == expected, "slip \(number) on \(profile.id)")
            #expect(printer.lines.dropFirst(expected.count).allSatisfy { $0.places.isEmpty }, "slip \(number)")
            let shown =
                expected.joined().count { $0.character == "?" } - slip.lines.flatMap(\.characters).count { $0 == "?" }
            #expect(
                printed.events.count { if case .substituted = $0 { true } else { false } } == shown, "slip \(number)")
            (substitutes, codes) = (
                substitutes + shown, codes + printer.items.count { if case .qr = $0 { true } else { false } }
            )
        }
        // The alphabets have characters that no printer knows, and some slips have codes.
        #expect(substitutes > Self.count)
        #expect(codes > Self.count / 100)
    }

    @Test("A slip as a picture is as wide as the paper, and nothing is cut off", arguments: PrinterProfile.known)
    func pictures(_ profile: PrinterProfile) throws {
        var random = RandomSlips(seed: 7)
        let font = try Peer.font()
        for _ in 0..<3 {
            let slip = Slip(random.lines(), columns: profile.fonts[0].columns)
            let picture = slip.picture(dots: profile.dots, font: font)
            #expect(picture.bitmap.width == profile.dots)
            #expect(picture.bitmap.height % 8 == 0)
        }
    }
}
