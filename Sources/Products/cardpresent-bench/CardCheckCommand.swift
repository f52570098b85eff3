import ArgumentParser
import BenchCards
import Bytes
import CardCapture
import CardCryptography
import CardInspection
import CardProfiles
import CardReaders
import Console
import EMVKernel
import Reports
import SmartCard
import TLV
import VirtualCard

struct CardCheckCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Read a card as a terminal does, and report findings.",
        discussion: """
            EXAMPLES
              cardpresent card check --card Vectors/cards/maestro.json
              cardpresent card check --reader pcsc:Alcor --ca-keys Vectors/keys/ca-test-keys.tsv
              cardpresent card check --tap --reader ACR122U

            Selection, GET PROCESSING OPTIONS, all records, GET DATA and, for DDA, INTERNAL \
            AUTHENTICATE are sent for each application. No cryptogram is requested; the card's \
            transaction counter still increments once for each application. With --cryptogram the \
            kernel runs one transaction without an issuer's answer. No card data are shown.

            With --tap the card is read in a reader's field: the directory PPSE, its applications, \
            GET PROCESSING OPTIONS and all records. Visa cards return a cryptogram for 1.00, which is sent \
            to no host. Of applications of kernel 8 only the answer to SELECT is checked, because they \
            return the rest within a secure channel.

            EXIT STATUS
              0   no findings, or remarks only
              1   a warning or an error
              2   not done: no card, no reader, bad input
              64  wrong usage
            """)

    @Option(
        help: ArgumentHelp(
            "The virtual card: visa, mastercard, kernel-8, or a profile in a file (docs/card-profile.md).",
            valueName: "card"))
    var card: BenchCard?

    @Option(
        help: ArgumentHelp(
            "The card in this reader, by device file or a part of its name (pcsc:NAME through the PC/SC service).",
            valueName: "reader"))
    var reader: String?

    @Option(
        help: ArgumentHelp(
            "Keys of certification authorities (Vectors/keys has examples). A virtual card brings its own.",
            valueName: "file"))
    var caKeys: String?

    @Option(
        help: ArgumentHelp(
            "Select these AIDs too, beside those of the card's directory. Default: those of the known payment systems; with --tap, none.",
            valueName: "aid"))
    var aid: [String] = []

    @Option(help: ArgumentHelp("Check the card as of this day, YYYY-MM-DD. Default: today.", valueName: "date"))
    var date: String?

    @Flag(help: "Also run a transaction, in which the kernel requests a cryptogram.")
    var cryptogram = false

    @Flag(help: "The card is in the field of a contactless reader, not at its contacts.")
    var tap = false

    @Flag(help: "Write the findings as one JSON document.")
    var json = false

    func validate() throws {
        guard (card == nil) != (reader == nil) else { throw ValidationError("give one of --card and --reader") }
        if tap, cryptogram { throw ValidationError("--cryptogram is for the contacts: leave out --tap") }
    }

    func run() async throws {
        try await reportingErrors {
            let day = try date.map(Self.day) ?? Timestamp.now().transactionDate
            let interface: CardInterface = tap ? .contactless : .contact
            let names = aid.isEmpty && !tap ? PaymentSystems.names : try aid.map(Self.name)
            let place = try await CheckedCard(card, reader: reader, interface: interface, caKeys: caKeys)
            let terminal = CheckingTerminal(date: day, caKeys: place.caKeys)
            let channel = try await place.channel()
            var image = CardImage(answerToReset: await place.answerToReset(), interface: interface)
            try await image.read(channel, names: names, terminal: terminal.data)
            var findings = image.findings(CardImage.Circumstances(date: day, caKeys: place.caKeys))
            if cryptogram {
                findings += await terminal.transact(try await place.channel(), image.applications.map(\.name))
            }
            await place.close()
            if json {
                print(try JSONText.of(InspectionDocument(findings, of: image)))
            } else {
                InspectionText.show(findings, of: image, on: Console())
            }
            if findings.contains(where: { $0.severity > .remark }) { throw ExitCode(ExitStatus.negative) }
        }
    }

    private static func day(_ text: String) throws(InputError) -> [UInt8] {
        let digits = text.split(separator: "-", omittingEmptySubsequences: false)
        guard digits.map(\.count) == [4, 2, 2], let bytes = try? [UInt8](hex: digits.joined().dropFirst(2)),
            CertificateDate(yymmdd: bytes) != nil
        else { throw InputError("\"\(text)\" is not a date YYYY-MM-DD") }
        return bytes
    }

    private static func name(_ text: String) throws(InputError) -> [UInt8] {
        guard let bytes = try? [UInt8](hex: text), (5...16).contains(bytes.count) else {
            throw InputError("\"\(text)\" is not an AID of 5 to 16 bytes")
        }
        return bytes
    }
}

/// The inspected card, in a reader or virtual.
private actor CheckedCard {
    private enum Source {
        case virtual(VirtualCard, [CardFault])
        case slot(any CardSlot)
    }

    private let source: Source
    let caKeys: [CAPublicKey]
    private var open: (any CardChannel)?

    init(_ card: BenchCard?, reader: String?, interface: CardInterface, caKeys: String?) async throws {
        if let reader {
            let place = try ReaderPlace(reader, caKeys: caKeys)
            source = .slot(try await place.chipSlot(interface == .contactless ? .contactless : .contact))
            self.caKeys = place.caKeys
        } else {
            let card = card ?? .style(.visa)
            let file = try card.load()
            let personalized = try PersonalizedCard.make(
                interface == .contactless ? card.tapped(file.profile) : file.profile)
            source = .virtual(VirtualCard(personalized, interface: interface), file.faults)
            self.caKeys = personalized.caPublicKeys + (try caKeys.map(ReaderPlace.keys) ?? [])
        }
    }

    /// The card after a reset. A slot without a card does not wait for one.
    func channel() async throws -> any CardChannel {
        switch source {
        case .virtual(let card, let faults):
            await card.reset()
            return FaultyCard(card, faults)
        case .slot(let slot):
            let channel = try await slot.powerOn()
            open = channel
            return channel
        }
    }

    /// Nil if the reader does not return it.
    func answerToReset() -> [UInt8]? {
        switch source {
        case .virtual: ServedAnswerToReset.t0
        case .slot: (open as? CCIDChannel)?.answerToReset ?? (open as? PCSCChannel)?.answerToReset
        }
    }

    func close() async {
        if case .slot(let slot) = source { await slot.powerOff() }
    }
}
