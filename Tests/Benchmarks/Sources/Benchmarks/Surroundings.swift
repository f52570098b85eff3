import EMVKernel
import SmartCard

/// Answers each command as the recording did: commands are always the same, since date, amount and
/// unpredictable number are. An enciphered PIN is not, and is answered by its header.
struct ScriptedCard: CardChannel {
    private let exchanges: [APDUTrace.Exchange]

    init(_ exchanges: [APDUTrace.Exchange]) { self.exchanges = exchanges }

    func transmit(_ command: CommandAPDU) async throws(CardChannelError) -> ResponseAPDU {
        for exchange in exchanges where exchange.command.ins == command.ins && exchange.command.p1 == command.p1 {
            if exchange.command == command || command.instruction == .verify { return exchange.response }
        }
        return ResponseAPDU(status: .fileNotFound)
    }
}

/// A card that does what its issuer says: the cryptography of issuer authentication and scripts is
/// the card's and the issuer's, not the terminal's.
struct ObedientCard: CardChannel {
    let card: any CardChannel

    func transmit(_ command: CommandAPDU) async throws(CardChannelError) -> ResponseAPDU {
        if command.instruction == .externalAuthenticate || command.cla == 0x84 { return ResponseAPDU() }
        return try await card.transmit(command)
    }
}

struct BenchCardholder: Cardholder {
    var pinPad: (any PINPad)?
    func chooseApplication(_ candidates: [Candidate]) async -> Int? { 0 }
}

struct BenchIssuer: OnlineAuthorizer {
    let answer: OnlineAnswer
    func authorize(_ request: OnlineRequest) async -> OnlineAnswer { answer }
}

struct FixedEnvironment: EMVEnvironment {
    func unpredictableNumber() -> [UInt8] { [0x12, 0x34, 0x56, 0x78] }
    func randomPercentage() -> Int { 50 }
}
