import Bytes
import CardCapture
import CardModels
import CardProfiles
import Contactless
import EMVKernel
import Foundation
import KernelDoubles
import Kernels
import SmartCard
import Synchronization
import TLV
import Testing
import VirtualCard

/// Every card of Vectors/cards/contactless that has no fault of its own leaves the field: at each
/// of its answers, and in the longest one at each byte. The reader is ours, from Entry Point down
/// to the blocks of ISO/IEC 14443-4; only the air is a model.
@Suite("Cards that leave the field at any answer, and at any byte of one") struct TornTapTests {
    private static let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appending(path: "Vectors/cards/contactless")

    fileprivate static func file(_ name: String) throws -> CardProfileFile {
        try CardProfileFile(parsing: String(contentsOf: folder.appending(path: name), encoding: .utf8))
    }

    static let names = ContactlessCardVectorTests.names.filter { name in (try? file(name).faults.isEmpty) ?? false }
    /// One of each kernel, and those whose answers are not used at once.
    static let longest = [
        "visa-offline.json", "mastercard-offline.json", "mastercard-magstripe.json", "amex-offline.json",
        "unionpay-offline.json", "kernel-8-offline.json",
    ]

    @Test("At each answer, for good or until it is presented again", arguments: names) func leavesAtAnyAnswer(
        _ name: String
    ) async throws {
        let tap = try TornTap(name)
        let whole = try await tap.run(nil)
        for command in 1...max(1, whole.exchanges.count) where !whole.exchanges.isEmpty {
            for comesBack in [true, false] {
                let departure = TornTap.Departure(command: command, comesBack: comesBack)
                tap.check(
                    try await tap.run(departure), of: whole, departure, "command \(command), comes back: \(comesBack)")
            }
        }
    }

    @Test("In the longest answer at each byte", arguments: longest) func leavesAtAnyByte(_ name: String) async throws {
        let tap = try TornTap(name)
        let whole = try await tap.run(nil)
        let longest = try #require(
            whole.exchanges.indices.max { whole.exchanges[$0].count < whole.exchanges[$1].count })
        let count = whole.exchanges[longest].count
        #expect(count > 100)
        for bytes in 0..<count {
            let departure = TornTap.Departure(command: longest + 1, bytes: bytes, comesBack: true)
            tap.check(try await tap.run(departure), of: whole, departure, "byte \(bytes)")
        }
        for bytes in [0, count / 2, count - 1] {
            let departure = TornTap.Departure(command: longest + 1, bytes: bytes, comesBack: false)
            tap.check(try await tap.run(departure), of: whole, departure, "byte \(bytes), for good")
        }
        // All of it arrived: the card leaves before the next command only.
        let complete = TornTap.Departure(command: longest + 1, bytes: count, comesBack: true)
        tap.check(try await tap.run(complete), of: whole, complete, "after the last byte")
    }

    /// EMV Contactless Book C-2, S9 to S11.
    @Test("In GENERATE AC at each byte: the record is kept, and the card that comes back gives the same cryptogram")
    func tornTransaction() async throws {
        let tap = try TornTap("mastercard-torn.json")
        let whole = try await tap.run(nil)
        let position = try #require(whole.exchanges.firstIndex { $0.instruction == 0xAE })
        #expect(whole.decision == .approvedOffline)
        #expect(whole.counter == [0, 1])
        #expect(whole.tornRecords == 0)
        for bytes in 0..<whole.exchanges[position].count {
            let gone = try await tap.run(TornTap.Departure(command: position + 1, bytes: bytes, comesBack: false))
            #expect(gone.tornRecords == 1, "byte \(bytes)")
            #expect(gone.asked == 0, "byte \(bytes)")
            #expect(gone.decision != .approvedOffline, "byte \(bytes)")
            let back = try await tap.run(TornTap.Departure(command: position + 1, bytes: bytes, comesBack: true))
            #expect(back.decision == .approvedOffline, "byte \(bytes)")
            #expect(back.counter == [0, 1], "byte \(bytes)")
            #expect(back.tornRecords == 0, "byte \(bytes)")
            #expect(back.exchanges.contains { $0.instruction == 0xD0 })
            #expect(!back.exchanges.contains { $0.instruction == 0xAE })
        }
        // Before the cryptogram nothing is torn.
        for command in 1...position {
            #expect(
                try await tap.run(TornTap.Departure(command: command, comesBack: false)).tornRecords == 0,
                "command \(command)")
        }
    }
}

