public import BenchHost
private import CardCapture
private import CardReaders
public import EMVKernel
public import PaymentTerminal
import TerminalFiles
public import VirtualCard

extension Terminal {
    /// A till on the bench, ready for a sale: a virtual card in a virtual reader with a PIN pad,
    /// the bench host with its test issuer, and a journal that ends with the process.
    ///
    /// - Parameters:
    ///   - profile: Of the card in the reader.
    ///   - configuration: Of the terminal; always in test mode.
    ///   - rules: What the bench host decides, and which faults it plays.
    /// - Throws: ``PersonalizationError`` if no card can be made of the profile; `StoreError` if
    ///   the folder for temporary files cannot be written.
    public static func bench(
        card profile: CardProfile = .visaStyle(),
        configuration: Configuration = Configuration(
            merchantName: "CARDPRESENT BENCH", terminalID: "BENCH001", currency: .euro),
        rules: HostRules = HostRules()
    ) async throws -> Terminal {
        let card = try PersonalizedCard.make(profile)
        let host = try BenchHost.temporary(issuer: BenchIssuer.make([profile]), rules: rules)
        var configuration = configuration
        configuration.mode = .test
        let terminal = Terminal(configuration: configuration, host: host, journal: MemoryJournal())
        var kernel = TerminalConfiguration.attended(countryCode: 276, caKeys: card.caPublicKeys, hasPINPad: true)
        kernel.accept(profile)
        try await terminal.connect(VirtualReader(card: VirtualCard(card)), kernel: kernel, pinPad: BenchPINPad.make())
        return terminal
    }
}

extension TerminalConfiguration {
    /// Adds the applications of `profile`, with the issuer's action codes alone, and every PIN
    /// method that a card may require of a PIN pad.
    public mutating func accept(_ profile: CardProfile) {
        capabilities.formUnion([.encipheredOfflinePINByRSA, .encipheredOfflinePINByECC, .xda])
        for application in profile.applications
        where !applications.contains(where: { application.aid.starts(with: $0.aid) }) {
            applications.append(ApplicationConfiguration(aid: application.aid, versions: [profile.versionNumber]))
        }
    }
}
