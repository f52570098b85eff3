import ArgumentParser
import FoundationEssentials
import VirtualCard

/// What the commands that sell and keep cards have in common.
struct BenchOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The folder of the vault; made if it is not there.", valueName: "folder"))
    var vault: String = "cardpresent-vault"

    @Option(
        help: ArgumentHelp(
            "The file with the vault's key, 64 hexadecimal digits; made if it is not there. Default: the vault's name with .key.",
            valueName: "file"))
    var vaultKey: String?

    @Option(help: "The virtual card: visa or mastercard.")
    var card: CardStyle = .visa

    @Option(help: ArgumentHelp("Write the APDUs to this file, card data masked (docs/trace-format.md).", valueName: "file"))
    var trace: String?

    var vaultFolder: URL { URL(filePath: vault) }
    var vaultKeyFile: URL { vaultKey.map { URL(filePath: $0) } ?? URL(filePath: vault + ".key") }
}

enum CardStyle: String, ExpressibleByArgument, CaseIterable, Sendable {
    case visa, mastercard

    var profile: CardProfile {
        switch self {
        case .visa: .visaStyle()
        case .mastercard: .mastercardStyle()
        }
    }
}
