import CardPresent

enum Till {
    static func rest(_ folder: String) throws -> any PaymentHost {
        let gateway = try RESTGateway(
            GatewayAddress("http://127.0.0.1:8080/merchant"),
            account: .init(terminalID: "LANE0001", apiKeyFile: "\(folder)/gateway.key"))
        return gateway
    }

    static func xml(_ secret: SecretBytes) throws -> any PaymentHost {
        let gateway = try XMLGateway(
            GatewayAddress("http://127.0.0.1:8080/merchant"),
            account: .init(terminalID: "LANE0001", secret: secret), clock: Timestamp.now)
        return gateway
    }

    static func connect(_ terminal: Terminal, path: String, caKeys: [CAPublicKey]) async throws {
        let reader = try ABECSReader(path: path)
        try await terminal.connect(
            reader, magstripe: reader, kernel: .attended(countryCode: 76, caKeys: caKeys, hasPINPad: true),
            pinPad: ABECSPINPad(reader, keyIndex: 1))
    }
}
