import BenchHost
import CardPresent
import TerminalJournal

enum FirstSale {
    /// - Parameter folder: For host and journal.
    static func run(_ folder: String) async throws -> PaymentResponse {
        // A card that is a program, and the issuer that knows its keys.
        let profile = CardProfile.visaStyle()
        let card = try PersonalisedCard.make(profile)
        let issuer = TestIssuer(profiles: [
            IssuerProfile(leadingDigits: "476173", masterKeys: profile.issuerMasterKeys, cryptogram: profile.cryptograms.version)
        ])

        let key = SecretBytes(SecureRandom.bytes(32))
        let host = try BenchHost(folder: "\(folder)/host", vaultKey: key, issuer: issuer)
        let journal = try await SQLiteJournal.open(folder: "\(folder)/journal", key: JournalKey.bytes(key))

        let kernel = ContactKernel(
            TerminalConfiguration(
                capabilities: [.contactChip, .signature, .noCVM, .dda, .cda],
                additionalCapabilities: [.goods, .displayAttendant, .codeTable1], countryCode: 276,
                applications: [ApplicationConfiguration(aid: [0xA0, 0x00, 0x00, 0x00, 0x03, 0x10, 0x10], versions: [0x0096])],
                caKeys: card.caPublicKeys))

        let clock = ShopClock()
        let cardholder = TerminalCardholder(pinPad: nil, capabilities: kernel.configuration.additionalCapabilities)
        let reader = ChipReader(
            slot: VirtualReader(card: VirtualCard(card)), kernel: kernel, cardholder: cardholder, environment: ShopEnvironment(),
            now: { clock.localTime() })

        var configuration = Terminal.Configuration(
            merchantName: "Corner Shop", terminalID: "LANE0001", currency: .euro)
        configuration.mode = .test

        let terminal = Terminal(configuration: configuration, host: host, journal: journal) { clock.timestamp() }
        try await terminal.connect(reader, cardholder: cardholder)

        let sale = Sale(orderID: try OrderID("order-1"), amount: try Money(parsing: "12.34 EUR"))
        let response = try await terminal.processSale(sale)
        print(response.receipt.text(for: .cardholder))
        return response
    }

    static func decide(_ response: PaymentResponse) -> String {
        let advice =
            switch response.outcome {
            case .approved, .storedOffline: "hand over the goods"
            case .partiallyApproved: "ask for the rest: \(response.receipt.requested) less \(response.receipt.amount)"
            case .declined, .reversed: "ask for another card: \(response.description)"
            case .unknown: "keep the goods, and wait"
            }
        return advice
    }
}
