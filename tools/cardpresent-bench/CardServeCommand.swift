import ArgumentParser
import CardCryptography
import CardProfiles
import Console
import Foundation
import SmartCard
import VirtualCard

struct CardServeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve",
        abstract: "Put a virtual card into the USB reader of an emulated machine.",
        discussion: """
            QEMU is started with
              -device qemu-xhci -chardev socket,id=card,path=card.sock,server=on,wait=off
              -device usb-ccid,id=reader -device ccid-card-passthru,chardev=card,bus=reader.0
            and the card put in with
              cardpresent card serve --qemu card.sock --card visa --ca-keys ca-keys.tsv

            On standard input, the lines "remove" and "insert" take the card out and put it back. The program ends with QEMU.

            \(ExitStatus.explanation)
            """)

    @Option(help: ArgumentHelp("The Unix socket of QEMU's card.", valueName: "socket"))
    var qemu: String

    @Option(
        help: ArgumentHelp("The virtual card: visa, mastercard, or a profile in a file (docs/card-profile.md).", valueName: "card"))
    var card: BenchCard = .style(.visa)

    @Option(help: ArgumentHelp("Write the keys of the card's certification authority to this file, for the terminal.", valueName: "file"))
    var caKeys: String?

    func run() async throws {
        try await reportingErrors {
            let file = try card.load()
            let personalised = try PersonalisedCard.make(file.profile)
            if let caKeys { try OutputFile.replace(caKeys, with: try Self.lines(personalised.caPublicKeys)) }
            // One card for the whole time: its counter goes on when it is taken out and put back.
            let virtual = VirtualCard(personalised)
            let faults = file.faults
            let port = try await QEMUCardPort(path: qemu, answerToReset: [0x3B, 0x65, 0, 0, 0x43, 0x50, 0x56, 0x43, 0x31]) {
                FaultyCard(virtual, faults) { try? await Task.sleep(for: .milliseconds($0)) }
            }
            // A thread of its own: lines may be long in coming.
            Thread.detachNewThread {
                while let line = readLine() {
                    switch line {
                    case "insert": port.order(.insert)
                    case "remove": port.order(.remove)
                    default: printError("\"\(line)\" is neither insert nor remove")
                    }
                }
            }
            print("the card is in")
            try await port.serve()
        }
    }

    private static func lines(_ keys: [CAPublicKey]) throws(InputError) -> String {
        var text = "# test keys of a virtual card; never for production\n"
        for key in keys {
            guard case .rsa(let material) = key.key else {
                throw InputError("the keys of a card with elliptic curves are certificates, which this command does not write")
            }
            let columns = [key.rid, [key.index], material.exponent, material.modulus, key.checksum].map { column in
                column.map { byte in String(byte >> 4, radix: 16) + String(byte & 0x0F, radix: 16) }.joined().uppercased()
            }
            text += "Test\t" + columns.joined(separator: "\t") + "\n"
        }
        return text
    }
}

struct CardCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "card", abstract: "Serve virtual cards.", subcommands: [CardServeCommand.self])
}
