import BenchHost
import Bytes
import CardCapture
import CardCryptography
import Foundation
import PaymentTerminal
import Testing

/// A bench host on a vault in a folder of its own, which goes with it.
final class Bench: Sendable {
    let folder: String
    let host: BenchHost

    static let vaultKey = SecretBytes([UInt8](repeating: 0x5A, count: 32))

    convenience init(cryptogram: CryptogramVersion? = .visa18, rules: HostRules = HostRules()) throws {
        let issuer = TestIssuer(
            profiles: [
                IssuerProfile(
                    leadingDigits: "476173", masterKeys: try TestCard.issuerKeys, cryptogram: cryptogram,
                    pin: PIN(ascii: "1234".utf8))
            ], pinKey: try TestPINPad.baseDerivationKey)
        try self.init(issuer: issuer, rules: rules)
    }

    init(issuer: TestIssuer, settings: HostSettings = .bench, rules: HostRules = HostRules()) throws {
        folder = Bench.newFolder()
        host = try BenchHost(
            folder: folder, vaultKey: Bench.vaultKey, issuer: issuer, settings: settings, rules: rules)
    }

    deinit { try? FileManager.default.removeItem(atPath: folder) }

    static func newFolder() -> String {
        FileManager.default.temporaryDirectory.appendingPathComponent("vault-\(UUID().uuidString)").path
    }

    /// The latest orders, newest first.
    func orders() async throws -> [TransactionRecord] { try await host.transactions(TransactionQuery()).records }

    /// Every byte of every file in the folder.
    var bytes: Data {
        get throws {
            try FileManager.default.contentsOfDirectory(atPath: folder).reduce(into: Data()) {
                $0 += try Data(contentsOf: URL(fileURLWithPath: folder + "/" + $1))
            }
        }
    }
}

func request(
    _ order: String, _ amount: String = "10.00", _ card: PaymentCard, purpose: AuthorizationRequest.Purpose = .sale,
    registering reference: String? = nil, processing: AuthorizationRequest.Processing = .online
) throws -> AuthorizationRequest {
    AuthorizationRequest(
        orderID: try OrderID(order), purpose: purpose, processing: processing,
        amount: try Money(parsing: amount, in: .euro),
        timestamp: Timestamp(secondsSince1970: 1_773_057_909), terminalID: "BENCH001", card: card,
        secureCard: try reference.map { SecureCard(merchantReference: try MerchantReference($0)) })
}

func referenced(_ order: String, of original: String, _ amount: String) throws -> ReferencedRequest {
    ReferencedRequest(
        orderID: try OrderID(order), original: original, amount: try Money(parsing: amount, in: .euro),
        timestamp: Timestamp(secondsSince1970: 1_773_057_999), terminalID: "BENCH001")
}

func details(_ pan: String = "5555555555554444", name: String? = nil) throws -> CardDetails {
    try CardDetails(pan: SecretBytes(pan.utf8), expiry: #require(ExpiryDate(mmyy: "1231")), cardholderName: name)
}

func registration(
    _ reference: String, _ pan: String = "5555555555554444", cvv: String? = nil, details: SecureCard.Details = .init()
) throws -> SecureCardRegistration {
    SecureCardRegistration(
        merchantReference: try MerchantReference(reference), details: details, card: try BenchHostTests.details(pan),
        cvv: cvv.map { SecretBytes($0.utf8) })
}
