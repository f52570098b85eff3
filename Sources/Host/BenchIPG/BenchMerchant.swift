internal import Bytes
public import CardCryptography
internal import FormDocument
public import IPG
internal import JSONDocument
public import PaymentTerminal
internal import XMLDocument

/// A merchant as the gateway knows it: the other halves of the keys of an ``IPGAccount``.
public struct BenchMerchant: Sendable {
    public let merchantID: MerchantID
    public let generation: SignatureGeneration
    public let currency: Currency
    /// The merchant's public keys by `KeyIndex`.
    let keys: [Int: RSASignatureVerificationKey]
    /// The gateway's private keys by `KeyIndexResp`.
    let gatewayKeys: [Int: RSASignatureKey]

    public init(
        merchantID: MerchantID, generation: SignatureGeneration, currency: Currency,
        keys: [Int: RSASignatureVerificationKey], gatewayKeys: [Int: RSASignatureKey]
    ) {
        self.merchantID = merchantID
        self.generation = generation
        self.currency = currency
        self.keys = keys
        self.gatewayKeys = gatewayKeys
    }

    /// Whether the merchant has signed the form, by the rule of its generation.
    func verifies(_ form: FormFields) -> Bool {
        guard let index = form["KeyIndex"].flatMap({ Int($0) }), let key = keys[index],
            let signature = [UInt8](.standard, form["Signature"] ?? "")
        else { return false }
        let text = SignedText.text(over: form.without("Signature"), generation)
        return key.verifies(signature, over: text, generation.hash)
    }

    private func signature(over text: [UInt8], index: Int) -> String? {
        gatewayKeys[index].map { $0.sign(text, generation.hash).text(in: .standard) }
    }

    /// A form with the gateway's signature behind; nil if the gateway has no key of this index.
    func signed(_ form: FormFields, index: Int) -> FormFields? {
        var signed = form
        guard let signature = signature(over: SignedText.text(over: form, generation), index: index) else {
            return nil
        }
        signed.set("Signature", signature)
        return signed
    }

    /// An object with the gateway's signature as its last member.
    func signed(_ members: [JSON.Member], index: Int) -> JSON? {
        guard let text = SignedText.text(over: members, generation), let signature = signature(over: text, index: index)
        else { return nil }
        return .object(members + [JSON.Member("Signature", .text(signature))])
    }

    /// An answer to a back-office request.
    func answer(_ fields: FormFields, index: Int, _ format: OutputFormat) -> [UInt8]? {
        guard let signed = signed(fields, index: index) else { return nil }
        switch format {
        case .json: return JSON.object(signed.all.map { JSON.Member($0.name, .text($0.value)) }).document
        case .xml: return XMLElement("IPG", children: signed.all.map { XMLElement($0.name, text: $0.value) }).document
        }
    }
}

extension BenchMerchant {
    /// The token that a merchant of an older generation has enciphered for the gateway.
    func decipher(token: String) -> String? {
        guard let cryptogram = [UInt8](.standard, token) else { return nil }
        return gatewayKeys.values.lazy.compactMap { $0.decipher(cryptogram) }.first {
            $0.count == 64
        }.map { String(decoding: $0, as: UTF8.self) }
    }
}
