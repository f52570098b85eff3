import ArgumentParser
import BenchCards
import Bytes
import CardCapture
import Console
import FoundationEssentials
import JSONDocument
import PaymentTerminal
import Reports
import TerminalFiles

/// The common options of the commands for cards: the shop, and the card in its reader.
struct BenchOptions: ParsableArguments {
    @OptionGroup var shop: ShopOptions

    @Option(
        name: .customLong("card"),
        help: ArgumentHelp(
            "The virtual card: visa, mastercard, kernel-8, or a profile in a file (docs/card-profile.md). Default: visa.",
            valueName: "card"))
    var namedCard: BenchCard?

    var card: BenchCard { namedCard ?? .style(.visa) }

    @Option(
        help: ArgumentHelp(
            "Read the card in this reader instead of a virtual one: a device file or a part of a name that `cardpresent readers` lists (pcsc:NAME through the PC/SC service; FAMILY:/dev/NODE for a reader that cannot be identified: phoenix, gempc, miura, abecs, pn532, msr605, keyboardwedge). A chip card must be one that --card describes: the issuer knows its keys.",
            valueName: "reader"))
    var reader: String?

    @Option(
        help: ArgumentHelp(
            "Keys of certification authorities, for a card in a reader (Vectors/keys has examples).", valueName: "file")
    )
    var caKeys: String?

    @Option(
        help: ArgumentHelp(
            "Keys with which the host decrypts the card data of a reader that encrypts (`cardpresent swipe --help` describes the file).",
            valueName: "file"))
    var keyFile: String?

    @Option(
        help: ArgumentHelp("Write the APDUs to this file, card data masked (docs/trace-format.md).", valueName: "file"))
    var trace: String?

    /// - Throws: ``InputError`` if the trace or the folder of the log cannot be written.
    func laneLog(recording: TraceRecording? = nil) throws(InputError) -> LaneLog {
        let trace = try trace.map { path throws(InputError) in try TraceFile(path) }
        return LaneLog(trace: trace, recording: recording, folder: try shop.logFolder())
    }

    func swipeKeys() throws(InputError) -> SwipeDecryption? {
        guard let keyFile else { return nil }
        return try InputFile.swipeKeys(keyFile)
    }

    /// Whether nothing is said about a card or a reader.
    var namesNoCard: Bool { reader == nil && namedCard == nil && trace == nil }

    func validate() throws {
        if reader == nil, caKeys != nil || keyFile != nil {
            throw ValidationError("--ca-keys and --key-file are for a card in a --reader")
        }
        if shop.host.gateway != nil, keyFile != nil {
            throw ValidationError("--key-file is for the bench host: a gateway has the keys of its readers")
        }
    }
}
