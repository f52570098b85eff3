import ArgumentParser
import BenchCards
import Bytes
import CardCapture
import CardReaders
import Console
import SmartCard

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

struct APDUCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "apdu",
        abstract: "Send commands to a card in a chip card reader, or to a virtual card, and show its answers.",
        discussion: """
            EXAMPLES
              cardpresent apdu 00A404000E315041592E5359532E4444463031
              cardpresent apdu --reader /dev/bus/usb/001/004 00A4040007A0000000031010 80A8000002830000
              cardpresent apdu --reader pcsc:Alcor 00A404000E315041592E5359532E4444463031
              cardpresent apdu --reader phoenix:/dev/ttyUSB0 00A404000E315041592E5359532E4444463031
              cardpresent apdu --card visa --tap 00A404000E325041592E5359532E4444463031 FFCA000000
              cardpresent apdu - < commands.txt
              cardpresent apdu --escape --reader ACR1252 E000001800

            The output is a trace (docs/trace-format.md). Card data are masked unless \
            --show-card-data is given. 61xx and 6Cxx of a T=0 card are handled. The names of readers \
            and cards are those of `cardpresent sale`.

            With --escape, the commands are the reader maker's own (its version, lights, field and \
            settings: see its manual). They go to a CCID reader itself, with or without a card.

            \(ExitStatus.explanation)
            """)

    @Argument(
        help: "Commands in hexadecimal digits, one after the other; - reads them from standard input, one on each line."
    )
    var commands: [String]

    @OptionGroup var choice: ReaderChoice

    @Option(
        help: ArgumentHelp(
            "A virtual card in place of a reader: visa, mastercard, kernel-8, or a profile in a file (docs/card-profile.md).",
            valueName: "card"))
    var card: BenchCard?

    @Flag(help: "The virtual card is held to a contactless reader, not inserted.")
    var tap = false

    @Option(help: ArgumentHelp("The slot, from 1. Default: 1.", valueName: "number"))
    var slot: Int?

    @Flag(help: "Use the PC/SC service, for readers that pcscd holds.")
    var pcsc = false

    @Flag(help: "Send commands of the reader's maker to a CCID reader (PC_to_RDR_Escape), and show its answers.")
    var escape = false

    @Flag(help: "Wait for a card if there is none.")
    var wait = false

    @Flag(help: "Use the fastest rate that card and reader support.")
    var fast = false

    @Flag(help: "Show PANs, tracks and names in full. For test cards only.")
    var showCardData = false

    func validate() throws {
        if card != nil, choice.reader != nil || pcsc || escape || wait || fast || slot != nil {
            throw ValidationError(
                "--card is a card without a reader: leave out --reader, --pcsc, --slot, --escape, --wait and --fast")
        }
        if tap, card == nil { throw ValidationError("--tap is for a virtual card: give it with --card") }
        if pcsc && (slot != nil || fast) {
            throw ValidationError("--slot and --fast are for readers that this program drives itself: leave out --pcsc")
        }
        if escape && pcsc {
            throw ValidationError("--escape is for readers that this program drives itself: leave out --pcsc")
        }
        if escape && (wait || fast || showCardData) {
            throw ValidationError("--wait, --fast and --show-card-data are for cards: leave them out with --escape")
        }
    }

    func run() async throws {
        try await reportingErrors {
            let lines =
                commands == ["-"]
                ? try InputFile.text("-").split(whereSeparator: \.isNewline).map(String.init) : commands
            let bytes = try lines.filter { !$0.allSatisfy(\.isWhitespace) }.map { line in
                try [UInt8](pastedHex: line)
            }
            if escape { return try await sendToReader(bytes) }
            let parsed = try bytes.map { bytes in
                guard let command = CommandAPDU(bytes) else {
                    throw InputError("\"\(bytes.hex)\" is not a command: the lengths do not match")
                }
                return command
            }
            if let card { return try await send(parsed, to: card) }
            if pcsc { return try await sendThroughPCSC(parsed, try choice.foundThroughPCSC()) }
            let place = try choice.place("chip card reader") { found in
                !found.family.capabilities.isDisjoint(with: [.contactChip, .contactlessChip])
                    && !found.family.capabilities.contains(.ownKernel)
            }
            switch place {
            case .ours(let found): try await sendDirectly(parsed, found)
            case .throughPCSC(let name):
                if slot != nil || fast {
                    throw InputError("--slot and --fast are for readers that this program drives itself")
                }
                try await sendThroughPCSC(parsed, name)
            }
        }
    }

    private func send(_ commands: [CommandAPDU], to card: BenchCard) async throws {
        try await send(commands, try card.held(isTapped: tap), reader: tap ? "virtual, contactless" : "virtual", nil)
    }

    private func openedSlot(_ found: ReaderCatalog.Found) async throws -> (reader: CCIDReader, slot: CCIDSlot) {
        let reader = try CCIDReader(found.node, rules: fast ? .isoAtFullSpeed : .iso, interface: nil)
        let slots = try await reader.open()
        let slot = slot ?? 1
        guard (1...slots.count).contains(slot) else {
            throw InputError("slot \(slot) not found: the reader has \(slots.count) slots")
        }
        return (reader, slots[slot - 1])
    }

    private func sendToReader(_ commands: [[UInt8]]) async throws {
        let found = try choice.found("CCID reader") { $0.family == .ccid }
        let (reader, slot) = try await openedSlot(found)
        print("# reader: \(reader.name)")
        for command in commands {
            print("> \(command.hex)")
            print("< \(try await slot.escape(command).hex)")
            _ = fflush(nil)
        }
        await reader.close()
    }

    private func sendDirectly(_ commands: [CommandAPDU], _ found: ReaderCatalog.Found) async throws {
        if found.family == .pn53x { return try await sendContactless(commands, found) }
        guard found.family == .ccid else { return try await sendToSlot(commands, found) }
        let (reader, slot) = try await openedSlot(found)
        if wait { Progress.note("waiting for a card in \(found.name); Ctrl-C ends it") }
        let channel = wait ? try await slot.powerOn() : try await slot.activate()
        try await send(commands, channel, reader: found.name, (channel as? CCIDChannel)?.answerToReset)
        await reader.close()
    }

    /// A reader of a family that cannot be identified.
    private func sendToSlot(_ commands: [CommandAPDU], _ found: ReaderCatalog.Found) async throws {
        if fast || slot ?? 1 != 1 {
            throw InputError("--fast and --slot are for USB readers: leave them out with \(found.name)")
        }
        let place: any CardSlot
        switch try await found.open(interface: .contact) {
        case .chip(let slot), .chipAndMagstripe(let slot, _): place = slot
        case .magstripe, .reader: throw InputError("\(found.name) gives no access to chip cards: use another reader")
        }
        Progress.note("waiting for a card in \(found.name); Ctrl-C ends it")
        let channel = try await place.powerOn()
        try await send(commands, channel, reader: found.name, nil)
        await place.powerOff()
    }

    /// It waits for a card in the field with or without --wait, because there is no other way to
    /// detect a card.
    private func sendContactless(_ commands: [CommandAPDU], _ found: ReaderCatalog.Found) async throws {
        if fast { throw InputError("--fast is for contacts: leave it out with \(found.name)") }
        guard slot ?? 1 == 1, case .chip(let field) = try await found.open(interface: .contactless) else {
            throw InputError("slot \(slot ?? 1) not found: the reader has one field")
        }
        Progress.note("waiting for a card in the field of \(found.name); Ctrl-C ends it")
        let channel = try await field.powerOn()
        print("# historical bytes \((channel as? PN53xCard)?.historicalBytes.hex ?? "")")
        try await send(commands, channel, reader: found.name, nil)
        await field.powerOff()
    }

    private func sendThroughPCSC(_ commands: [CommandAPDU], _ name: String) async throws {
        let reader = try PCSCReader(name: name, interface: nil)
        let channel = wait ? try await reader.powerOn() : try await reader.activate()
        try await send(commands, channel, reader: reader.name, (channel as? PCSCChannel)?.answerToReset)
        await reader.powerOff()
    }

    private func send(_ commands: [CommandAPDU], _ channel: any CardChannel, reader: String, _ answerToReset: [UInt8]?)
        async throws
    {
        var writer = APDUTraceWriter(showCardData ? .testCard : .redacted)
        print("# reader: \(reader)")
        if let answerToReset { print("# atr: \(answerToReset.hex)") }
        for command in commands {
            let response = try await channel.transmit(command)
            print(writer.lines(APDUTrace.Exchange(command: command, response: response)), terminator: "")
            // At once, because the next answer may take long.
            _ = fflush(nil)
        }
    }
}
