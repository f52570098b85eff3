import ArgumentParser
import Bytes
import CardCryptography
import CardProfiles
import Console
import TLV
import VirtualCard

struct CardMakeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "make",
        abstract: "Write the profile of a new virtual card.",
        discussion: """
            EXAMPLES
              cardpresent card make my-card.json --scheme maestro --pin 4321 --cvm enciphered-pin,online-pin
              cardpresent card make expired.json --scheme visa --expiry 2025-01-31
              cardpresent card make - --scheme mastercard --oda xda | cardpresent card show -

            The profile has every key of a card (docs/card-profile.md), to be edited; add faults and the expected \
            outcome by hand. PANs are published test numbers.

            \(ExitStatus.explanation)
            """)

    @Argument(help: "The new file, which must not exist; - writes to standard output.")
    var file: String

    @Option(
        help: ArgumentHelp(
            "The scheme whose profile is the base: \(Self.schemes). Default: visa.", valueName: "scheme"),
        transform: { name in
            guard let scheme = CardScheme(rawValue: name) else { throw ValidationError("one of \(Self.schemes)") }
            return scheme
        })
    var scheme: CardScheme = .visa

    @Option(help: ArgumentHelp("One line: what the card is for.", valueName: "text"))
    var reason: String?

    @Option(help: ArgumentHelp("A published test card number.", valueName: "digits"))
    var pan: String?

    @Option(help: ArgumentHelp("The expiry date, YYYY-MM-DD.", valueName: "date"))
    var expiry: String?

    @Option(help: ArgumentHelp("The application label, 1 to 16 characters.", valueName: "text"))
    var label: String?

    @Option(help: ArgumentHelp("Languages, two letters each, the most preferred first: de,en", valueName: "list"))
    var languages: String?

    @Option(
        help: ArgumentHelp(
            "The best method of offline data authentication that the card supports.", valueName: "method"))
    var oda: Authentication?

    @Option(
        help: ArgumentHelp(
            "Cardholder verification methods, of which the first that the terminal supports counts: \(Verification.allCases.map(\.rawValue).joined(separator: ", ")).",
            valueName: "list"))
    var cvm: String?

    @Option(help: ArgumentHelp("The PIN, 4 to 12 digits, or none.", valueName: "digits"))
    var pin: String?

    @Option(help: ArgumentHelp("The issuer's country, ISO 3166-1.", valueName: "number"))
    var country: UInt16?

    @Option(help: ArgumentHelp("The application's currency, ISO 4217.", valueName: "number"))
    var currency: UInt16?

    @Option(
        help: ArgumentHelp("The card declines above this amount, in minor units of its currency.", valueName: "amount"))
    var declinesAbove: UInt64?

    @Option(
        help: ArgumentHelp(
            "The card goes online above this amount, in minor units of its currency.", valueName: "amount"))
    var goesOnlineAbove: UInt64?

    private static let schemes = CardScheme.allCases.map(\.rawValue).joined(separator: ", ")

    func run() throws {
        do {
            let text = try profile()
            if file == "-" {
                print(text, terminator: "")
            } else if try !OutputFile.create(file, with: text) {
                throw InputError("\(file) exists: give another name")
            }
        } catch {
            printError("\(error)")
            throw ExitCode(ExitStatus.failure)
        }
    }

    private func profile() throws -> String {
        var profile = scheme.profile
        if let pan { profile.account.pan = SecretBytes(pan.utf8) }
        if let expiry { profile.account.expiry = try Self.date(expiry) }
        if let label { profile.applications[0].label = label }
        if let languages { profile.languages = languages.split(separator: ",").map(String.init) }
        if let oda { oda.apply(to: &profile) }
        if let cvm { profile.cvmList = try Verification.list(cvm) }
        if let pin { profile.pin = pin == "none" ? nil : try Self.pin(pin) }
        if let country { profile.issuerCountryCode = country }
        if let currency { profile.applicationCurrencyCode = currency }
        if let declinesAbove { profile.riskRule.declinesAbove = declinesAbove }
        if let goesOnlineAbove { profile.riskRule.goesOnlineAbove = goesOnlineAbove }
        let text = CardProfileFile(profile, reason: reason).json
        // Validates the profile by reading it again.
        _ = try CardProfileFile(parsing: text)
        return text
    }

    private static func date(_ text: String) throws(InputError) -> [UInt8] {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.map(\.count) == [4, 2, 2], ["19", "20"].contains(parts[0].prefix(2)),
            let date = try? [UInt8](hex: parts.joined().dropFirst(2)), CertificateDate(yymmdd: date) != nil
        else { throw InputError("--expiry takes YYYY-MM-DD") }
        return date
    }

    private static func pin(_ text: String) throws(InputError) -> PIN {
        guard let pin = PIN(ascii: text.utf8) else { throw InputError("--pin takes 4 to 12 digits, or none") }
        return pin
    }
}

/// The best method of offline data authentication that a card offers, and those below it.
enum Authentication: String, ExpressibleByArgument, CaseIterable {
    case none, sda, dda, cda, xda

    func apply(to profile: inout CardProfile) {
        profile.interchangeProfile.subtract([.sdaSupported, .ddaSupported, .cdaSupported, .xdaSupported])
        switch self {
        case .none: break
        case .sda: profile.interchangeProfile.formUnion([.sdaSupported])
        case .dda: profile.interchangeProfile.formUnion([.sdaSupported, .ddaSupported])
        case .cda: profile.interchangeProfile.formUnion([.sdaSupported, .ddaSupported, .cdaSupported])
        case .xda:
            profile.interchangeProfile.formUnion([.xdaSupported])
            profile.ellipticCurve = .p256
        }
    }
}

/// A method of cardholder verification, by the names of the command line.
enum Verification: String, CaseIterable {
    case plaintextPIN = "plaintext-pin"
    case encipheredPIN = "enciphered-pin"
    case onlinePIN = "online-pin"
    case signature
    case none
    case fail

    private var code: CVMCode {
        switch self {
        case .plaintextPIN: .plaintextPIN
        case .encipheredPIN: .encipheredPIN
        case .onlinePIN: .onlinePIN
        case .signature: .signature
        case .none: .noCVM
        case .fail: .fail
        }
    }

    /// Each applies if the terminal supports it; if it fails, the next one applies.
    static func list(_ text: String) throws(InputError) -> CVMList {
        var methods: [Verification] = []
        for name in text.split(separator: ",", omittingEmptySubsequences: false) {
            guard let method = Verification(rawValue: String(name)) else {
                throw InputError("--cvm takes \(allCases.map(\.rawValue).joined(separator: ", ")), not \"\(name)\"")
            }
            methods.append(method)
        }
        return CVMList(
            rules: methods.enumerated().map { index, method in
                CVMRule(
                    code: method.code, continuesIfUnsuccessful: index + 1 < methods.count,
                    condition: .terminalSupportsCVM)
            })
    }
}
