import CardBench
import CardPresent

enum Readers {
    static func list() throws {
        for reader in try ReaderCatalog.readers() {
            print(reader.name, reader.node.node, reader.family.capabilities)
        }
    }

    static func connect(
        _ terminal: Terminal, _ found: ReaderCatalog.Found, stripe path: String, kernel: TerminalConfiguration
    ) async throws {
        guard case .chip(let slot) = try await found.open(),
            let stripe = try ReaderCatalog.magstripeSlot(.magTekSwipe, path: path)
        else { return }
        try await terminal.connect(slot, magstripe: stripe, kernel: kernel)
        print(await terminal.connectedReader ?? "no reader")
    }

    static func field(
        _ terminal: Terminal, _ chipReader: ReaderCatalog.Found, and contactlessReader: ReaderCatalog.Found
    ) async throws {
        try await terminal.connect(chipReader, field: contactlessReader)
    }

    static func chipAndMagstripe(_ chip: ChipReader, _ stripe: any MagstripeSlot) -> MultiInterfaceReader {
        let reader = MultiInterfaceReader(
            chip: chip, stripe: stripe, limits: MultiInterfaceReader.Limits(card: .seconds(60), fallback: .seconds(30)))
        return reader
    }
}
