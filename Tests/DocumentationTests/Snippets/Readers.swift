import CardPresent

enum Readers {
    static func list() throws {
        for reader in try ReaderCatalog.readers() {
            print(reader.name, reader.node.node, reader.model.family.capabilities)
        }
    }

    static func chipAndMagstripe(
        _ found: ReaderCatalog.Found, stripe path: String, kernel: ContactKernel, cardholder: TerminalCardholder, clock: ShopClock
    ) async throws -> ChipAndMagstripeReader? {
        guard let slot = try await CCIDReader(found.node).open().first,
            let stripe = try ReaderCatalog.stripeSlot(.magTekSwipe, path: path)
        else { return nil }
        let chip = ChipReader(
            slot: slot, kernel: kernel, cardholder: cardholder, environment: ShopEnvironment(), now: { clock.localTime() })
        return ChipAndMagstripeReader(
            chip: chip, stripe: stripe, limits: ChipAndMagstripeReader.Limits(card: .seconds(60), fallback: .seconds(30)))
    }

    static func connect(_ terminal: Terminal, _ reader: ChipAndMagstripeReader, _ cardholder: TerminalCardholder) async throws {
        try await terminal.connect(reader, cardholder: cardholder)
        print(await terminal.connectedReader ?? "no reader")
    }
}
