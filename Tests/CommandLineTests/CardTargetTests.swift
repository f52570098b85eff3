import Foundation
import Glibc
import ReaderDoubles
import Testing

/// `cardpresent card serve --target`: a PN532 on a pseudoterminal plays the card; another one on
/// another pseudoterminal is the reader of a terminal, in whose field the first one is.
@Suite("A virtual card at a terminal, by a PN532", .timeLimit(.minutes(20))) struct CardTargetTests {
    private let chip = EmulatedPN532Target()

    /// Serves while `body` runs, which gets the number of the process; then the process ends by a
    /// signal.
    private func serving(
        _ place: Workspace, _ arguments: [String], by signal: Int32 = SIGINT, _ body: (Int32) async throws -> Void
    ) async throws {
        let line = try PseudoTerminalLine { [chip] in chip.live($0) }
        _ = try place.file("said", "")
        // The pipe is open for writing too, so that it never ends.
        async let served = place.run(
            "/bin/sh",
            [
                "-c", "mkfifo hand; echo $$ > pid; exec \"$@\" 0<>hand >said 2>&1", "sh", Executables.cardpresent,
                "card", "serve",
                "--target", "pn532:\(line.path)",
            ] + arguments)
        try await until { chip.isArmed }
        let process = try #require(Int32(try place.text("pid").filter(\.isNumber)))
        try await body(process)
        kill(process, signal)
        let run = try await served
        let said = try place.text("said")
        #expect(run.wasKilled, "\(run.status) \(said)")
        #expect(run.status == signal, "\(run.status) \(said)")
        // InRelease ends the emulation.
        #expect(!chip.isArmed)
        #expect(chip.commands.suffix(2) == [[0x52, 0x00], [0x12, 0x00]])
        #expect(Canary.hunt(said) == [])
    }

    private func until(_ condition: () throws -> Bool) async throws {
        for _ in 0..<1200 {
            if try condition() { return }
            try await Task.sleep(for: .milliseconds(50))
        }
        throw TooSlow(description: "the chip does not come to it")
    }

    private func say(_ word: String, _ place: Workspace) throws {
        let hand = try FileHandle(forWritingTo: URL(filePath: place.path("hand")))
        try hand.write(contentsOf: Data("\(word)\n".utf8))
        try hand.close()
    }

    @Test("a terminal of another process sells to the card online, tap after tap")
    func sales() async throws {
        let terminal = EmulatedPN53x([EmulatedContactlessCard(playedBy: chip)])
        let reader = try PseudoTerminalLine { terminal.live($0) }
        try await inWorkspace { place in
            try await serving(place, ["--card", "visa", "--ca-keys", place.path("keys.tsv")]) { _ in
                for _ in 0..<2 {
                    let sale = try await place.run(
                        "sale", "30.00", "--tap", "--reader", "pn532:\(reader.path)", "--ca-keys",
                        place.path("keys.tsv"), "--vault",
                        place.path("vault"))
                    #expect(sale.status == 0, "\(sale.output) \(sale.errors)")
                    #expect(sale.output.hasSuffix("\nAPPROVAL\n"), "\(sale.output) \(sale.errors)")
                    #expect(sale.output.contains("Contactless"), "\(sale.output)")
                    #expect(sale.output.contains("**** 0119"), "\(sale.output)")
                    try await until { chip.isArmed }
                }
                let said = try place.text("said").split(separator: "\n").map(String.init)
                #expect(said.count { $0 == "a terminal has activated the card" } >= 2, "\(said)")
                #expect(said.contains { $0.hasPrefix("the terminal released the card after ") }, "\(said)")
            }
        }
    }

    /// Fast DDA and the certificates behind it are verified by `card check`; a sale goes online.
    @Test("with an authority that is kept, the CA keys of one start authenticate the card of the next")
    func keptAuthority() async throws {
        let terminal = EmulatedPN53x([EmulatedContactlessCard(playedBy: chip)])
        let reader = try PseudoTerminalLine { terminal.live($0) }
        try await inWorkspace { place in
            let (authority, keys) = (
                ["--card", "visa", "--authority", place.path("authority.pem")], place.path("keys.tsv")
            )
            try await serving(place, authority + ["--ca-keys", keys]) { _ in }
            let check = ["card", "check", "--tap", "--reader", "pn532:\(reader.path)", "--ca-keys", keys]
            for (arguments, isKnown) in [(authority, true), (["--card", "visa"], false)] {
                try FileManager.default.removeItem(atPath: place.path("hand"))
                try await serving(place, arguments) { _ in
                    let checked = try await place.run(Executables.cardpresent, check)
                    #expect(checked.output.contains("no findings") == isKnown, "\(checked.output) \(checked.errors)")
                    try await until { chip.isArmed }
                    guard isKnown else { return }
                    let sale = try await place.run(
                        "sale", "30.00", "--tap", "--reader", "pn532:\(reader.path)", "--ca-keys", keys, "--vault",
                        place.path("vault"))
                    #expect(sale.status == 0, "\(sale.output) \(sale.errors)")
                    #expect(sale.output.hasSuffix("\nAPPROVAL\n"), "\(sale.output) \(sale.errors)")
                    try await until { chip.isArmed }
                }
            }
        }
    }

    /// PC/SC part 3, 3.2.2.1.3: the reader answers for the card that it has met. What comes through
    /// the air in spite of that is the card's to refuse.
    @Test("a terminal's reader tells identifier and historical bytes of the card, and the card itself does not")
    func identifier()
        async throws
    {
        let terminal = EmulatedPN53x([EmulatedContactlessCard(playedBy: chip)])
        let reader = try PseudoTerminalLine { terminal.live($0) }
        try await inWorkspace { place in
            try await serving(place, ["--card", "visa"]) { _ in
                let asked = try await place.run(
                    "apdu", "--reader", "pn532:\(reader.path)", "--show-card-data", "FFCA000000", "FFCA010000")
                #expect(asked.status == 0, "\(asked.errors)")
                let answers = asked.output.split(separator: "\n").filter { $0.hasPrefix("< ") }
                #expect(answers == ["< 080102009000", "< 43505643319000"], "\(asked.output)")
                try await until { chip.isArmed }
                #expect(chip.activate())
                let answer = await withCheckedContinuation { continuation in
                    Thread.detachNewThread { [chip] in
                        continuation.resume(returning: chip.exchange([0xFF, 0xCA, 0x00, 0x00, 0x00]))
                    }
                }
                #expect(answer == [0x6E, 0x00])
            }
        }
    }

    @Test("removed and inserted by hand, and by its profile", arguments: [SIGTERM, SIGHUP]) func removal(
        _ signal: Int32
    ) async throws {
        try await inWorkspace { place in
            let text = try String(
                contentsOf: Vectors.folder.appending(path: "cards/contactless/visa-phone.json"), encoding: .utf8)
            let fault = #"{ "faults": [{"fault": "removal", "command": "select", "occurrence": 1}],"#
            let card = try place.file("card.json", text.replacing("{", with: fault, maxReplacements: 1))
            try await serving(place, ["--card", card], by: signal) { _ in
                try say("remove", place)
                try await until { !chip.isArmed }
                try say("insert", place)
                try await until { chip.isArmed }
                #expect(chip.activate())
                let answer = await withCheckedContinuation { continuation in
                    Thread.detachNewThread { [chip] in
                        continuation.resume(returning: chip.exchange([0x00, 0xA4, 0x04, 0x00, 0x00]))
                    }
                }
                #expect(answer == nil)
                try await until { try place.text("said").contains("the card is removed, as its profile says") }
                #expect(!chip.isArmed)
                try say("insert", place)
                try await until { chip.isArmed }
            }
            let said = try place.text("said")
            #expect(said.contains("the card is removed\n"))
        }
    }

    @Test("a chip that is not there, or is another one, ends the command with a cure") func absent() async throws {
        try await inWorkspace { place in
            let nowhere = try await place.run(
                "card", "serve", "--target", "/dev/cardpresent-no-such-port", "--wait", "0")
            #expect(nowhere.status == 2, "\(nowhere.output)")
            #expect(nowhere.output.isEmpty, "\(nowhere.output)")
            #expect(nowhere.complaint?.contains("/dev/cardpresent-no-such-port not found") == true, "\(nowhere.errors)")
            let other = EmulatedPN532Target(code: 0x33)
            let line = try PseudoTerminalLine { other.live($0) }
            let run = try await place.run("card", "serve", "--target", line.path)
            #expect(run.status == 2, "\(run.errors)")
            #expect(run.complaint?.contains("connect a PN532, not a PN533") == true, "\(run.errors)")
            let contacts = Vectors.folder.appending(path: "cards/visa-credit.json").path(percentEncoded: false)
            let untapped = try await place.run("card", "serve", "--target", line.path, "--card", contacts)
            #expect(untapped.status == 2, "\(untapped.errors)")
            #expect(untapped.complaint?.contains("\"contactless\"") == true, "\(untapped.errors)")
        }
    }

    @Test(
        "Wrong usage of card serve --target ends with status 64",
        arguments: [
            ["--target", "ttyUSB0"], ["--target", "pn532:ttyUSB0"], ["--target", "phoenix:/dev/ttyUSB0"],
            ["--target", "ACR122U"],
            ["--target", "/dev/ttyUSB0", "--vpcd"], ["--target", "/dev/ttyUSB0", "--qemu", "x"],
        ])
    func wrongUsage(_ arguments: [String]) async throws {
        try await inWorkspace { place in
            let run = try await place.run(Executables.cardpresent, ["card", "serve"] + arguments)
            #expect(run.status == 64, "\(run.errors)")
        }
    }
}
