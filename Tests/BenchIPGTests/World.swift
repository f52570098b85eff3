import Bytes
import CardCryptography
import FormDocument
import IPG
import OpenSSLKeys
import PaymentTerminal
import SeededNumbers
import Testing

@testable import BenchIPG

/// A merchant and the gateway, with keys that openssl made.
struct Pair {
    let merchant: IPGMerchant<MemoryIPGJournal>
    var gateway: BenchIPG
    let id = MerchantID("112")!

    init(_ generation: SignatureGeneration) throws {
        let version = [SignatureGeneration.urlEncoded: "3.4", .concatenated: "4.1", .sorted: "4.5"][generation] ?? ""
        let (own, theirs) = (try TestKey.merchant(), try TestKey.gateway())
        merchant = IPGMerchant(
            account: try IPGAccount(
                version: version, originator: 33, merchantID: id, merchantName: "Shop", currency: .euro,
                key: SecretBytes(own.privateKey), gatewayKeys: [1: theirs.publicKey]),
            journal: MemoryIPGJournal())
        gateway = BenchIPG(
            merchants: [
                BenchMerchant(
                    merchantID: id, generation: generation, currency: .euro,
                    keys: [1: try RSASignatureVerificationKey(own.publicKey)],
                    gatewayKeys: [1: try RSASignatureKey(SecretBytes(theirs.privateKey))])
            ], tokenKey: SecretBytes("bench".utf8))
    }

    static func payment(_ purpose: HostedPayment.Purpose, _ id: IPGOrderID, _ amount: Money) throws -> HostedPayment {
        try HostedPayment(
            purpose, orderID: id, amount: amount, customerIP: "127.0.0.1", successURL: "https://shop.example/ok",
            cancelURL: "https://shop.example/cancel", notifyURL: "https://shop.example/notify")
    }

    /// A published test card.
    static func card(_ number: String = "4000000000001000") throws -> CardDetails {
        try CardDetails(
            pan: SecretBytes(number.utf8), expiry: #require(ExpiryDate(mmyy: "0130")), cardholderName: "A Holder")
    }

    /// The gateway's answer to a back-office request, read by the merchant.
    mutating func ask(_ form: FormFields, _ method: IPGMethod, now: Int64) throws -> IPGAnswer {
        guard case .answer(_, let body) = gateway.receive(form.body, now: now) else {
            throw IPGMessageError.unknownMessage
        }
        return try IPGAnswer(parsing: body, to: method, for: merchant.account)
    }
}
