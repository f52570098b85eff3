import Bytes
import Contactless
import EMVKernel
import KernelDoubles
import SmartCard
import TLV
import Testing

/// Entry Point over a card of answers and a kernel that ends as a test wants it
/// (EMV Contactless Book B).
struct EntryPointBench {
    var combinations: [Combination] = [.visa(), .mastercard()]
    var request = TransactionRequest(
        amount: 10_00, currencyCode: 978, date: [0x26, 0x03, 0x09], time: [0x12, 0x00, 0x00])
    var terminalCountry: UInt16 = 250
    var maximumPresentations = 8

    func entryPoint() -> EntryPoint {
        let terminal = TerminalConfiguration(
            capabilities: [.signature, .noCVM], additionalCapabilities: [.goods], countryCode: terminalCountry,
            applications: [], caKeys: []
        )
        var configuration = EntryPointConfiguration(terminal: terminal, combinations: combinations)
        configuration.maximumPresentations = maximumPresentations
        return EntryPoint(
            configuration, request: request,
            environment: FixedEnvironment(number: [0x11, 0x22, 0x33, 0x44], percentage: 50))
    }

    /// Everything that was shown and sent until the end, with `answers` in their order.
    func run(_ answers: [String]) throws -> Run {
        var entryPoint = entryPoint()
        return try Run(&entryPoint, entryPoint.start(), answers)
    }

    struct Run {
        private(set) var shown: [UserInterfaceRequest] = []
        private(set) var sent: [String] = []
        private(set) var polls: [UInt32] = []
        private(set) var outcome: ContactlessOutcome

        /// - Parameter answers: Data and status word in hexadecimal, or "lost" for none.
        init(_ entryPoint: inout EntryPoint, _ first: EntryPoint.Step, _ answers: [String]) throws {
            var step = first
            var rest = answers[...]
            for _ in 0..<100 {
                shown += step.show
                switch step.action {
                case .poll(let fieldOff):
                    polls.append(fieldOff)
                    step = entryPoint.next(.cardPresent)
                case .waitForEmptyField: step = entryPoint.next(.fieldEmpty)
                case .transmit(let command):
                    sent.append(command.bytes.hex)
                    let next = rest.popFirst()
                    let answer = try #require(next, "no answer to \(command.bytes.hex)")
                    if answer == "lost" {
                        step = entryPoint.next(.failed(.cardRemoved))
                    } else {
                        let response = try #require(ResponseAPDU(bytes: try [UInt8](hex: answer)))
                        step = entryPoint.next(.answered(response, after: .zero))
                    }
                case .end(let outcome):
                    self.outcome = outcome
                    return
                }
            }
            throw Endless()
        }

        struct Endless: Error {}

        /// The AID of each SELECT of an application.
        var selected: [String] {
            sent.filter { $0.hasPrefix("00A40400") && !$0.contains("325041592E") }.map {
                String($0.dropFirst(10).dropLast(2))
            }
        }
        var messages: [UserInterfaceRequest.Message] { shown.map(\.message) }
    }
}

/// A kernel of which a test says how it ends.
struct ScriptedKernel: KernelConfiguration {
    var identifier: KernelIdentifier
    var isAccepting = true
    /// One for each time that it is started, the last one for all later ones.
    var outcomes: @Sendable (KernelActivation) -> ContactlessOutcome = { _ in ContactlessOutcome(.approved) }
    /// Whether it sends a command before it ends.
    var sends: CommandAPDU?

    func accepts(_ application: ApplicationInformation) -> Bool { isAccepting }
    func kernel(for activation: KernelActivation) -> any ContactlessKernel {
        Run(configuration: self, activation: activation)
    }

    struct Run: ContactlessKernel {
        let configuration: ScriptedKernel
        let activation: KernelActivation

        mutating func start() -> KernelStep {
            configuration.sends.map { KernelStep(.transmit($0)) }
                ?? KernelStep(.end(configuration.outcomes(activation)))
        }
        mutating func take(_ answer: ResponseAPDU, after elapsed: Duration) -> KernelStep {
            KernelStep(.end(configuration.outcomes(activation)))
        }
        mutating func fail(_ error: CardChannelError) -> KernelStep {
            var outcome = ContactlessOutcome(.tryAgain, start: .b)
            outcome.onRestart = UserInterfaceRequest(.presentCardAgain, .readyToRead)
            outcome.fieldOff = 7
            return KernelStep(.end(outcome))
        }
        mutating func resume(with response: IssuerResponse) -> KernelStep {
            KernelStep(.end(ContactlessOutcome(response.responseCode == Array("00".utf8) ? .approved : .declined)))
        }
    }
}

extension Combination {
    static func visa(
        _ limits: TransactionLimits = TransactionLimits(), _ kernel: ScriptedKernel = .init(identifier: .kernel3)
    ) -> Self {
        Combination(aid: [0xA0, 0, 0, 0, 0x03, 0x10, 0x10], limits: limits, qualifiers: [.emvMode], kernel: kernel)
    }
    static func mastercard(
        _ limits: TransactionLimits = TransactionLimits(), _ kernel: ScriptedKernel = .init(identifier: .kernel2)
    )
        -> Self
    {
        Combination(aid: [0xA0, 0, 0, 0, 0x04, 0x10, 0x10], limits: limits, kernel: kernel)
    }
}

/// One entry of a directory, and directories of them.
enum PPSE {
    static func answer(_ entries: [String]) throws -> String {
        let contents = try entries.flatMap { try [UInt8](hex: $0) }
        let bytes = tlv(.fciTemplate) { fci in
            fci.append(.dfName, "2PAY.SYS.DDF01".utf8)
            fci.append(.fciProprietaryTemplate) { $0.append(.fciIssuerDiscretionaryData, contents) }
        }
        return bytes.hex + "9000"
    }

    static func entry(_ aid: String, priority: UInt8? = nil, kernel: String? = nil, extended: String? = nil) throws
        -> String
    {
        tlv(.applicationTemplate) { entry in
            entry.append(.adfName, (try? [UInt8](hex: aid)) ?? [])
            if let priority { entry.append(.applicationPriorityIndicator, [priority]) }
            if let kernel { entry.append(.kernelIdentifier, (try? [UInt8](hex: kernel)) ?? []) }
            if let extended { entry.append(.extendedSelection, (try? [UInt8](hex: extended)) ?? []) }
        }.hex
    }

    /// An FCI with a name alone.
    static func application(_ aid: String) throws -> String {
        tlv(.fciTemplate) { $0.append(.dfName, (try? [UInt8](hex: aid)) ?? []) }.hex + "9000"
    }
}
