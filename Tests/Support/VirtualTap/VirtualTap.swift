import Bytes
import CardCryptography
public import Contactless
public import EMVKernel
import KernelDoubles
public import SmartCard
public import TLV
public import VirtualCard

private let personalizer = Result { () throws(PersonalizationError) in try CardPersonalizer() }
private let cardKey = Result { () throws(RSAError) in try RSAPrivateKey.generate(modulusBits: 1024, exponent: 3) }

/// A virtual card at Entry Point and one kernel, and what may come between them.
public struct VirtualTap {
    public let card: PersonalizedCard
    public var combinations: [Combination]
    /// Attended, online and offline, with every interface and method.
    public var terminal: TerminalConfiguration
    /// 10.00 of the card's currency.
    public var request = TransactionRequest(
        amount: 10_00, currencyCode: 840, date: [0x26, 0x03, 0x09], time: [0x12, 0x00, 0x00])
    public var faults: [CardFault] = []
    public var maximumPresentations = 3
    /// Whether the terminal's exception file has a card.
    public var isListed: @Sendable ([UInt8]) -> Bool = { _ in false }
    /// Changes commands on their way to the card.
    public var ask: (CommandAPDU) -> CommandAPDU = { $0 }
    /// Changes answers on their way to the kernel.
    public var change: (CommandAPDU, ResponseAPDU) -> ResponseAPDU = { $1 }

    public init(_ profile: CardProfile, _ combinations: [Combination]) throws {
        card = try personalizer.get().personalize(profile, iccKey: cardKey.get())
        self.combinations = combinations
        terminal = TerminalConfiguration(
            type: .attendedOnlineWithOfflineCapability,
            capabilities: [.contactChip, .signature, .encipheredOnlinePIN, .sda, .dda, .cda],
            additionalCapabilities: [.goods], countryCode: 840, applications: [], caKeys: card.caPublicKeys)
    }

    public struct Run {
        public let outcome: ContactlessOutcome
        public let sent: [CommandAPDU]
        public let answers: [ResponseAPDU]
        public let shown: [UserInterfaceRequest]
        /// The reader's, after the transaction.
        package let tornTransactions: TornTransactionLog

        /// The data of the command, of the last one of several.
        public func data(of instruction: Instruction) -> [UInt8]? { sent.last { $0.instruction == instruction }?.data }
        public func count(_ instruction: Instruction) -> Int { sent.count { $0.instruction == instruction } }
        /// P1 of GENERATE AC.
        public var asked: UInt8? { sent.last { $0.instruction == .generateAC }?.p1 }
        public var tvr: TerminalVerificationResults? {
            outcome.data?.terminal[.terminalVerificationResults].flatMap(TerminalVerificationResults.init)
        }
    }

    public func run() async throws -> Run { try await run(VirtualCard(card, interface: .contactless)) }

    public func run(_ virtual: VirtualCard) async throws -> Run {
        var configuration = EntryPointConfiguration(terminal: terminal, combinations: combinations)
        configuration.maximumPresentations = maximumPresentations
        var environment = FixedEnvironment(percentage: 50)
        environment.isListed = isListed
        return try await Self.run(
            EntryPoint(configuration, request: request, environment: environment),
            with: FaultyCard(virtual, faults) { _ in }, ask: ask,
            change: change)
    }

    /// Runs a transaction with a card that is in the field at every poll.
    ///
    /// - Parameter elapsed: What each exchange takes.
    public static func run(
        _ entryPoint: EntryPoint, with card: FaultyCard, elapsed: Duration = .zero, ask: (CommandAPDU) -> CommandAPDU,
        change: (CommandAPDU, ResponseAPDU) -> ResponseAPDU
    ) async throws -> Run {
        var entryPoint = entryPoint
        var (step, sent, answers): (EntryPoint.Step, [CommandAPDU], [ResponseAPDU]) = (entryPoint.start(), [], [])
        var shown: [UserInterfaceRequest] = []
        while true {
            shown += step.show
            switch step.action {
            case .poll:
                await card.reset()
                step = entryPoint.next(.cardPresent)
            case .waitForEmptyField: step = entryPoint.next(.fieldEmpty)
            case .transmit(let command):
                sent.append(command)
                do throws(CardChannelError) {
                    let answer = change(command, try await card.transmit(ask(command)))
                    answers.append(answer)
                    step = entryPoint.next(.answered(answer, after: elapsed))
                } catch {
                    step = entryPoint.next(.failed(error))
                }
            case .end(let outcome):
                return Run(
                    outcome: outcome, sent: sent, answers: answers, shown: shown,
                    tornTransactions: entryPoint.tornTransactions)
            }
        }
    }

    // MARK: What the issuer makes of it

    /// Whether the cryptogram is that of the card's issuer, over what the acquirer is sent.
    public func isRight(_ outcome: ContactlessOutcome) throws -> Bool {
        let profile = card.profile
        let version = profile.cryptograms.version
        guard let data = outcome.data,
            let counter = data.card.integer(.applicationTransactionCounter).flatMap(UInt16.init(exactly:)),
            let number = AccountNumber(ascii: profile.account.pan.revealed())
        else { return false }
        let input = try version.input(
            terminalData: DOL.cryptogramInput.concatenate(data.terminal),
            applicationInterchangeProfile: data[.applicationInterchangeProfile] ?? [], atc: counter,
            issuerApplicationData: data[.issuerApplicationData] ?? [])
        let master = try version.masterKeyDerivation.cardMasterKey(
            from: profile.issuerMasterKeys.applicationCryptogram, pan: number,
            panSequenceNumber: profile.account.panSequenceNumber)
        let key = try version.sessionKeyDerivation.sessionKey(
            from: master, atc: counter, unpredictableNumber: data[.unpredictableNumber] ?? [])
        let expected = ApplicationCryptogram.compute(input, sessionKey: key, padding: version.padding)
        return data[.applicationCryptogram] == expected
    }
}

extension ResponseAPDU {
    /// With the first byte of the value of `tag` changed.
    public func corrupted(_ tag: TLV.Tag) -> ResponseAPDU {
        var walker = TLVWalker()
        var changed = self
        while let node = try? walker.next(in: data.span) {
            if node.tag == tag, !node.value.isEmpty { changed.data[node.value.lowerBound] ^= 0x01 }
        }
        return changed
    }

    /// With another value of `tag` of the same length.
    public func replacing(_ tag: TLV.Tag, with value: [UInt8]) -> ResponseAPDU {
        var walker = TLVWalker()
        var changed = self
        while let node = try? walker.next(in: data.span) {
            if node.tag == tag, node.value.count == value.count {
                changed.data.replaceSubrange(node.value, with: value)
            }
        }
        return changed
    }
}
