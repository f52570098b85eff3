import CardCryptography
import EMVKernel
import EMVReplay
import Foundation
import SmartCard
import Synchronization
import TLV
import VirtualCard

/// A folder of logs of the virtual card: online sales of different amounts with CDA, each whole, with its terminal and decisions.
struct LogFolder {
    private let url: URL

    init(_ path: String) { url = URL(filePath: path) }

    /// Makes the folder again.
    ///
    /// - Returns: The RSA operations that the terminals of all the logs did.
    func make(_ count: Int) async throws -> [Operation] {
        try? FileManager.default.removeItem(at: url)
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        var profile = CardProfile.visaStyle()
        profile.keySizes = RSAKeySizes(certificationAuthority: 1984, issuer: 1408, icc: 1024)
        let personalized = try PersonalizedCard.make(profile)
        guard case .rsa(let authority) = personalized.caPublicKey.key else { throw Failure("no RSA card") }
        let configuration = TerminalConfiguration(
            capabilities: [.contactChip, .signature, .noCVM, .sda, .dda, .cda], additionalCapabilities: [.goods, .services],
            countryCode: 276,
            applications: [ApplicationConfiguration(aid: [0xA0, 0x00, 0x00, 0x00, 0x03, 0x10, 0x10], versions: [0x0096])],
            caKeys: personalized.caPublicKeys)
        let card = VirtualCard(personalized)
        var operations: [Operation] = []
        for number in 0..<count {
            let kept = Kept()
            let request = TransactionRequest(
                amount: UInt64(1000 + number), currencyCode: 978, date: [0x26, 0x11, 0x21], time: [0x12, 0, 0],
                sequenceCounter: UInt32(number + 1))
            let outcome = await ContactKernel(configuration).perform(
                request, card: RecordingChannel(ProcedureByteHandling(card)) { kept.add(.exchange($0)) }, cardholder: Nobody(),
                issuer: Approving(), environment: Chance(number: UInt32(number)),
                observe: { kept.add(.decision(.init(phase: $0.phase.rawValue, summary: $0.summary))) })
            guard case .approved(.online) = outcome.decision else { throw Failure("a sale ended \(outcome.decision.summary)") }
            var trace = APDUTrace(metadata: [("title", "sale \(number)"), ("expect", outcome.decision.summary)], entries: kept.entries)
            trace.metadata += RecordedTerminal(configuration: configuration, request: request).metadata
            var writer = APDUTraceWriter(.testCard)
            try writer.text(trace).write(to: url.appending(path: "\(number).apdu"), atomically: false, encoding: .utf8)
            operations += try Self.operations(trace, outcome: outcome, authority: authority, card: personalized)
        }
        return operations
    }

    private static func operations(
        _ trace: APDUTrace, outcome: Outcome, authority: RSAPublicKey, card: PersonalizedCard
    ) throws -> [Operation] {
        let chain = CertificateChain(
            card: outcome.data.card, rid: card.caPublicKey.rid, caKeys: card.caPublicKeys, date: [0x26, 0x11, 0x21])
        let issuer = try chain.issuerKey()
        var staticData = StaticData()
        for entry in outcome.data.card[.applicationFileLocator].flatMap(ApplicationFileLocator.init)?.entries ?? [] {
            for record in entry.records.prefix(Int(entry.authenticatedCount)) {
                let header = CommandAPDU.readRecord(record, sfi: entry.sfi).header
                // The directory's record has the same header, and comes first.
                if let exchange = trace.exchanges.last(where: { $0.command.header == header }) {
                    staticData.append(record: exchange.response.data, sfi: entry.sfi)
                }
            }
        }
        let icc = try chain.iccKey(issuer, staticData: staticData.complete(outcome.data.card)).key
        guard let first = outcome.data.card[.issuerPublicKeyCertificate], let second = outcome.data.card[.iccPublicKeyCertificate] else {
            throw Failure("no certificates")
        }
        let signatures = trace.exchanges.filter { $0.command.instruction == .generateAC }.compactMap {
            (try? DataElements(parsing: $0.response.data))?[.signedDynamicApplicationData]
        }
        guard signatures.count == 2 else { throw Failure("\(signatures.count) signatures") }
        return [Operation(operand: first, key: authority), Operation(operand: second, key: issuer.key)]
            + signatures.map { Operation(operand: $0, key: icc) }
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
    func authorize(_ request: OnlineRequest) async -> OnlineAnswer { .answered(IssuerResponse(responseCode: Array("00".utf8))) }
}

private struct Chance: EMVEnvironment {
    let number: UInt32
    func unpredictableNumber() -> [UInt8] { (0..<4).map { UInt8(number &* 2_654_435_761 >> (8 * $0) & 0xFF) } }
    func randomPercentage() -> Int { 50 }
}
