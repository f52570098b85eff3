import Bytes
import CReference
import CardCryptography
import EMVKernel
import SmartCard
import TLV
import VirtualCard

/// One RSA operation with a public key, for libcrypto alone.
struct RSAOperation {
    let operand: [UInt8]
    let key: RSAPublicKey

    init(_ operand: [UInt8], _ key: RSAPublicKey) {
        self.operand = operand
        self.key = key
    }

    /// Whether libcrypto did it. `out` has room for 248 bytes.
    func run(_ out: inout [UInt8]) -> Bool {
        reference_rsa_recover(operand, key.modulus, key.modulus.count, key.exponent, key.exponent.count, &out) == 1
    }

    /// The same by a square and a product alone: the exponent is 3.
    func runBare(_ out: inout [UInt8]) -> Bool {
        reference_rsa_cube(operand, key.modulus, key.modulus.count, &out) == 1
    }
}

/// The keys that a recorded transaction recovered, and what it recovered with them.
struct RecordedKeys {
    /// The issuer's certificate under the authority's key, the card's under the issuer's.
    let certificates: [RSAOperation]
    let icc: RSAPublicKey
    private let exchanges: [APDUTrace.Exchange]

    /// - Parameter data: What the transaction read from the card.
    init(_ card: PersonalizedCard, _ exchanges: [APDUTrace.Exchange], data: DataElements) throws {
        var records = DataElements()
        for exchange in exchanges where exchange.command.instruction == .readRecord {
            try records.append(parsing: exchange.response.data)
        }
        guard let issuerCertificate = records[.issuerPublicKeyCertificate],
            let iccCertificate = records[.iccPublicKeyCertificate],
            case .rsa(let authority) = card.caPublicKey.key
        else { throw BenchmarkError("the card has no certificates") }
        let chain = CertificateChain(
            card: data, rid: card.caPublicKey.rid, caKeys: [card.caPublicKey], date: [0x26, 0x11, 0x21])
        let issuer = try chain.issuerKey()
        var staticData = StaticData()
        let locator = data[.applicationFileLocator].flatMap(ApplicationFileLocator.init)
        for entry in locator?.entries ?? [] {
            for record in entry.records.prefix(Int(entry.authenticatedCount)) {
                let header = CommandAPDU.readRecord(record, sfi: entry.sfi).header
                // The directory's record has the same header, and comes first.
                if let exchange = exchanges.last(where: { $0.command.header == header }) {
                    staticData.append(record: exchange.response.data, sfi: entry.sfi)
                }
            }
        }
        icc = try chain.iccKey(issuer, staticData: staticData.complete(data)).key
        certificates = [RSAOperation(issuerCertificate, authority), RSAOperation(iccCertificate, issuer.key)]
        self.exchanges = exchanges
    }

    /// The signature in the answer to the command that comes as number `index`, from 0, of its
    /// kind.
    func signature(in instruction: Instruction, _ index: Int = 0) throws -> [UInt8] {
        let answers = exchanges.filter { $0.command.instruction == instruction }.map(\.response.data)
        guard answers.indices.contains(index),
            let signature = try DataElements(parsing: answers[index])[.signedDynamicApplicationData]
        else { throw BenchmarkError("the answer to \(instruction.name) has no signature") }
        return signature
    }
}
