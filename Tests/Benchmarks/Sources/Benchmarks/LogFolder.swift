import CardCryptography
import EMVKernel
import EMVReplay
import Foundation
import SmartCard
import Synchronization
import TLV
import VirtualCard

/// A folder of logs of the virtual card: online sales of different amounts with CDA, each whole,
/// with its terminal and decisions.
struct LogFolder {
    private let url: URL

    init(_ url: URL) { self.url = url }

    /// Makes the folder.
    ///
    /// - Returns: The RSA operations that the terminals of all the logs did.
    func make(_ count: Int) async throws -> [RSAOperation] {
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        var profile = CardProfile.visaStyle()
        profile.keySizes = RSAKeySizes(certificationAuthority: 1984, issuer: 1408, icc: 1024)
        let personalized = try PersonalizedCard.make(profile)
        let configuration = TerminalConfiguration(
            capabilities: [.contactChip, .signature, .noCVM, .sda, .dda, .cda],
            additionalCapabilities: [.goods, .services],
            countryCode: 276,
            applications: [
                ApplicationConfiguration(aid: [0xA0, 0x00, 0x00, 0x00, 0x03, 0x10, 0x10], versions: [0x0096])
            ],
            caKeys: personalized.caPublicKeys)
        let card = VirtualCard(personalized)
        var operations: [RSAOperation] = []
        for number in 0..<count {
            let kept = Kept()
            let request = TransactionRequest(
                amount: UInt64(1000 + number), currencyCode: 978, date: [0x26, 0x11, 0x21], time: [0x12, 0, 0],
                sequenceCounter: UInt32(number + 1))
            let outcome = await ContactKernel(configuration).perform(
                request, card: RecordingChannel(ProcedureByteHandling(card)) { kept.add(.exchange($0)) },
                cardholder: Nobody(),
                issuer: Approving(), environment: Chance(number: UInt32(number)),
                observe: { kept.add(.decision(.init(phase: $0.phase.rawValue, summary: $0.summary))) })
            guard case .approved(.online) = outcome.decision else {
                throw BenchmarkError("a sale ended \(outcome.decision.summary)")
            }
            var trace = APDUTrace(
                metadata: [("title", "sale \(number)"), ("expect", outcome.decision.summary)], entries: kept.entries)
            trace.metadata += RecordedTerminal(configuration: configuration, request: request).metadata
            var writer = APDUTraceWriter(.testCard)
            try writer.text(trace).write(to: url.appending(path: "\(number).apdu"), atomically: false, encoding: .utf8)
            let keys = try RecordedKeys(personalized, trace.exchanges, data: outcome.data.card)
            operations += keys.certificates
            for index in 0...1 { operations.append(RSAOperation(try keys.signature(in: .generateAC, index), keys.icc)) }
        }
        return operations
    }
}

private final class Kept: Sendable {
    private let kept = Mutex<[APDUTrace.Entry]>([])
    var entries: [APDUTrace.Entry] { kept.withLock { $0 } }
    func add(_ event: APDUTrace.Event) { kept.withLock { $0.append(.init(event)) } }
}

private struct Nobody: Cardholder {
    let pinPad: (any PINPad)? = nil
    func chooseApplication(_ candidates: [Candidate]) async -> Int? { 0 }
}

private struct Approving: OnlineAuthorizer {
    func authorize(_ request: OnlineRequest) async -> OnlineAnswer {
        .answered(IssuerResponse(responseCode: Array("00".utf8)))
    }
}

private struct Chance: EMVEnvironment {
    let number: UInt32
    func unpredictableNumber() -> [UInt8] { (0..<4).map { UInt8(number &* 2_654_435_761 >> (8 * $0) & 0xFF) } }
    func randomPercentage() -> Int { 50 }
}
