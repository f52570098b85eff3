import ArgumentParser
import BenchHost
import CardProfiles
import Console
import FoundationEssentials
import JSONDocument
import VirtualCard

/// The vault, and the cards that its issuer knows.
struct VaultOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The folder of the vault; created if it does not exist.", valueName: "folder"))
    var vault: String = "cardpresent-vault"

    @Option(
        help: ArgumentHelp(
            "The file with the vault's key, 64 hexadecimal digits; created if it does not exist. Default: the vault's name with .key.",
            valueName: "file"))
    var vaultKey: String?

    func open(cards: [String] = [], rules: HostRules = HostRules()) throws -> BenchHost {
        var profiles: [CardProfile] = []
        for path in cards {
            let text = try InputFile.text(path)
            do throws(DocumentError) {
                profiles.append(try CardProfileFile(parsing: text).profile)
            } catch {
                throw InputError(error.description(of: path))
            }
        }
        let key = try VaultKeyFile.load(URL(filePath: vaultKey ?? vault + ".key"))
        return try BenchHost(folder: vault, vaultKey: key, issuer: try BenchIssuer.make(profiles), rules: rules)
    }
}
