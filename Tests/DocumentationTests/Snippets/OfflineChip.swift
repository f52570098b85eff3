import CardBench

enum OfflineChip {
    /// - Parameter host: One that cannot be reached.
    static func sell(_ host: any PaymentHost) async throws -> PaymentResponse {
        let card = try PersonalizedCard.make(.visaStyle())
        var kernel = TerminalConfiguration.attended(countryCode: 276, caKeys: card.caPublicKeys, hasPINPad: true)
        kernel.accept(card.profile)
        for index in kernel.applications.indices { kernel.applications[index].floorLimit = 50_00 }

        var configuration = Terminal.Configuration(merchantName: "Corner Shop", terminalID: "LANE0001", currency: .euro)
        configuration.mode = .test
        configuration.offline = OfflinePolicy(maximumCount: 20, maximumAmount: 50_00, maximumTotal: 500_00)
        let terminal = Terminal(configuration: configuration, host: host, journal: MemoryJournal())
        try await terminal.connect(VirtualReader(card: VirtualCard(card)), kernel: kernel, pinPad: BenchPINPad.make())
        return try await terminal.processSale(Sale(orderID: "order-18", amount: "12.34 EUR"))
    }
}
