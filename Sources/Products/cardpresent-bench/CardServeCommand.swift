import ArgumentParser
import BenchCards
import Bytes
import CardCryptography
import CardProfiles
import Console
import Foundation
import SmartCard
import TLV
import VirtualCard

struct CardServeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve",
        abstract:
            "Insert a virtual card into a reader of the PC/SC service or of an emulated machine, or tap it at a terminal.",
        discussion: """
            As a PC/SC card, in the reader "Virtual PCD" of vsmartcard's vpcd (Debian: apt install \
            vsmartcard-vpcd, then restart pcscd):
              cardpresent card serve --vpcd --card visa --ca-keys ca-keys.tsv
              cardpresent sale 12.34 --vault served --reader "pcsc:Virtual PCD 00 00" --ca-keys ca-keys.tsv

            With --tap, vpcd is a contactless reader to every program, and the card is in its field: the answer to \
            reset is that of PC/SC part 3, and the contactless applications answer.
              cardpresent card serve --vpcd --tap --card visa --ca-keys ca-keys.tsv
              cardpresent sale 12.34 --tap --vault served --reader "pcsc:Virtual PCD 00 00" --ca-keys ca-keys.tsv

            In QEMU, started with
              -device qemu-xhci -chardev socket,id=card,path=card.sock,server=on,wait=off
              -device usb-ccid,id=reader -device ccid-card-passthru,chardev=card,bus=reader.0
            the card is inserted with
              cardpresent card serve --qemu card.sock --card visa --ca-keys ca-keys.tsv

            At any terminal, with a PN532 on a serial line (HSU) that plays the contactless card in the terminal's \
            field, tap after tap, until Ctrl-C:
              cardpresent card serve --target pn532:/dev/ttyUSB0 --card visa
            The chip itself announces that it answers within 155 ms, in frames of 64 bytes, and takes answers of \
            at most 262 bytes. Of its family, a PN533 cannot be a card, and an ACR122U takes no answer that long.

            Each start makes a new certification authority, whose keys a terminal does not have. With --authority \
            they are kept, so that a terminal that has read the file of --ca-keys once knows the next card, too:
              cardpresent card serve --vpcd --card visa --authority authority.pem --ca-keys ca-keys.tsv

            The card begins with the counter of its profile. The issuer of a vault that knows the card from earlier \
            sales takes one of a chip's first four counters as those of a card that began again. A profile whose \
            initialATC is higher is declined with 63, and one in mag-stripe mode with 88: raise initialATC, or give the \
            card a vault of its own (--vault).

            On standard input, the lines "remove" and "insert" remove the card and insert it again. \
            The card stays the same: its counter goes on. Its faults restart with each reset in vpcd, with each \
            insertion in QEMU, and with each tap at a terminal. The command ends when QEMU ends; when vpcd ends, it \
            waits until vpcd is back.

            \(ExitStatus.explanation)
            """)

    @Option(help: ArgumentHelp("Where QEMU waits for its card: a Unix socket, or HOST:PORT.", valueName: "socket"))
    var qemu: SoftwareReader?

    @Flag(help: "Insert the card into vpcd, the virtual reader of the PC/SC service.")
    var vpcd = false

    @Option(
        help: ArgumentHelp(
            "A PN532 that plays the card at a terminal: pn532:/dev/NODE, or the device file alone.", valueName: "reader"
        ))
    var target: TargetPlace?

    @Flag(help: "The card is held to a contactless reader, not inserted; always with --target.")
    var tap = false

    @Option(
        help: ArgumentHelp(
            "Where vpcd waits for its card: HOST:PORT. Its second slot has the next port.", valueName: "address"))
    var vpcdAddress = "127.0.0.1:35963"

    @Option(help: ArgumentHelp("How long to wait for the reader if it is not listening.", valueName: "seconds"))
    var wait: Double = 60

    @Option(
        help: ArgumentHelp(
            "The virtual card: visa, mastercard, kernel-8, or a profile in a file (docs/card-profile.md).",
            valueName: "card"))
    var card: BenchCard = .style(.visa)

    @Option(
        help: ArgumentHelp(
            "Write the keys of the card's certification authority to this file, for the terminal.", valueName: "file"))
    var caKeys: String?

    @Option(
        help: ArgumentHelp(
            "Keep the private keys of the card's certification authority and issuer in this file, which is created if it does not "
                + "exist: the next card has the same CA keys.", valueName: "file"))
    var authority: String?

    func validate() throws {
        guard [vpcd, qemu != nil, target != nil].count(where: \.self) == 1 else {
            throw ValidationError("give one of --vpcd, --qemu and --target")
        }
        if tap, qemu != nil {
            throw ValidationError("--tap is for --vpcd and --target: QEMU's reader has contacts only")
        }
        guard SoftwareReader.port(vpcdAddress) != nil else { throw ValidationError("--vpcd-address takes HOST:PORT") }
        guard (0...86_400).contains(wait) else { throw ValidationError("--wait takes 0 to 86400 seconds") }
    }

    func run() async throws {
        try await reportingErrors {
            let file = try card.load()
            let isTapped = tap || target != nil
            let profile = isTapped ? try card.tapped(file.profile) : file.profile
            let keys = try authority.map { try AuthorityFile.load($0, for: profile) }
            let personalized =
                try keys.map { try PersonalizedCard.make(profile, under: $0) } ?? PersonalizedCard.make(profile)
            if let caKeys { try OutputFile.replace(caKeys, with: Self.lines(personalized)) }
            // One card for the whole run: its counter continues after a removal.
            let virtual = VirtualCard(personalized, interface: isTapped ? .contactless : .contact)
            let faults = file.faults
            // Behind a PN532 the terminal's own reader has met the card, and tells of it.
            let field =
                tap && target == nil ? FieldIdentity.random(historicalBytes: ServedAnswerToReset.historicalBytes) : nil
            let afterReset: @Sendable () async -> any CardChannel = {
                await virtual.reset()
                let card = FaultyCard(virtual, faults) { try? await Task.sleep(for: .milliseconds($0)) }
                return field.map { FieldReader($0, card) } ?? card
            }
            let hand = try CardHand()
            hand.readStandardInput()
            let place = target?.path ?? (qemu == nil ? "vpcd" : "QEMU")
            Progress.note("waiting for \(place), at most \(wait.formatted()) seconds")
            if let target {
                let serving = try TargetServing(
                    target, hand: hand, historicalBytes: ServedAnswerToReset.historicalBytes, onTap: afterReset)
                if let signal = try await serving.serve(timeout: .seconds(wait), tell: StandardOutput.tell) {
                    TerminalSignals.end(signal)
                }
            } else if let qemu {
                let port = try await QEMUCardPort(
                    qemu, timeout: .seconds(wait), hand: hand, answerToReset: ServedAnswerToReset.t0,
                    afterReset: afterReset)
                StandardOutput.tell("the card is inserted")
                try await port.serve()
            } else if let reader = SoftwareReader.port(vpcdAddress) {
                let port = try VPCDCardPort(
                    reader, hand: hand, answerToReset: tap ? ServedAnswerToReset.contactless : ServedAnswerToReset.t1,
                    afterReset: afterReset, tell: StandardOutput.tell)
                try await port.serve(timeout: .seconds(wait))
            }
        }
    }

    /// A file of keys: RSA keys in columns, the others as certificates.
    private static func lines(_ card: PersonalizedCard) -> String {
        var text = "# test keys of a virtual card; never for production\n"
        for key in card.caPublicKeys {
            guard case .rsa(let material) = key.key else { continue }
            let columns = [key.rid, [key.index], material.exponent, material.modulus, key.checksum].map(\.hex)
            text += "Test\t" + columns.joined(separator: "\t") + "\n"
        }
        for certificate in card.caCertificates { text += "Test\t" + certificate.hex + "\n" }
        return text
    }
}