/// A card of a profile at our reader.
private struct TornTap {
    /// A departure during an answer.
    struct Departure {
        /// The number of the command in its presentation, from 1.
        var command: Int
        /// Bytes of the answer, its status word among them, that still arrive.
        var bytes = 0
        /// Whether the card stays at its second presentation.
        var comesBack: Bool
    }

    struct Run {
        var decision: CaptureOutcome.Decision?
        var error: CaptureError?
        var counter: [UInt8]?
        var asked: Int
        var presentations: Int
        var isFieldOn: Bool
        /// Headers of the commands, and lengths of the answers, of the last presentation.
        var exchanges: [(instruction: UInt8, count: Int)]
        var commands: Int
        var tornRecords: Int
    }

    private let file: CardProfileFile
    private let card: PersonalizedCard

    init(_ name: String) throws {
        file = try TornTapTests.file(name)
        card = try PersonalizedCard.make(file.profile)
    }

    func run(_ departure: Departure?) async throws -> Run {
        let expectation = try #require(file.expectation)
        let field = TornField(
            VirtualCard(card, interface: .contactless), departure.map { ($0.command, $0.bytes, $0.comesBack) })
        let limits = TransactionLimits(transactionLimit: 250_01, floorLimit: 25_00, cvmRequiredLimit: 50_00)
        var visa = Combination.visa(limits: limits)
        visa.qualifiers?.insert(.issuerUpdateProcessing)
        let reader = ContactlessReader(
            slot: field,
            configuration: EntryPointConfiguration(
                terminal: TerminalConfiguration.attended(countryCode: 840, applications: [], caKeys: card.caPublicKeys),
                combinations: [
                    visa, .mastercard(limits: limits), .americanExpress(limits: limits), .unionPay(limits: limits),
                    .kernel8(aid: [0xF0, 0x00, 0x00, 0x00, 0x01, 0x00, 0x08], limits: limits),
                ], maximumPresentations: 4),
            cardholder: FirstChoice(), clock: { Timestamp(secondsSince1970: 1_773_057_600) },
            timing: .init(uptime: { .zero }, pause: { _ in }))
        let memory = TornMemory()
        let asked = Mutex(0)
        var request = CaptureRequest(amount: expectation.amount, currencyCode: 840, sequenceCounter: 1)
        request.memory = memory
        var (decision, failure, counter): (CaptureOutcome.Decision?, CaptureError?, [UInt8]?)
        do throws(CaptureError) {
            let outcome = try await reader.capture(request) { _ in
                asked.withLock { $0 += 1 }
                return .answered(.init(responseCode: "00", issuerAuthenticationData: [1, 2, 3, 4, 5, 6, 7, 8]))
            }
            decision = outcome.decision
            counter = outcome.card?.chip?.elements[.applicationTransactionCounter]
        } catch {
            failure = error
        }
        return Run(
            decision: decision, error: failure, counter: counter, asked: asked.withLock { $0 },
            presentations: await field.presentations,
            isFieldOn: await field.isFieldOn, exchanges: await field.exchanges, commands: await field.commands,
            tornRecords: TornTransactionLog(encoded: try await memory.tornTransactions() ?? SecretBytes([])).records
                .count)
    }

    /// What holds regardless of where the card leaves.
    func check(_ run: Run, of whole: Run, _ departure: Departure, _ comment: Comment) {
        #expect(!run.isFieldOn, comment)
        #expect(run.asked <= 1, comment)
        #expect(run.presentations <= 5, comment)
        #expect(run.commands <= 5 * (whole.commands + 4), comment)
        let isApproved = run.decision == .approvedOffline || run.decision == .approvedOnline
        #expect(!isApproved || run.decision == whole.decision, comment)
        #expect(run.decision != .approvedOnline || run.asked == 1, comment)
        #expect(run.decision != .approvedOffline || run.asked == 0, comment)
        if departure.comesBack {
            #expect(run.decision == whole.decision, comment)
            #expect(run.asked == whole.asked, comment)
        } else if departure.command <= whole.lastNeeded {
            #expect(!isApproved, comment)
            #expect(run.asked == 0, comment)
        }
    }
}

