extension Terminal {
    /// The host's transactions that match the query: by default the last ten, newest first.
    ///
    /// - Returns: One page, and how the query is continued.
    public func transactions(_ query: TransactionQuery = TransactionQuery()) async throws(TerminalError)
        -> TransactionQuery.Page
    {
        try await exclusively(.transactions, nil, announcing: { .transactions($0.records) }) {
            (terminal) async throws(TerminalError) in
            guard query.page >= 0, (1...100).contains(query.pageSize) else {
                throw TerminalError(.invalidRequest, "invalid page: pages start at 0 and have 1 to 100 transactions")
            }
            do throws(HostError) {
                return try await terminal.asking("transactions") { host throws(HostError) in
                    try await host.transactions(query)
                }
            } catch {
                throw TerminalError(error)
            }
        }
    }

    /// The terminal's settings at the host.
    ///
    /// - Throws: ``HostError/Refusal/invalidRequest`` if the host names its currencies and the
    ///   terminal's is not among them.
    public func settings() async throws(TerminalError) -> HostSettings {
        try await exclusively(.settings, nil, announcing: { .settings($0) }) { (terminal) async throws(TerminalError) in
            let settings: HostSettings
            do throws(HostError) {
                settings = try await terminal.asking("settings") { host throws(HostError) in try await host.settings() }
            } catch {
                throw TerminalError(error)
            }
            guard settings.currencies?.contains(terminal.configuration.currency) ?? true else {
                throw TerminalError(
                    .invalidRequest,
                    "the host does not support \(terminal.configuration.currency): configure the terminal for another currency"
                )
            }
            return settings
        }
    }
}
