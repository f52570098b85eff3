internal import Bytes
package import CardCryptography
public import FormDocument
public import JSONDocument

extension IPGAccount {
    /// The name of the field with the signature, the last one.
    static let signatureField = "Signature"

    /// The fields with the merchant's signature over them behind.
    public func signed(_ fields: FormFields) -> FormFields {
        let unsigned = fields.without(Self.signatureField)
        var signed = unsigned
        signed.set(Self.signatureField, signature(key, over: SignedText.text(over: unsigned, generation)))
        return signed
    }

    func signature(_ key: RSASignatureKey, over text: [UInt8]) -> String {
        key.sign(text, generation.hash).text(in: .standard)
    }

    /// Checks that the gateway has signed these fields for this merchant's key index, in this
    /// order.
    public func verify(_ fields: FormFields) throws(IPGSignatureError) {
        guard let signature = fields[Self.signatureField] else { throw .unsigned }
        guard generation == .sorted || fields.all.last?.name.lowercased() == "signature" else { throw .notLast }
        try verify(signature, over: SignedText.text(over: fields.without(Self.signatureField), generation))
    }

    /// Checks that the gateway has signed this object.
    public func verify(_ document: JSON) throws(IPGSignatureError) {
        guard case .object(let members) = document,
            case .text(let signature)? = members.first(where: { $0.name.lowercased() == "signature" })?.value
        else { throw .unsigned }
        let rest = members.filter { $0.name.lowercased() != "signature" }
        guard rest.count == members.count - 1 else { throw .doubled }
        guard let text = SignedText.text(over: rest, generation) else { throw .wrong }
        try verify(signature, over: text)
    }

    private func verify(_ signature: String, over text: [UInt8]) throws(IPGSignatureError) {
        guard let bytes = [UInt8](.standard, signature) else { throw signature.contains(" ") ? .spaces : .notBase64 }
        guard gatewayKey.verifies(bytes, over: text, generation.hash) else { throw .wrong }
    }
}

extension SignatureGeneration {
    package var hash: RSASignatureHash { self == .urlEncoded ? .sha1 : .sha256 }
}

/// Why a message is not taken for one of the gateway. No case repeats it.
public enum IPGSignatureError: Error, Equatable, Sendable {
    case unsigned
    /// The signature is not the last field, as the older generations have it.
    case notLast
    /// More than one signature.
    case doubled
    case notBase64
    /// The signature has spaces, which were `+` before: a server on the way has decoded the form.
    case spaces
    /// Of another key, over something else, or by the rule of another generation.
    case wrong
}

extension IPGSignatureError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .unsigned: "the message has no signature"
        case .notLast: "the signature is not the last field: hand over the body as it was received"
        case .doubled: "the message has more than one signature"
        case .notBase64: "the signature is not base64"
        case .spaces: "the signature has spaces in place of +: hand over the body as it was received"
        case .wrong: "the signature is not that of the gateway: check the key, its index and the API version"
        }
    }
}
