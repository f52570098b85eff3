import BenchHost
import Bytes
import CardCapture
import CardCryptography
import CardReaders
import EMVKernel
import EMVReplay
import FoundationEssentials
import PaymentTerminal
import SmartCard
import Synchronization
import TLV
import VirtualCard

/// Runs a case and records everything.
struct CaseRun {
    let trace: APDUTrace
    let outcome: Outcome

    private static let aids: [[UInt8]] = [
        [0xA0, 0, 0, 0, 0x03, 0x10, 0x10], [0xA0, 0, 0, 0, 0x03, 0x20, 0x10], [0xA0, 0, 0, 0, 0x04, 0x10, 0x10],
        [0xF0, 0, 0, 0, 0x01, 0x00, 0x01],
    ]

    init(_ example: TraceCase, on bench: CardPersonalizer) async throws {
        let card = try bench.personalize(example.profile)
        var configuration = TerminalConfiguration(
            capabilities: [
                .contactChip, .encipheredOfflinePINByRSA, .encipheredOfflinePINByECC, .encipheredOnlinePIN, .signature,
                .noCVM, .sda, .dda, .cda, .xda,
            ],
            additionalCapabilities: [
                .cash, .goods, .services, .cashback, .numericKeys, .printAttendant, .displayCardholder, .codeTable1,
            ],
            countryCode: 276,
            applications: Self.aids.map {
                ApplicationConfiguration(aid: $0, versions: [example.profile.versionNumber], floorLimit: 100_00)
            }, caKeys: card.caPublicKeys, usesPaymentSystemEnvironment: false)
        example.terminal(&configuration)

        let notes = Notes()
        let channel = RecordingChannel(ProcedureByteHandling(FaultyCard(VirtualCard(card), example.faults))) {
            command, error in
            notes.add(.unanswered(command))
            notes.add(.reader(APDUTrace.ReaderEvent(error)))
        } record: {
            notes.add(.exchange($0))
        }
        notes.add(.reader(.cardPresented))
        outcome = await ContactKernel(configuration).perform(
            example.request, card: channel, cardholder: try CaseCardholder(example.holder),
            issuer: try CaseIssuer(example),
            environment: CaseEnvironment(percentage: example.percentage, isOnExceptionFile: example.isOnExceptionFile)
        ) { notes.add(.decision(APDUTrace.Decision(phase: $0.phase.rawValue, summary: $0.summary))) }

        var terminal = RecordedTerminal(configuration: configuration, request: example.request)
        // Only the CA key of the application that ran.
        if let name = outcome.data.terminal[.applicationIdentifierTerminal] {
            terminal.configuration.caKeys = configuration.caKeys.filter { name.starts(with: $0.rid) }
        }
        trace = APDUTrace(
            metadata: [
                ("title", "Regression suite: \(example.name)"), ("reason", example.reason), ("expect", example.expect),
                ("issuer-master-key", example.profile.issuerMasterKeys.applicationCryptogram.bytes.revealed().hex),
            ] + terminal.metadata, entries: notes.entries)
    }
}

final class Notes: Sendable {
    private let taken = Mutex<[APDUTrace.Entry]>([])
    var entries: [APDUTrace.Entry] { taken.withLock(\.self) }
    func add(_ event: APDUTrace.Event) { taken.withLock { $0.append(APDUTrace.Entry(event)) } }
}

struct CaseEnvironment: EMVEnvironment {
    let percentage: Int
    let isOnExceptionFile: Bool
    func unpredictableNumber() -> [UInt8] { SecureRandom.bytes(4) }
    func randomPercentage() -> Int { percentage }
    func isOnExceptionFile(pan: [UInt8], sequenceNumber: UInt8?) -> Bool { isOnExceptionFile }
}

// MARK: - People

private struct CaseCardholder: Cardholder {
    let pinPad: (any PINPad)?

    init(_ holder: TraceCase.Holder) throws {
        func pad(_ behaviors: VirtualPINPad.Behavior...) throws -> VirtualPINPad {
            guard let serial = KeySerialNumber(try [UInt8](hex: "FFFF9876543210E00000")) else {
                throw CaseError("no serial number")
            }
            let key = try TDESDUKPT.initialKey(baseDerivationKey: CaseIssuer.pinKey(), serialNumber: serial)
            return VirtualPINPad(behaviors, initialKey: key, serialNumber: serial)
        }
        func enters(_ digits: String) throws -> VirtualPINPad.Behavior {
            guard let pin = PIN(ascii: digits.utf8) else { throw CaseError("no PIN") }
            return .enters(pin)
        }
        pinPad =
            switch holder {
            case .entersPIN: try pad(enters("1234"))
            case .entersWrongPIN: try pad(enters("4321"))
            case .entersWrongThenRightPIN: try pad(enters("4321"), enters("1234"))
            case .bypasses: try pad(.bypasses)
            case .findsPadBroken: try pad(.fails)
            case .hasNoPad: nil
            }
    }

    func chooseApplication(_ candidates: [Candidate]) async -> Int? { candidates.count - 1 }
}

struct CaseError: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
}
