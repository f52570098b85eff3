import Bytes
import CardCryptography
import Foundation
import ProcessMemory
import ReaderDoubles
import SmartCard
import Synchronization
import TLV
import VirtualCard

/// Makes sales in other processes, and searches their memory. Card, reader and host are in others
/// again.
struct ResidueSearch {
    private let way: LaneSale.Way
    private let showsFinds: Bool
    private let folder: URL
    private let certificate: (chain: String, key: String)
    private let host: LaneProcess
    private let said: [String: String]
    private let personalizer: CardPersonalizer
    private let cardKey: RSAPrivateKey

    init(_ way: LaneSale.Way, showsFinds: Bool) throws {
        self.way = way
        self.showsFinds = showsFinds
        folder = FileManager.default.temporaryDirectory.appending(path: "residue-\(UUID().uuidString)")
        try FileManager.default.createDirectory(
            at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        certificate = try Self.certificate(folder.path(percentEncoded: false))
        host = try LaneProcess([
            "host", folder.appending(path: "host").path(percentEncoded: false), certificate.chain, certificate.key,
        ])
        said = try host.said(upTo: "port")
        personalizer = try CardPersonalizer()
        cardKey = try .generate(modulusBits: 1024, exponent: 3)
    }

    /// - Returns: Whether nothing was left in any process that sold.
    func run(_ count: Int) async throws -> Bool {
        defer { try? FileManager.default.removeItem(at: folder) }
        var numbers: [CardNumberForms] = []
        var finds: [[MemorySearch.Find]] = []
        for index in 0..<count {
            var number = CardNumberForms()
            finds.append(try await sell(&number, index))
            numbers.append(number)
        }
        print("\(way.rawValue): copies in \(finds.count { !$0.isEmpty }) of \(count) processes\(Self.counted(finds))")
        let inHost = try numbers.map { try MemorySearch.finds(of: $0, in: host.pid) }
        let range = inHost.map(\.count)
        print(
            "\(way.rawValue): \(range.min() ?? 0) to \(range.max() ?? 0) copies of each number in the bench host\(Self.counted(inHost))"
        )
        return finds.allSatisfy(\.isEmpty)
    }

    /// What is left after a sale.
    private func sell(_ number: inout CardNumberForms, _ index: Int) async throws -> [MemorySearch.Find] {
        var profile = CardProfile.visaStyle()
        profile.account.pan = SecretBytes(number.digits)
        profile.contactless = .visa(VisaContactlessProfile())
        let card = try personalizer.personalize(profile, iccKey: cardKey)
        guard case .rsa(let authority) = card.caPublicKey.key else { return [] }
        let certified = Mutex<[UInt8]>([])
        func presented(to interface: CardInterface) -> any CardChannel {
            RecordingChannel(VirtualCard(card, interface: interface)) { exchange in
                guard let sent = (try? DataElements(parsing: exchange.response.data))?[.iccPublicKeyCertificate] else {
                    return
                }
                certified.withLock { $0 = sent }
            }
        }
        let line = try line(to: presented(to: way == .field ? .contactless : .contact))
        let sale = try LaneProcess(
            [
                "sale", way.rawValue, folder.appending(path: "journal-\(index)").path(percentEncoded: false),
                said["port"] ?? "",
                certificate.chain, said["key"] ?? "", line.path, authority.modulus.hex,
            ], input: [.keyed, .kept].contains(way) ? number.digits : [])
        let outcome = try sale.said(upTo: "done")
        guard outcome["done"] == "approved" else { throw LaneProcess.Unexpected(said: "\(outcome)") }
        // The card's number can be computed from it with public keys. The half of it is enough to
        // find it.
        let signed = certified.withLock { $0 }
        if signed.isEmpty, way == .contacts {
            throw LaneProcess.Unexpected(said: "the card was not asked for its certificate")
        }
        if !signed.isEmpty { number.forms.append(("certificate", Array(signed.prefix(64)))) }
        // Threads that have had a part in the sale put away what they had when they have nothing
        // else to do.
        let limit = ContinuousClock.now + .seconds(3)
        var finds = try MemorySearch.finds(of: number, in: sale.pid)
        while !finds.isEmpty, .now < limit {
            try await Task.sleep(for: .milliseconds(50))
            finds = try MemorySearch.finds(of: number, in: sale.pid)
        }
        if showsFinds {
            for find in finds {
                let text = String(
                    decoding: find.surroundings.map { (0x20..<0x7F).contains($0) ? $0 : 0x2E }, as: UTF8.self)
                print("\(find) at \(String(find.address, radix: 16)): \(find.surroundings.hex) \(text)")
            }
        }
        return finds
    }

    /// The serial port of a reader that has the card.
    private func line(to card: any CardChannel) throws -> PseudoTerminalLine {
        try PseudoTerminalLine { [way] line in
            switch way {
            case .field: EmulatedPN53x([EmulatedContactlessCard(channel: card)]).live(line)
            case .contacts, .keyed, .kept: EmulatedGemPCTwin(nil, card: card).live(line)
            }
        }
    }

    /// How many there are of each form in each kind of memory.
    private static func counted(_ finds: [[MemorySearch.Find]]) -> String {
        let counts = Dictionary(finds.joined().map { ("\($0)", 1) }, uniquingKeysWith: +)
        return counts.sorted { $0.key < $1.key }.map { "\n  \($0.value) × \($0.key)" }.joined()
    }

    /// A certificate of one's own, by openssl.
    private static func certificate(_ folder: String) throws -> (chain: String, key: String) {
        let (chain, key) = (folder + "/chain.pem", folder + "/key.pem")
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = [
            "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2",
            "-subj", "/CN=bench", "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", key, "-out", chain,
        ]
        process.standardError = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: key)
        return (chain, key)
    }
}
