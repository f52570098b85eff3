import CardPresent

enum Shop {
    /// - Parameters:
    ///   - address: Of the gateway.
    ///   - folder: For the journal and the keys.
    static func terminal(_ address: String, _ folder: String) async throws -> Terminal {
        let terminal = Terminal(
            configuration: Terminal.Configuration(merchantName: "Corner Shop", terminalID: "LANE0001", currency: .euro),
            host: try RESTGateway(
                GatewayAddress(address), account: .init(terminalID: "LANE0001", apiKeyFile: "\(folder)/gateway.key")),
            journal: try await SQLiteJournal.open(
                folder: "\(folder)/journal", key: JournalKey.file(path: "\(folder)/journal.key")))
        return terminal
    }

    static func fromFile(_ folder: String) async throws -> Terminal {
        let file = try TerminalFile.load("\(folder)/terminal.json")
        let terminal = try await Terminal(
            file, host: RESTGateway("https://gateway.example/merchant", for: file, apiKeyFile: "\(folder)/gateway.key"),
            journal: SQLiteJournal.open(folder: "\(folder)/journal", keyFile: "\(folder)/journal.key"))
        return terminal
    }

    static func connect(_ terminal: Terminal) async throws {
        try await terminal.connectReader(.contactChip)
    }

    static func readme() async throws -> Terminal {
        let file = try TerminalFile.load("/etc/pos/terminal.json")
        let terminal = try await Terminal(
            file, host: RESTGateway("https://gateway.example/merchant", for: file, apiKeyFile: "/etc/pos/gateway.key"),
            journal: SQLiteJournal.open(folder: "/var/lib/pos", keyFile: "/etc/pos/journal.key"))
        try await terminal.connectReader(.contactChip)
        return terminal
    }
}
