import ArgumentParser
import BenchCards
import BenchSetup
import Bytes
import CardCapture
import Console
import FoundationEssentials
import JSONDocument
import PaymentTerminal
import Reports
import TerminalFiles

/// The common options of the commands for sales and secure cards.
struct BenchOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The folder of the vault; created if it does not exist.", valueName: "folder"))
    var vault: String = Self.defaultVault

    static let defaultVault = "cardpresent-vault"

    @Option(
        help: ArgumentHelp(
            "The file with the vault's key, 64 hexadecimal digits; created if it does not exist. Default: the vault's name with .key.",
            valueName: "file"))
    var vaultKey: String?

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
        help: ArgumentHelp(
            "Sell as the terminal of this configuration file, with mode \"test\" (docs/terminal-file.md). Default: a terminal of the bench, which accepts the virtual card.",
            valueName: "file"))
    var terminal: String?

    @Option(
        help: ArgumentHelp("Write the APDUs to this file, card data masked (docs/trace-format.md).", valueName: "file"))
    var trace: String?

    @Option(
        help: ArgumentHelp(
            "Write a log of the operation into this folder, without card data; the last 500 are kept. It is created if it does not exist.",
            valueName: "folder"))
    var log: String?

    /// - Throws: ``InputError`` if the trace or the folder of the log cannot be written.
    func laneLog(recording: TraceRecording? = nil) throws(InputError) -> LaneLog {
        let trace = try trace.map { path throws(InputError) in try TraceFile(path) }
        let folder = try log.map { path throws(InputError) in
            do throws(Terminal.PaymentLogFolder.Failure) {
                return try Terminal.PaymentLogFolder(path: path)
            } catch {
                throw InputError("\(path): \(error)")
            }
        }
        return LaneLog(trace: trace, recording: recording, folder: folder)
    }

    /// - Throws: ``InputError`` with the place in the file.
    func terminalFile() throws(InputError) -> TerminalFile? {
        guard let terminal else { return nil }
        do throws(DocumentError) {
            return try TerminalFile.load(terminal)
        } catch {
            throw InputError(error.description(of: terminal))
        }
    }

    func swipeKeys() throws(InputError) -> SwipeDecryption? {
        guard let keyFile else { return nil }
        return try InputFile.swipeKeys(keyFile)
    }

    func validate() throws {
        if reader == nil, caKeys != nil || keyFile != nil {
            throw ValidationError("--ca-keys and --key-file are for a card in a --reader")
        }
    }

    /// The key of the vault, which is created if it does not exist. Before one is created at the
    /// default path, a note says so.
    func loadVaultKey() throws(InputError) -> SecretBytes {
        if vault == Self.defaultVault, InputFile.identity(vault) == nil {
            printError(
                "the vault \(vault) and its key \(vaultKeyFile.relativePath) are created in this folder; --vault names another"
            )
        }
        return try VaultKeyFile.load(vaultKeyFile)
    }

    var vaultFolder: URL { URL(filePath: vault) }
    private var vaultKeyFile: URL { vaultKey.map { URL(filePath: $0) } ?? URL(filePath: vault + ".key") }
}