/// A card in a field: our exchange of blocks, and a model of the card's side of it.
private actor TornField: CardSlot {
    nonisolated let name = "Field"
    nonisolated let capabilities: ReaderCapabilities = [.contactlessChip, .cardEvents]
    nonisolated let events = ReaderEvents()
    private let card: VirtualCard
    private let departure: (command: Int, bytes: Int, comesBack: Bool)?
    private(set) var isFieldOn = false
    private(set) var presentations = 0
    /// Of all presentations.
    private(set) var commands = 0
    private var channel: TornChannel?

    init(_ card: VirtualCard, _ departure: (command: Int, bytes: Int, comesBack: Bool)?) {
        self.card = card
        self.departure = departure
    }

    /// Of the last presentation.
    var exchanges: [(instruction: UInt8, count: Int)] { get async { await channel?.exchanges ?? [] } }

    func powerOn() async throws(CaptureError) -> any CardChannel {
        isFieldOn = true
        presentations += 1
        await card.reset()
        let leaves = presentations == 1 || departure?.comesBack == false
        let opened = TornChannel(card, leavesAt: leaves ? departure.map { ($0.command, $0.bytes) } : nil) { [self] in
            await count()
        }
        channel = opened
        return opened
    }

    private func count() { commands += 1 }

    func powerOff() async { isFieldOn = false }
}

private actor TornChannel: CardChannel {
    /// What the card's side is to answer.
    private final class Reply: Sendable {
        private let state = Mutex<(bytes: [UInt8], isAsked: Bool)>(([], false))

        var isAsked: Bool { state.withLock { $0.isAsked } }
        func begin() { state.withLock { $0.isAsked = false } }
        func set(_ bytes: [UInt8]) { state.withLock { $0.bytes = bytes } }
        func take() -> [UInt8] {
            state.withLock {
                $0.isAsked = true
                return $0.bytes
            }
        }
    }

    private let card: VirtualCard
    private let departure: (command: Int, bytes: Int)?
    private let onCommand: @Sendable () async -> Void
    private let reply = Reply()
    private var exchange = ISODEPExchange(
        ISODEPParameters(frameSizeInteger: 8, frameWaitingInteger: 8, guardInteger: 0))
    private var session: ISODEPCard
    private(set) var exchanges: [(instruction: UInt8, count: Int)] = []

    init(
        _ card: VirtualCard, leavesAt departure: (command: Int, bytes: Int)?,
        onCommand: @escaping @Sendable () async -> Void
    ) {
        self.card = card
        self.departure = departure
        self.onCommand = onCommand
        session = ISODEPCard { [reply] _ in reply.take() }
        session.frameSize = 256
    }

    func transmit(_ command: CommandAPDU) async throws(CardChannelError) -> ResponseAPDU {
        await onCommand()
        exchanges.append((command.ins, 0))
        var step = exchange.send(command.bytes)
        while true {
            switch step {
            case .send(let block, let waitingTime):
                // Does this block complete the command? Only then does the card execute it.
                var probe = session
                reply.begin()
                _ = probe.take(block, waitingTime)
                if reply.isAsked {
                    let answer = try await card.transmit(command).bytes
                    reply.set(answer)
                    exchanges[exchanges.count - 1].count = answer.count
                    if let departure, departure.command == exchanges.count {
                        session.partSize = 1
                        session.leavesAt = session.blocks + 1 + 2 * departure.bytes
                    }
                }
                step = exchange.take(session.take(block, waitingTime))
            case .end(.answered(let bytes)):
                guard let response = ResponseAPDU(bytes: bytes.wrappedValue) else {
                    throw .malformedAnswer(.noStatusWord)
                }
                return response
            case .end(.failed(let failure)): throw CardChannelError(failure)
            case .end(.present), .end(.deselected): throw .malformedAnswer(.unexpectedBlock)
            }
        }
    }
}

/// A terminal's memory that keeps torn transactions.
private final class TornMemory: CardMemory {
    private let records = Mutex<SecretBytes?>(nil)

    func isOnExceptionFile(pan: [UInt8], sequenceNumber: UInt8?) -> Bool { false }
    func amountOfLastTransaction(pan: [UInt8], sequenceNumber: UInt8?) -> UInt64 { 0 }
    func tornTransactions() async throws(CaptureError) -> SecretBytes? { records.withLock { $0 } ?? SecretBytes([]) }
    func keepTornTransactions(_ kept: SecretBytes) async throws(CaptureError) { records.withLock { $0 = kept } }
}

extension TornTap.Run {
    /// The number of the last command without which the card has no part in the payment: the one
    /// with its cryptogram or code, and for cards that give it first, their records.
    fileprivate var lastNeeded: Int {
        let deciding = exchanges.lastIndex { [0xAE, 0x2A].contains($0.instruction) }
        return (deciding ?? exchanges.lastIndex { [0xA8, 0xB2].contains($0.instruction) } ?? -1) + 1
    }
}
