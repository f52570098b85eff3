import ArgumentParser
import Contactless
import EMVKernel

/// The languages in which a terminal of the bench speaks to the cardholder.
struct LanguageOptions: ParsableArguments {
    @Option(
        name: .customLong("language"),
        help: ArgumentHelp(
            "A language of the terminal (\(Self.codes)); repeat it for more, the local one first. The card's preference decides among them. Default: en.",
            valueName: "code"))
    var codes: [String] = []

    private static let codes = MessageLanguage.allCases.map(\.rawValue).joined(separator: ", ")

    func validate() throws {
        if let unknown = codes.first(where: { MessageLanguage(rawValue: $0) == nil }) {
            throw ValidationError("--language \(unknown): the texts are in \(Self.codes)")
        }
    }

    var languages: [Language] { codes.compactMap { Language($0) } }
}
