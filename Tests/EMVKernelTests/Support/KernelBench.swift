import Bytes
import CardCryptography
import EMVKernel
import KernelDoubles
import SmartCard
import TLV

/// A terminal, and whoever stands around it.
struct KernelBench {
    var configuration = {
        var configuration = TerminalConfiguration(
            capabilities: [
                .contactChip, .plaintextOfflinePIN, .encipheredOnlinePIN, .signature, .encipheredOfflinePINByRSA,
                .noCVM,
            ],
            additionalCapabilities: [.goods, .services], countryCode: 56,
            applications: [ApplicationConfiguration(aid: bytes(CardImage.aid), versions: [0x0096], floorLimit: 50_00)],
            caKeys: [], usesPaymentSystemEnvironment: false)
        configuration.allowsPlaintextOfflinePIN = true
        return configuration
    }()
    var request = TransactionRequest(
        amount: 10_00, currencyCode: 978, date: [0x26, 0x03, 0x09], time: [0x12, 0x00, 0x00])
    var cardholder = RecordingCardholder()
    var issuer = TestIssuer(.unableToGoOnline)
    var environment = FixedEnvironment(number: [0xDE, 0xAD, 0xBE, 0xEF])

    struct Run {
        let outcome: Outcome
        let events: [KernelEvent]

        var decision: Outcome.Decision { outcome.decision }
        var tvr: String { outcome.tvr.description }
        var tsi: String { outcome.tsi.description }
    }

    func run(_ card: any CardChannel) async -> Run {
        var events: [KernelEvent] = []
        let outcome = await ContactKernel(configuration).perform(
            request, card: card, cardholder: cardholder, issuer: issuer, environment: environment
        ) { events.append($0) }
        return Run(outcome: outcome, events: events)
    }

    func run(_ image: CardImage) async -> Run { await run(image.card()) }

    /// The run, and the commands of it that begin with `prefix`.
    func run(_ image: CardImage, sent prefix: String) async -> (run: Run, sent: [String]) {
        let card = image.card()
        let run = await run(card)
        return (run, await card.sent.filter { $0.hasPrefix(prefix) })
    }

    /// Sets what is in the terminal's only application.
    mutating func application(_ change: (inout ApplicationConfiguration) -> Void) {
        change(&configuration.applications[0])
    }
}

struct RecordingCardholder: Cardholder {
    var pinPad: (any PINPad)?
    /// What the cardholder chooses of any list.
    var choice: Int?
    /// What the cardholder answers when asked for a language; nil for a terminal that cannot ask.
    var language: Language?
    let asked = Questions()

    actor Questions {
        private(set) var names: [[String]] = []
        private(set) var languages: [String] = []
        private(set) var languageQuestions = 0
        /// What came, in its order.
        private(set) var order: [String] = []

        func append(_ candidates: [Candidate]) {
            names.append(candidates.map(\.name.hex))
            order.append("choose application")
        }

        func append(_ language: Language) {
            languages.append(language.code)
            order.append("use \(language)")
        }

        func askForLanguage() {
            languageQuestions += 1
            order.append("choose language")
        }
    }

    func chooseApplication(_ candidates: [Candidate]) async -> Int? {
        await asked.append(candidates)
        return choice
    }

    func chooseLanguage(_ languages: [Language]) async -> Language? {
        await asked.askForLanguage()
        return language
    }

    func use(_ language: Language) async { await asked.append(language) }
}

/// A scripted PIN pad that keeps the numbers of tries that it was given.
actor TestPINPad: PINPad {
    enum Behavior: Sendable { case enters, bypasses, fails, cancels }

    private let behavior: Behavior
    private(set) var tries: [UInt8?] = []

    init(_ behavior: Behavior) { self.behavior = behavior }

    func enterOnlinePIN(pan: SecretBytes, amount: UInt64, currencyCode: UInt16) async -> OnlinePINEntry {
        switch behavior {
        case .enters:
            .entered(
                format: .iso0, pinBlock: [1, 2, 3, 4, 5, 6, 7, 8],
                ksn: [0xFF, 0xFF, 0x98, 0x76, 0x54, 0x32, 0x10, 0xE0, 0, 1])
        case .bypasses: .bypassed
        case .fails: .failed
        case .cancels: .cancelled
        }
    }

    /// Enters 1234, whose plaintext block is 241234FFFFFFFFFF (EMV 4.4 Book 3, table 25).
    func verifyOfflinePIN(
        _ form: OfflinePINForm, triesLeft: UInt8?, card: any CardChannel
    ) async throws(CardChannelError) -> OfflinePINEntry {
        tries.append(triesLeft)
        switch behavior {
        case .enters:
            switch form {
            case .plaintext:
                return .answered(try await card.transmit(.verify(qualifier: 0x80, bytes("241234FFFFFFFFFF"))).status)
            case .enciphered(let key):
                let challenge = try await card.transmit(.getChallenge)
                guard challenge.status == .success, challenge.data.count == 8 else { return .noChallenge }
                guard let pin = PIN(ascii: "1234".utf8),
                    let data = try? OfflinePINEncipherment.encipher(pin, unpredictableNumber: challenge.data, key: key)
                else { return .failed }
                return .answered(try await card.transmit(.verify(qualifier: 0x88, data)).status)
            case .encipheredByECC(let encipherment):
                let challenge = try await card.transmit(.getChallenge)
                guard challenge.status == .success, challenge.data.count == 8 else { return .noChallenge }
                guard let pin = PIN(ascii: "1234".utf8),
                    let data = try? encipherment.encipher(pin, unpredictableNumber: challenge.data)
                else { return .failed }
                return .answered(try await card.transmit(.verify(qualifier: 0x8A, data)).status)
            }
        case .bypasses: return .bypassed
        case .fails: return .failed
        case .cancels: return .cancelled
        }
    }
}

actor TestIssuer: OnlineAuthorizer {
    private let answer: OnlineAnswer
    private let referral: ReferralAnswer
    private(set) var requests: [OnlineRequest] = []
    /// How often somebody called.
    private(set) var referrals = 0

    init(_ answer: OnlineAnswer) {
        self.answer = answer
        referral = .declined
    }

    /// Answers with the code in two characters.
    init(
        _ code: String, authenticationData: String? = nil, scripts: [String] = [], referral: ReferralAnswer = .declined
    ) {
        self.referral = referral
        answer = .answered(
            IssuerResponse(
                responseCode: Array(code.utf8), authenticationData: authenticationData.map { bytes($0) },
                scripts: scripts.map { bytes($0) }
            ))
    }

    func authorize(_ request: OnlineRequest) async -> OnlineAnswer {
        requests.append(request)
        return answer
    }

    func resolveReferral(_ response: IssuerResponse, _ request: OnlineRequest) async -> ReferralAnswer {
        referrals += 1
        return referral
    }
}
