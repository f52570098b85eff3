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

/// The card of `Vectors/contactless/mastercard-emv-cda-f3.apdu` and its terminal: offline only,
/// amount 0.01, CDA under the test authority F3. A test changes answers of the one and settings of
/// the other.
struct MastercardTap {
    var kernel = Kernel2Configuration(
        floorLimit: 50_00, transactionLimit: 100_00, deviceTransactionLimit: 200_00, cvmRequiredLimit: 25_00)
    var terminal: TerminalConfiguration
    var request = TransactionRequest(amount: 1, currencyCode: 978, date: [0x19, 0x08, 0x19], time: [0x00, 0x00, 0x00])
    var number: [UInt8] = [0x33, 0xBC, 0xA4, 0x7D]
    /// Whether the terminal's exception file has a card.
    var isListed: @Sendable ([UInt8]) -> Bool = { _ in false }
    /// What each EXCHANGE RELAY RESISTANCE DATA takes, the last for all further ones.
    var relayTimes: [Duration] = [.zero]
    /// As the taps before have left it.
    var failedChecksums = FailedChecksums()
    let recorded: [(command: String, answer: String)]
    /// Answers by what their command begins with, data and status word; an empty one is none.
    var answers: [(prefix: String, answer: String)] = []

    /// - Parameter capture: A file of `Vectors/contactless`.
    init(_ capture: String = "mastercard-emv-cda-f3") throws {
        let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(
            path: "../../../Vectors/contactless/")
        let text = try String(contentsOf: folder.appending(path: "\(capture).apdu"), encoding: .utf8)
        let lines = text.split(separator: "\n").filter { $0.hasPrefix("> ") || $0.hasPrefix("< ") }
        recorded = stride(from: 0, to: lines.count - 1, by: 2).map {
            (String(lines[$0].dropFirst(2)), String(lines[$0 + 1].dropFirst(2)))
        }
        let keys = try String(contentsOf: folder.appending(path: "../keys/ca-test-keys.tsv"), encoding: .utf8)
        terminal = TerminalConfiguration(
            type: .unattendedOfflineOnly, capabilities: [.contactChip, .cda],
            additionalCapabilities: AdditionalTerminalCapabilities(rawValue: 0x60_00F0_0001), countryCode: 56,
            applications: [],
            caKeys: try CAPublicKeyFile.parse(keys))
    }

    struct Run {
        let outcome: ContactlessOutcome
        let sent: [String]
        let shown: [UserInterfaceRequest]
        /// How long the reader had to wait, each time.
        let pauses: [Duration]
        let failedChecksums: FailedChecksums

        /// P1 of GENERATE AC.
        var asked: String? { sent.first { $0.hasPrefix("80AE") }.map { String($0.dropFirst(4).prefix(2)) } }
    }

    func run() throws -> Run {
        let combination = Combination(
            aid: [0xA0, 0, 0, 0, 0x04, 0x10, 0x10], limits: TransactionLimits(), kernel: kernel)
        var configuration = EntryPointConfiguration(terminal: terminal, combinations: [combination])
        configuration.maximumPresentations = 2
        var environment = FixedEnvironment(number: number, percentage: 50)
        environment.isListed = isListed
        var entryPoint = EntryPoint(configuration, request: request, environment: environment)
        entryPoint.failedChecksums = failedChecksums
        var (step, sent, shown): (EntryPoint.Step, [String], [UserInterfaceRequest]) = (entryPoint.start(), [], [])
        var pauses: [Duration] = []
        var times = relayTimes
        while true {
            shown += step.show
            if step.pause > .zero { pauses.append(step.pause) }
            switch step.action {
            case .poll: step = entryPoint.next(.cardPresent)
            case .waitForEmptyField: step = entryPoint.next(.fieldEmpty)
            case .transmit(let command):
                let hex = command.bytes.hex
                sent.append(hex)
                let answer =
                    answers.first { hex.hasPrefix($0.prefix) }?.answer
                    ?? recorded.first {
                        $0.command.prefix(hex.hasPrefix("00") ? 64 : 4) == hex.prefix(hex.hasPrefix("00") ? 64 : 4)
                    }?
                    .answer
                if answer == "" {
                    step = entryPoint.next(.failed(.cardRemoved))
                } else {
                    let bytes = try [UInt8](hex: answer ?? "6A82")
                    let isRelay = command.instruction == .exchangeRelayResistanceData
                    let elapsed = isRelay ? (times.count > 1 ? times.removeFirst() : times[0]) : .zero
                    step = entryPoint.next(.answered(try #require(ResponseAPDU(bytes: bytes)), after: elapsed))
                }
            case .end(let outcome):
                return Run(
                    outcome: outcome, sent: sent, shown: shown, pauses: pauses,
                    failedChecksums: entryPoint.failedChecksums)
            }
        }
    }

    // MARK: The card without data authentication

    /// AIP without CDA: nothing of the records is signed, so that a test may change them. GENERATE
    /// AC answers in format 1.
    mutating func withoutSignatures(
        profile: String = "1880", cvmList: String? = "00000000000000001F03", information: String = "80",
        more: String = ""
    ) throws {
        kernel.actionCodes = ActionCodes()
        let options = recorded[2].answer.replacing("82025980", with: "8202" + profile)
        let record = recorded[3].answer
        let list = "8E0A00000000000000001F03"
        #expect(record.contains(list))
        let other = try cvmList.map { tlv(.cvmList, try [UInt8](hex: $0)).hex } ?? ""
        // Without 70 81 BC before, and the status word behind.
        let contents = try [UInt8](hex: String(record.dropFirst(6).dropLast(4)).replacing(list, with: other))
        answers += [
            ("80A8", options), ("00B2011400", tlv(.recordTemplate, contents).hex + "9000"),
            ("80AE", try Self.answer(information, more)),
        ]
    }

    /// Template 77 of a cryptogram without signature, and `more` data objects.
    static func answer(_ information: String, _ more: String = "") throws -> String {
        let contents = try [UInt8](
            hex: "9F2701\(information)9F360202E09F26080102030405060708" + "9F10120210904203A40000000000000000000000FF"
                + more)
        return tlv(.responseTemplate2, contents).hex + "9000"
    }
}
