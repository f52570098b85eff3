public import PaymentTerminal
public import TerminalFiles

/// How an application opens the gateway: with secrets from files, over HTTP.
extension RESTGateway {
    /// - Parameter now: the clock by which tokens expire.
    public init(
        _ address: GatewayAddress, account: Account, options: ConnectionOptions = ConnectionOptions(),
        now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }
    ) throws(HostError) {
        try self.init(address, account: account, options: options, now: now) { () throws(HostError) in
            try HTTPClientNetwork(options)
        }
    }

    /// The gateway for the terminal of a configuration file.
    ///
    /// - Parameters:
    ///   - address: As ``GatewayAddress`` reads it.
    ///   - file: Names the terminal.
    ///   - apiKeyFile: A file with the API key, for its owner only.
    /// - Throws: ``GatewayAddressError``; ``SecretFileError`` if the key's file cannot be read, or
    ///   others can read it; ``HostError`` for CA certificates that cannot be read.
    public init(
        _ address: String, for file: TerminalFile, apiKeyFile: String, options: ConnectionOptions = ConnectionOptions()
    ) throws {
        try self.init(
            GatewayAddress(address), account: Account(terminalID: file.terminal.terminalID, apiKeyFile: apiKeyFile),
            options: options)
    }
}

extension RESTGateway.Account {
    /// - Parameter apiKeyFile: A file with the API key, for its owner only.
    /// - Throws: ``SecretFileError`` if the file cannot be read, or others can read it.
    public init(terminalID: String, apiKeyFile: String, deviceType: String = "CARDPRESENT") throws(SecretFileError) {
        try self.init(terminalID: terminalID, apiKey: SecretFile.read(apiKeyFile), deviceType: deviceType)
    }
}
