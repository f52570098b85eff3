import Bytes
import FormDocument
import OpenSSLKeys
import PaymentTerminal
import Testing

@testable import IPG

extension SignatureGeneration {
    /// A version that has these rules.
    var version: String {
        switch self {
        case .urlEncoded: "3.4"
        case .concatenated: "4.1"
        case .sorted: "4.5"
        }
    }

    /// The hash that `openssl dgst` is called with.
    var opensslHash: String { self == .urlEncoded ? "sha1" : "sha256" }
}

/// A merchant with keys that openssl made.
func account(
    _ generation: SignatureGeneration, merchant: String = "123", gatewayKey: TestKey? = nil
) throws -> IPGAccount {
    try IPGAccount(
        version: generation.version, originator: 33, merchantID: #require(MerchantID(merchant)),
        merchantName: "Test Shop", currency: .euro, key: SecretBytes(try TestKey.merchant().privateKey),
        gatewayKeys: [1: (try gatewayKey ?? TestKey.gateway()).publicKey])
}

/// A form that the gateway signs in openssl.
func gatewayForm(
    _ fields: [(String, String)], _ generation: SignatureGeneration, key: TestKey? = nil
) throws -> FormFields {
    var form = try FormFields(fields.map { FormFields.Field($0.0, $0.1) })
    let text = String(decoding: SignedText.text(over: form, generation), as: UTF8.self)
    let signature = try OpenSSL().sign(text, key ?? TestKey.gateway(), hash: generation.opensslHash)
    form.set("Signature", signature.text(in: .standard))
    return form
}

/// The notifications as the published text of the checkout's SDK prints them.
enum Published {
    static let purchase = [
        ("IPGmethod", "IPGPurchaseNotify"), ("MID", "000000000000123"), ("OrderID", "1854"), ("Amount", "23.45"),
        ("Currency", "978"), ("CustomerIP", "82.119.81.30"), ("CardType", "MasterCard"), ("Pan", "4567"),
        ("ExpdtYYMM", "2112"), ("Approval", "MSQI258"), ("IPG_Trnref", "20210716141055303234"),
        ("RequestSTAN", "349875"), ("RequestDateTime", "2021-07-16 14:10:55"),
    ]

    static let rollback = [
        ("IPGmethod", "IPGPurchaseRollback"), ("MID", "000000000000123"), ("OrderID", "1854"), ("Amount", "23.45"),
        ("Currency", "978"), ("CustomerIP", "82.119.81.30"),
    ]

    /// The token is shortened where it is printed.
    static let store = [
        ("IPGmethod", "IPGStoreCardNotify"), ("MID", "000000000000123"), ("OrderID", "1854"), ("Amount", "23.45"),
        ("Currency", "978"), ("CustomerIP", "82.119.81.30"), ("Token", "D747458899D….FC43D5"),
        ("Cardholder Name", "Dimitar Dimitrov"), ("CardType", "MasterCard"),
        ("Custom Name", "My VISA card from iCard"), ("Pan", "4567"), ("Approval", "MSQI258"),
        ("IPG_Trnref", "20210716141055303234"), ("RequestSTAN", "349875"),
        ("RequestDateTime", "2021-07-16 14:10:55"),
    ]
}