struct CardCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "card", abstract: "Serve virtual cards, and look at cards.",
        subcommands: [CardServeCommand.self, CardCheckCommand.self])
}

/// A PN532 that is the card: `pn532:/dev/NODE`, as `--reader` names it, or the device file alone.
struct TargetPlace: ExpressibleByArgument, Sendable, Equatable {
    let path: String

    init?(argument: String) {
        let parts = argument.split(separator: ":", maxSplits: 1)
        let isNamed = parts.count == 2 && parts[0].lowercased() == "pn532"
        let path = isNamed ? String(parts[1]) : argument
        guard path.hasPrefix("/") else { return nil }
        self.path = path
    }
}

/// The answers to reset of served cards: accepted by EMV (EMV Contact Interface Specification,
/// "Answer to Reset"), with historical bytes "CPVC1".
enum ServedAnswerToReset {
    /// TB1 and TC1 are `00`, and no protocol is named, which means T=0.
    static let t0: [UInt8] = [0x3B, 0x65, 0x00, 0x00] + historicalBytes
    /// T=1 with blocks of 254 bytes, a block waiting time of 4 and a character waiting time of 5;
    /// with the last byte, the exclusive or of all bytes from T0 on is zero.
    static let t1: [UInt8] = {
        let bytes: [UInt8] = [0xE5, 0x00, 0x00, 0x81, 0x31, 0xFE, 0x45] + historicalBytes
        return [0x3B] + bytes + [bytes.reduce(0, ^)]
    }()

    /// What a reader makes of a contactless card of type A (PC/SC part 3, 3.1.3.2.3):
    /// `3B 8n 80 01`, the historical bytes of the answer to select, and the exclusive or of all
    /// bytes from T0 on.
    static let contactless: [UInt8] = {
        let bytes: [UInt8] = [0x85, 0x80, 0x01] + historicalBytes
        return [0x3B] + bytes + [bytes.reduce(0, ^)]
    }()

    static let historicalBytes = Array("CPVC1".utf8)
}
