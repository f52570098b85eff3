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

/// The public capture of an Expresspay phone: an ARQC with CDA under the test authority 97.
@Suite("The captured Expresspay phone") struct AmericanExpressCaptureTests {
    private struct Capture {
        let exchanges: [(command: String, answer: String)]
        var number: [UInt8] = [0x00, 0x00, 0x10, 0x11]
        var keys: [CAPublicKey]
        var limits = TransactionLimits()
        /// Answers by what their command begins with.
        var answers: [(prefix: String, answer: String)] = []

        init() throws {
            let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../../Vectors/")
            let text = try String(
                contentsOf: folder.appending(path: "contactless/amex-mobile-cda-97.apdu"), encoding: .utf8)
            let lines = text.split(separator: "\n").filter { $0.hasPrefix("> ") || $0.hasPrefix("< ") }
            exchanges = stride(from: 0, to: lines.count - 1, by: 2).map {
                (String(lines[$0].dropFirst(2)), String(lines[$0 + 1].dropFirst(2)))
            }
            keys = try CAPublicKeyFile.parse(
                String(contentsOf: folder.appending(path: "keys/ca-test-keys.tsv"), encoding: .utf8))
        }

        /// An attended terminal of type 22 in 2013, which the certificates and the card's dates
        /// allow.
        func run() throws -> (outcome: ContactlessOutcome, sent: [String], shown: [UserInterfaceRequest]) {
            let terminal = TerminalConfiguration(
                type: .attendedOnlineWithOfflineCapability, capabilities: [.contactChip, .cda],
                additionalCapabilities: [.goods],
                countryCode: 620, applications: [], caKeys: keys)
            var configuration = EntryPointConfiguration(
                terminal: terminal, combinations: [.americanExpress(limits: limits)])
            configuration.maximumPresentations = 1
            var entryPoint = EntryPoint(
                configuration,
                request: TransactionRequest(
                    amount: 1_00, currencyCode: 978, date: [0x13, 0x06, 0x01], time: [0x12, 0x00, 0x00]),
                environment: FixedEnvironment(number: number))
            var (step, sent, shown): (EntryPoint.Step, [String], [UserInterfaceRequest]) = (entryPoint.start(), [], [])
            while true {
                shown += step.show
                switch step.action {
                case .poll: step = entryPoint.next(.cardPresent)
                case .waitForEmptyField: step = entryPoint.next(.fieldEmpty)
                case .transmit(let command):
                    let hex = command.bytes.hex
                    sent.append(hex)
                    let answer =
                        answers.first { hex.hasPrefix($0.prefix) }?.answer
                        ?? exchanges.first {
                            $0.command.prefix(hex.hasPrefix("00") ? 64 : 4) == hex.prefix(hex.hasPrefix("00") ? 64 : 4)
                        }?
                        .answer ?? "6A82"
                    step = entryPoint.next(
                        .answered(try #require(ResponseAPDU(bytes: try [UInt8](hex: answer))), after: .zero))
                case .end(let outcome): return (outcome, sent, shown)
                }
            }
        }
    }

    @Test("The recorded commands, the card's signature, and the phone's verification") func online() throws {
        let capture = try Capture()
        let run = try capture.run()
        // The recorded terminal also read the counter, which no decision of this transaction needs.
        #expect(run.sent == capture.exchanges.map(\.command).filter { $0 != "80CA9F3600" })
        #expect(run.outcome.status == .onlineRequest)
        #expect(run.outcome.verification == .consumerDevice)
        #expect(run.outcome.data?[.applicationCryptogram]?.hex == "34008DDE8A57918A")
        #expect(run.outcome.data?[.cvmResults]?.hex == "010002")
        #expect(run.outcome.data?[.terminalVerificationResults]?.hex.prefix(2) == "00")
        #expect(run.outcome.data?.terminal[.terminalType]?.hex == "22")
        #expect(run.shown.map(\.message) == [.presentCard, .processing, .cardReadRemove, .authorizing])
    }

    @Test("The terminal's type tells the card that the cardholder must be verified") func modifiedTerminalType() throws
    {
        var capture = try Capture()
        capture.limits.cvmRequiredLimit = 1_00
        #expect(try capture.run().sent.contains("80A80000038301EA00"))
    }

    @Test("Another number, or another byte of the answer, is not what the card signed")
    func everythingIsSigned() throws {
        var capture = try Capture()
        capture.number[3] ^= 0x01
        #expect(try capture.run().outcome.reason == .dataAuthentication(.signature(.hash)))
        let answer = try #require(capture.exchanges.last).answer
        for (what, other) in [("9F270180", "9F270100"), ("9F36020023", "9F36020024"), ("9F1007060202", "9F1007060203")]
        {
            var capture = try Capture()
            #expect(answer.contains(what))
            capture.answers = [("80AE", answer.replacing(what, with: other))]
            let run = try capture.run()
            #expect(run.outcome.status == .declined, "\(what)")
            guard case .dataAuthentication(.signature) = run.outcome.reason else {
                Issue.record("\(String(describing: run.outcome.reason))")
                return
            }
            #expect(run.outcome.data?[.terminalVerificationResults]?.hex.prefix(2) == "04")
        }
    }

    @Test("Without the authority's key no signature is asked for, and an ARQC is") func unknownAuthority() throws {
        var capture = try Capture()
        capture.keys = []
        let run = try capture.run()
        #expect(run.sent.contains { $0.hasPrefix("80AE80") })
        // The recorded card signs all the same, and its cryptogram is in the signature alone.
        #expect(run.outcome.reason == .termination(.missingData(.applicationCryptogram)))
    }
}
