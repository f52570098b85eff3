import Bytes
import CardCryptography
import Contactless
import EMVKernel
import Foundation
import KernelDoubles
import Kernels
import SmartCard
import TLV
import Testing

let visaAID: [UInt8] = [0xA0, 0x00, 0x00, 0x00, 0x03, 0x10, 0x10]

/// One tap: a reader with Visa's kernel, and a card or its double.
struct Tap {
    var qualifiers: TerminalTransactionQualifiers = [
        .emvMode, .contactChip, .onlinePIN, .signature, .consumerDeviceCVM,
    ]
    var limits = TransactionLimits(floorLimit: 50_00)
    var dynamicReaderLimits: [DynamicReaderLimits] = []
    var supportsMagstripeMode = false
    var request = TransactionRequest(
        amount: 10_00, currencyCode: 978, date: [0x26, 0x03, 0x09], time: [0x12, 0x00, 0x00])
    var terminal = TerminalConfiguration(
        capabilities: [.signature, .noCVM], additionalCapabilities: [.goods], countryCode: 250, applications: [],
        caKeys: [])
    var environment = FixedEnvironment(number: [0x11, 0x22, 0x33, 0x44], percentage: 50)

    func entryPoint() -> EntryPoint {
        let combination = Combination(
            aid: visaAID, limits: limits, qualifiers: qualifiers,
            kernel: Kernel3Configuration(
                dynamicReaderLimits: dynamicReaderLimits, supportsMagstripeMode: supportsMagstripeMode))
        var configuration = EntryPointConfiguration(terminal: terminal, combinations: [combination])
        configuration.maximumPresentations = 2
        return EntryPoint(configuration, request: request, environment: environment)
    }

    struct Run {
        var outcome: ContactlessOutcome
        var sent: [String] = []
        var shown: [UserInterfaceRequest] = []

        /// What went to the card with the command that begins so, after its header.
        func data(of prefix: String) -> String? {
            sent.first { $0.hasPrefix(prefix) }.map { String($0.dropFirst(10).dropLast(2)) }
        }
    }

    func run(_ card: ScriptedCard) throws -> Run {
        var entryPoint = entryPoint()
        return try Self.run(&entryPoint, entryPoint.start(), card)
    }

    static func run(_ entryPoint: inout EntryPoint, _ first: EntryPoint.Step, _ card: ScriptedCard) throws -> Run {
        var (step, sent, shown): (EntryPoint.Step, [String], [UserInterfaceRequest]) = (first, [], [])
        while true {
            shown += step.show
            switch step.action {
            case .poll: step = entryPoint.next(.cardPresent)
            case .waitForEmptyField: step = entryPoint.next(.fieldEmpty)
            case .transmit(let command):
                sent.append(command.bytes.hex)
                if let answer = try card.answer(to: command) {
                    step = entryPoint.next(.answered(answer, after: .zero))
                } else {
                    step = entryPoint.next(.failed(.cardRemoved))
                }
            case .end(let outcome): return Run(outcome: outcome, sent: sent, shown: shown)
            }
        }
    }
}

/// A card of fixed answers: directory, application, processing options and records.
struct ScriptedCard {
    var pdol = "9F66049F02069F03069F1A0295055F2A029A039C019F3704"
    var program: String?
    /// The objects of the answer to GET PROCESSING OPTIONS; nil leaves one out that stands here.
    var options: [(TLV.Tag, String?)] = [
        (.applicationInterchangeProfile, "2000"), (.track2EquivalentData, "4761739001010010D221220111438444895F"),
        (.panSequenceNumber, "01"),
        (.issuerApplicationData, "06010A03A00000"), (.applicationCryptogram, "48325309BE82CBA2"),
        (.cryptogramInformationData, "80"),
        (.applicationTransactionCounter, "0077"),
    ]
    var optionsStatus: StatusWord = .success
    /// By P1 ‖ P2 of READ RECORD.
    var records: [UInt16: String] = [:]
    /// Commands that begin so have this answer, data and status word; an empty one is none.
    var answers: [(prefix: String, answer: String)] = []

    subscript(_ tag: TLV.Tag) -> String? {
        get { options.first { $0.0 == tag }?.1 }
        set {
            options.removeAll { $0.0 == tag }
            options.append((tag, newValue))
        }
    }

    func with(_ changes: [(TLV.Tag, String?)]) -> ScriptedCard {
        var card = self
        for (tag, value) in changes { card[tag] = value }
        return card
    }

    func answer(to command: CommandAPDU) throws -> ResponseAPDU? {
        if let scripted = answers.first(where: { command.bytes.hex.hasPrefix($0.prefix) }) {
            return scripted.answer.isEmpty ? nil : ResponseAPDU(bytes: try [UInt8](hex: scripted.answer))
        }
        switch command.ins {
        case 0xA4 where command.data.starts(with: Array("2PAY".utf8)): return ResponseAPDU(directory)
        case 0xA4: return ResponseAPDU(try application())
        case 0xA8: return ResponseAPDU(optionsStatus == .success ? try processingOptions() : [], status: optionsStatus)
        case 0xB2:
            guard let record = records[UInt16(command.p1) << 8 | UInt16(command.p2)] else {
                return ResponseAPDU(status: .recordNotFound)
            }
            return ResponseAPDU(try [UInt8](hex: record))
        default: return ResponseAPDU(status: .instructionNotSupported)
        }
    }

    private var directory: [UInt8] {
        tlv(.fciTemplate) { fci in
            fci.append(.dfName, "2PAY.SYS.DDF01".utf8)
            fci.append(.fciProprietaryTemplate) { proprietary in
                proprietary.append(.fciIssuerDiscretionaryData) { data in
                    data.append(.applicationTemplate) { $0.append(.adfName, visaAID) }
                }
            }
        }
    }

    private func application() throws -> [UInt8] {
        let list = try [UInt8](hex: pdol)
        let program = try program.map { try [UInt8](hex: $0) }
        return tlv(.fciTemplate) { fci in
            fci.append(.dfName, visaAID)
            fci.append(.fciProprietaryTemplate) { proprietary in
                proprietary.append(.applicationLabel, "VISA".utf8)
                if !list.isEmpty { proprietary.append(.pdol, list) }
                if let program {
                    proprietary.append(.fciIssuerDiscretionaryData) {
                        $0.append(.applicationProgramIdentifier, program)
                    }
                }
            }
        }
    }

    private func processingOptions() throws -> [UInt8] {
        var builder = TLVBuilder()
        for (tag, value) in options {
            if let value { builder.append(tag, try [UInt8](hex: value)) }
        }
        return tlv(.responseTemplate2, builder.bytes)
    }
}

/// A recorded card: each command has the answer that follows it in the log.
struct RecordedCard {
    /// The lines of `Vectors/contactless`: `>` a command, `<` its answer.
    static func read(_ name: String) throws -> [(command: String, answer: String)] {
        let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(
            path: "../../../Vectors/contactless/")
        let text = try String(contentsOf: folder.appending(path: name), encoding: .utf8)
        let lines = text.split(separator: "\n").filter { $0.hasPrefix("> ") || $0.hasPrefix("< ") }
        return stride(from: 0, to: lines.count - 1, by: 2).map {
            (String(lines[$0].dropFirst(2)), String(lines[$0 + 1].dropFirst(2)))
        }
    }

    /// A card that answers what was recorded, and nothing else.
    static func card(_ exchanges: [(command: String, answer: String)]) -> ScriptedCard {
        var card = ScriptedCard()
        card.answers = exchanges.map { (prefix: $0.command, answer: $0.answer) } + [(prefix: "", answer: "6A82")]
        return card
    }
}
