public import CardCapture
public import PaymentTerminal
public import TerminalFiles

/// How an application opens the gateway: with secrets from files, over HTTP.
extension XMLGateway {
    /// - Parameter clock: of the terminal, for messages that carry no time of their own.
    public init(
        _ address: GatewayAddress, account: Account, options: ConnectionOptions = ConnectionOptions(),
        clock: @escaping @Sendable () -> Timestamp
    ) throws(HostError) {
        try self.init(address, account: account, options: options, clock: clock) { () throws(HostError) in
            try HTTPClientNetwork(options)
        }
    }

    /// The gateway for the terminal of a configuration file.
    ///
    /// - Parameters:
    ///   - address: As ``GatewayAddress`` reads it.
    ///   - file: Names the terminal.
    ///   - secretFile: A file with the secret, for its owner only.
    ///   - hasSeveralCurrencies: For terminals with several currencies.
    /// - Throws: ``GatewayAddressError``; ``SecretFileError`` if the secret's file cannot be read,
    ///   or others can read it; ``HostError`` for CA certificates that cannot be read.
    public init(
        _ address: String, for file: TerminalFile, secretFile: String, hasSeveralCurrencies: Bool = false,
        options: ConnectionOptions = ConnectionOptions()
    ) throws {
        try self.init(
            GatewayAddress(address),
            account: Account(
                terminalID: file.terminal.terminalID, secret: SecretFile.read(secretFile),
                hasSeveralCurrencies: hasSeveralCurrencies),
            options: options, clock: Timestamp.now)
    }
}
