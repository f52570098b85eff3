import Bytes
import CardCryptography
public import EMVKernel
import KernelDoubles
import SeededNumbers
import SmartCard
import Synchronization
import TLV
import VirtualCard

/// Cards of every kind, and their conversations with the kernel under mutation.
///
/// RSA keys and what the cards draw by chance are the same in every run, so that a seed tells all;
/// elliptic curve keys and signatures are not, and of XDA a seed tells what is changed and where.
public struct MutationBench: Sendable {
    /// How many commands a mutated conversation may have more than the undisturbed one.
    public static let additionalCommands = 64
    /// How many bytes more a mutated conversation may have live.
    public static let additionalMemory = 4 << 20

    private struct Conversation {
        let kind: ConversationKind
        let card: PersonalizedCard
        let kernel: ContactKernel
        /// The answers of the undisturbed conversation.
        var honest: [ResponseAPDU] = []
    }

    /// What one seed led to.
    public struct Run: Sendable {
        public let seed: UInt64
        public let kind: ConversationKind
        public let outcome: Outcome
        /// How many more than in the undisturbed conversation, negative for fewer.
        public let additionalCommands: Int
        /// Bytes, by what the bench was given to measure with.
        public let additionalMemory: Int
        /// What must not be, one line each.
        public let violations: [String]
    }

    private var conversations: [Conversation] = []
    private let memory: @Sendable () -> Int

    /// - Parameter memory: The bytes in use in the process; it is asked at each command and
    ///   compared within one run, so runs that are measured must not overlap.
    public init(memory: @escaping @Sendable () -> Int = { 0 }) async throws {
        self.memory = memory
        let personalizer = try Self.personalizer()
        for kind in ConversationKind.allCases {
            let card = try personalizer.personalize(kind.profile, iccKey: Self.cardKey())
            var conversation = Conversation(kind: kind, card: card, kernel: ContactKernel(kind.configuration(card)))
            let channel = MutatedCard(Self.card(conversation, seed: 0), nil, limit: .max, memory: { 0 })
            let outcome = await Self.perform(conversation, channel) { _ in }
            guard outcome.decision == kind.undisturbed else { throw MutationError.undisturbed(kind, outcome.decision) }
            conversation.honest = await channel.answers
            conversations.append(conversation)
        }
    }

    /// How the conversation ends that nobody mutates.
    public func undisturbed(_ kind: ConversationKind) async -> Outcome {
        guard let conversation = conversations.first(where: { $0.kind == kind }) else {
            preconditionFailure("there is one of each kind")
        }
        return await Self.perform(conversation, Self.card(conversation, seed: 0)) { _ in }
    }

    /// The kind of conversation follows from the seed too.
    public func run(_ seed: UInt64) async -> Run {
        // fits: a remainder of their number
        let conversation = conversations[Int(seed % UInt64(conversations.count))]
        let limit = conversation.honest.count + Self.additionalCommands
        let card = Self.card(conversation, seed: seed)
        let channel = MutatedCard(card, Mutator(seed: seed, honest: conversation.honest), limit: limit, memory: memory)
        let before = memory()
        var last: KernelEvent?
        let outcome = await Self.perform(conversation, channel) { last = $0 }
        let after = memory()
        let additional = await channel.count - conversation.honest.count
        let used = max(after, await channel.peak) - before

        var violations: [String] = []
        if additional > Self.additionalCommands { violations.append("more commands than \(limit)") }
        if used > Self.additionalMemory { violations.append("\(used) bytes of additional memory") }
        if last != .completed(outcome.decision) { violations.append("the last event is not the outcome") }
        switch outcome.decision {
        case .approved(let path):
            if outcome.cryptogram != .tc { violations.append("approved without a TC") }
            if path == .online && conversation.kind.undisturbed != .approved(.online) {
                violations.append("approved without issuer")
            }
        case .declined, .terminated:
            if outcome.requiresSignature { violations.append("a signature for what is not approved") }
        }
        return Run(
            seed: seed, kind: conversation.kind, outcome: outcome, additionalCommands: additional,
            additionalMemory: used,
            violations: violations)
    }

    private static func perform(
        _ conversation: Conversation, _ channel: any CardChannel, _ observe: @escaping (KernelEvent) -> Void
    ) async -> Outcome {
        await conversation.kernel.perform(
            conversation.kind.request, card: channel, cardholder: FirstChoice(pinPad: PINKnowingPad()),
            issuer: ScriptingIssuer(card: conversation.card, kind: conversation.kind),
            environment: FixedEnvironment(number: [0xDE, 0xAD, 0xBE, 0xEF]), observe: observe)
    }

    private static func card(_ conversation: Conversation, seed: UInt64) -> VirtualCard {
        let random = Mutex(SplitMix(seed: ~seed))
        return VirtualCard(conversation.card) { count in random.withLock { $0.bytes(count) } }
    }
}

// MARK: - Keys

extension MutationBench {
    /// Two primes, made with `openssl prime -generate -hex` for this bench alone, p ≡ 2 mod 3.
    private typealias Primes = (String, String)

    private static let authority: Primes = (
        "C5BCABB08D49F962AD77E705F08D499EC381FFCFB217C1D77F966F48059E189A7B64498828A087C4E89AB234C7125D27F49141DE3D27E9D476798F6FA29FB6C100939134089E25A1"
            + "4029A0744F3F0966B98315F6C6D2D28D",
        "D2B467EC63C3B9C46E64B27039D5EE3BE6929A555355816F5E69E74CB64985229E6450DEEF8AF1AC8CB328F075740196ED6AC4AA30C03B9E0533C59C10B072FDAE1FAE26FF278C79"
            + "C636355BDE5C85AF42D7E9E0DD85A75F"
    )
    private static let issuer: Primes = (
        "CB49A87E72FBA3931500E08213C21793533CA6418DBED13AD940F2CD13689043F9407DCE34131068B21E60FC5CFDA7AFC5231BFA7B2102B9918B5063A4512772CD219604C4CC17AD",
        "C96933F10F13B094AB8326F58080504F7486F8D2F8C87CFD66062F5E2511FF5321458FA9E6EA4E3549E6973F18A4F57FF108B5A563846B4C66207C11B1E20DA604440AD9D368D2E1"
    )
    private static let icc: Primes = (
        "C04FBEC31DBDE98D6CB15F5FE626DC1898B77AA22BA59BAADBCB1876546D30E68B6FB33D38B9782D30AF8999742DE2AE46B35C1CF96DFDF8C39DB38BE98EC433",
        "D888F14B624D6556CE8C07E861B6656A7575BD579FA42D8E9C1281E47A7A900C639CF29F6BF630F38D36356223BD9EE7BFCE7BFE7B3C9638B3537A4E5B82D4FF"
    )

    static func personalizer() throws -> CardPersonalizer {
        CardPersonalizer(authority: try key(authority), issuer: try key(issuer))
    }
    static func cardKey() throws -> RSAPrivateKey { try key(icc) }

    private static func key(_ primes: Primes) throws -> RSAPrivateKey {
        try RSAPrivateKey(
            prime1: SecretBytes([UInt8](hex: primes.0)), prime2: SecretBytes([UInt8](hex: primes.1)), exponent: 3)
    }
}

public enum MutationError: Error {
    /// A conversation that nobody mutates ends otherwise than it should.
    case undisturbed(ConversationKind, Outcome.Decision)
    case undisturbedTap(TapKind)
}
