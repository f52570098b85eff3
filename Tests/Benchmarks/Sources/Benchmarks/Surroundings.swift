import EMVKernel
import SmartCard

/// Answers each command as the recording did: commands are always the same, since date, amount and unpredictable number are. An enciphered PIN is not,
/// and is answered by its header.
struct ScriptedCard: CardChannel {
    private let answers: [[UInt8]: ResponseAPDU]
    private let verifyAnswer: ResponseAPDU

    init(_ exchanges: [APDUTrace.Exchange]) {
        answers = Dictionary(exchanges.map { ($0.command.bytes, $0.response) }) { first, _ in first }
        verifyAnswer = exchanges.first { $0.command.instruction == .verify }?.response ?? ResponseAPDU(status: .instructionNotSupported)
    }

    func transmit(_ command: CommandAPDU) async throws(CardChannelError) -> ResponseAPDU {
        if command.instruction == .verify { return verifyAnswer }
        return answers[command.bytes] ?? ResponseAPDU(status: .fileNotFound)
    }
}

/// A card that does whatever its issuer says: the cryptography of issuer authentication and scripts is the card's and the issuer's, not the terminal's.
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
