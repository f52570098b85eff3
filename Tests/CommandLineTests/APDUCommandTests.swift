import Foundation
import Testing

/// `cardpresent apdu` with the names of cards and readers that `sale` takes.
@Suite(.timeLimit(.minutes(20))) struct APDUCommandTests {
    @Test("A virtual card answers at its contacts and in a field, a profile of a file too") func virtualCards()
        async throws
    {
        let file = Vectors.folder.appending(path: "cards/contactless/mastercard-offline.json").path(
            percentEncoded: false)
        let cases = [
            (["--card", "visa", "00A4040007A0000000031010"], "< 6F"),
            (["--card", "mastercard", "00A4040007A0000000041010"], "< 6F"),
            (["--card", "visa", "--tap", "00A404000E325041592E5359532E4444463031"], "4F07A0000000031010"),
            (["--card", file, "--tap", "00A4040007A0000000041010"], "4D415354455243415244"),
            (["--card", "visa", "00A404000E325041592E5359532E4444463031"], "< 6A82"),
        ]
        try await inWorkspace { place in
            for (arguments, words) in cases {
                let run = try await place.run(Executables.cardpresent, ["apdu"] + arguments)
                #expect(run.status == 0, "\(run.output)\(run.errors)")
                #expect(run.output.contains(words), "\(run.output)\(run.errors)")
                #expect(run.errors.isEmpty, "\(run.output)\(run.errors)")
            }
        }
    }

    /// PC/SC part 3, 3.2.2.1.3: four bytes, a random identifier.
    @Test("The field of a virtual card tells its identifier, contacts have none") func identifier() async throws {
        try await inWorkspace { place in
            let tapped = try await place.run("apdu", "--card", "visa", "--tap", "--show-card-data", "FFCA000000")
            #expect(tapped.output.contains(#/< 08[0-9A-F]{6}9000/#), "\(tapped.output)")
            let inserted = try await place.run("apdu", "--card", "visa", "FFCA000000")
            #expect(inserted.output.contains("< 6E00"), "\(inserted.output)")
        }
    }

    @Test("A card of kernel 8 gives CDOL1 without its channel, and nothing else") func kernel8() async throws {
        try await inWorkspace { place in
            let run = try await place.run(
                "apdu", "--card", "kernel-8", "--tap", "00A4040007F000000001000800", "00B2012C00", "00B2011400")
            let answers = run.output.split(separator: "\n").filter { $0.hasPrefix("< ") }
            try #require(answers.count == 3, "\(run.output)")
            #expect(answers[1].hasPrefix("< 701D8C1B9F0206"), "\(run.output)")
            #expect(answers[2] == "< 6985", "\(run.output)")
        }
    }

    @Test(
        "The names of readers are those of sale, and a name that does not fit is refused",
        arguments: [
            ("phoenix:/dev/cardpresent-none", "/dev/cardpresent-none not found"),
            ("gempc:/dev/cardpresent-none", "/dev/cardpresent-none not found"),
            ("pn532:/dev/cardpresent-none", "/dev/cardpresent-none not found"), ("pcsc:no such reader", "PC/SC"),
            ("keyboardwedge:/dev/cardpresent-none", "is no chip card reader"),
            ("no such reader", "chip card reader not found"),
        ]) func names(_ name: String, _ words: String) async throws
    {
        try await inWorkspace { place in
            let run = try await place.run("apdu", "--reader", name, "00A40400")
            #expect(run.status == 2, "\(run.output)\(run.errors)")
            #expect(run.output.isEmpty, "\(run.output)\(run.errors)")
            #expect(run.errors.contains(words), "\(run.output)\(run.errors)")
        }
    }

    @Test(
        "Options of a reader do not go with a virtual card",
        arguments: [
            ["--card", "visa", "--reader", "x"], ["--card", "visa", "--pcsc"], ["--card", "visa", "--slot", "2"],
            ["--tap"],
            ["--card", "nobody"],
        ]) func wrongUsage(_ arguments: [String]) async throws
    {
        try await inWorkspace { place in
            let run = try await place.run(Executables.cardpresent, ["apdu", "00A40400"] + arguments)
            #expect(run.status == 64)
        }
    }

    /// EMV 4.4 Book 2, 11.2.1: keys on curves are certificates.
    @Test(
        "card serve writes the keys of each card for a terminal",
        arguments: [
            (["--tap", "--card", "kernel-8"], ["Test\tF000000001\tE0\t03\t", "Test\t2000F000000001E110"]),
            (["--card", "xda-p521"], ["Test\t2000"]), (["--card", "visa"], ["Test\tA000000003\tE0\t03\t"]),
        ]) func keysOfServedCards(_ arguments: [String], _ lines: [String]) async throws
    {
        let named = arguments.map { name in
            name == "xda-p521" ? Vectors.folder.appending(path: "cards/\(name).json").path(percentEncoded: false) : name
        }
        try await inWorkspace { place in
            // Port 1 is tcpmux's, which nobody has: the file is written before a reader is looked
            // for.
            let run = try await place.run(
                Executables.cardpresent,
                [
                    "card", "serve", "--vpcd", "--vpcd-address", "127.0.0.1:1", "--wait", "0", "--ca-keys",
                    place.path("keys.tsv"),
                ] + named)
            #expect(run.complaint?.contains("connection refused") == true, "\(run.errors)")
            let written = try place.text("keys.tsv").split(separator: "\n").dropFirst()
            #expect(written.count == lines.count)
            for (line, beginning) in zip(written, lines) { #expect(line.hasPrefix(beginning), "\(line.prefix(40))") }
        }
    }
}
