import Bytes
import Foundation
import Testing

/// A log with the number of another card than its own, in every place that a log has: no way of
/// showing it tells more of the number than six and four digits, and nothing of the log steers the
/// terminal.
@Suite(.timeLimit(.minutes(20))) struct ForeignCardTests {
    /// Published test numbers: one in values, one in words, one in what the terminal sends.
    private static let (inValues, inWords, sent) = ("5555555555554444", "4111111111111111", "6011111111111117")

    private static var log: String {
        func object(_ tag: String, _ value: String) -> String {
            let count = UInt8(truncatingIfNeeded: value.count / 2)
            return tag + (count < 0x80 ? "" : "81") + [count].hex + value
        }
        let ascii = inValues.utf8.map { [$0].hex }.joined()
        let list = object("8C", "9F0206DF5008")
        let records = [
            object("9F24", inValues + "00000000"), object("5F53", "DE12" + inValues),
            object("DF01", "F" + inValues + "F"),
            object("C1", "9999" + inValues + "123456"), object("9F7C", ascii), object("50", ascii),
            object("9F12", "20" + ascii + "20"),
            object("5F50", "2F" + ascii), list,
        ]
        let discretionary = object("BF0C", object("DF60", inValues))
        let selection = object("6F", object("84", "A0000000031010") + object("A5", object("50", ascii) + discretionary))
        let cryptogram = object(
            "77",
            object("9F27", "80") + object("9F36", "0001") + object("9F26", "1122334455667788")
                + object("9F10", inValues))
        return """
            # title: \u{1B}]0;x\u{07}\u{1B}[31mcard 4111.1111.1111.1111
            # note: 4111_1111_1111_1111, 4111-1111-1111-1111, 41 11 11 11 11 11 11 11, 9941111111111111112512
            # source: 4111 1111 1111 1111\u{1B}[2J
            > 00A4040007A000000003101000
            < \(selection)9000
            > 80A8000002830000
            < 80061C00080101009000
            > 00B2010C00
            < \(object("70", records.joined()))9000
            = Card action analysis: \u{1B}[32mAAC for 4111111111111111
            $ > sale with 4111.1111.1111.1111\u{1B}[0m
            $ < 4111_1111_1111_1111 refused
            ! 4111 1111 1111 1111 removed
            > 80AE80000E000000001000\(sent)00
            < \(cryptogram)9000

            """
    }

    private func leaks(_ text: String) -> [String] {
        let compact = text.uppercased().filter { $0.isHexDigit }
        return [Self.inValues, Self.inWords, Self.sent].filter { number in
            compact.contains(number) || compact.contains(number.utf8.map { [$0].hex }.joined())
        }
            + (text.unicodeScalars.contains { $0.value < 0x20 && $0 != "\n" || (0x7F...0x9F).contains($0.value) }
                ? ["a control character"] : [])
    }

    @Test func theHuntFindsThem() { #expect(leaks(Self.log).count == 4) }

    @Test(arguments: [
        ["explain", "log.apdu"], ["explain", "--json", "log.apdu"], ["explain", "--html", "page.html", "log.apdu"],
        ["explain", "--show-card-data", "--html", "page.html", "secret.apdu"],
        ["replay", "log.apdu"], ["replay", "--strict", "log.apdu"], ["replay", "--json", "log.apdu"],
        ["replay", "--explain", "log.apdu"],
        ["replay", "--strict", "logs"], ["replay", "--strict", "--json", "logs"],
        ["replay", "--junit", "junit.xml", "logs"],
        ["replay", "broken.apdu"], ["replay", "broken.apdu", "log.apdu"], ["explain", "broken.apdu"],
        ["convert", "broken.apdu"], ["convert", "--to", "pairs", "broken.apdu"],
    ])
    func nothingIsShown(_ arguments: [String]) async throws {
        try await inWorkspace { place in
            try FileManager.default.createDirectory(
                at: place.folder.appending(path: "logs"), withIntermediateDirectories: true)
            for name in ["log.apdu", "logs/a.apdu", "logs/b.apdu"] { _ = try place.file(name, Self.log) }
            _ = try place.file("broken.apdu", Self.log + "? \u{1B}[31m 4111.1111.1111.1111\n")
            // A number that no list of test cards has, with a right check digit.
            _ = try place.file("secret.apdu", Self.log + "$ < 4929123456789015\n")
            let run = try await place.run(Executables.cardpresent, arguments)
            #expect(!run.wasKilled)
            #expect(run.status != 64)
            #expect(!(run.output + run.errors).isEmpty)
            #expect(leaks(run.output).isEmpty, "\(leaks(run.output)) \(leaks(run.errors))")
            #expect(leaks(run.errors).isEmpty, "\(leaks(run.output)) \(leaks(run.errors))")
            for name in ["page.html", "junit.xml"] where arguments.contains(name) {
                #expect(leaks(try place.text(name)).isEmpty)
            }
        }
    }

    @Test func nothingIsConverted() async throws {
        try await inWorkspace { place in
            _ = try place.file("log.apdu", Self.log)
            let run = try await place.run("convert", "log.apdu")
            #expect(run.status == 0, "\(leaks(run.output))")
            #expect(leaks(run.output).allSatisfy { $0 == Self.sent }, "\(leaks(run.output))")
        }
    }
}
