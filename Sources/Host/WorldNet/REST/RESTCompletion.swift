import Bytes
public import JSONDocument
public import PaymentTerminal

/// How the terminal ended a payment that the host has decided on: an extension of the bench host.
public enum RESTCompletion {
    /// The body of `PATCH orders/{orderId}/completion`.
    ///
    /// - Parameters:
    ///   - chipData: Field 55 with the last cryptogram, BER-TLV coded; empty without a chip.
    ///   - signature: What the cardholder signed; nil for nothing.
    public static func document(chipData: [UInt8], signature: Signature?) -> JSON {
        .object(["tlv": .text(chipData.hex), "cardholderSignature": signature.map { .text(SignatureStrokes($0).text) }])
    }

    /// - Throws: ``HostError/Refusal/invalidRequest`` for digits that are not hexadecimal, or
    ///   strokes that are not a signature.
    public static func result(of document: JSON) throws(HostError) -> Advice.Result {
        guard let chipData = try? [UInt8](hex: document["tlv"]?.text ?? "") else { throw .invalidField("tlv") }
        return .finished(chipData: chipData, signature: try document.signature())
    }
}

extension JSON {
    /// The member `cardholderSignature`; nil if there is none.
    func signature() throws(HostError) -> Signature? {
        try requested("cardholderSignature") { $0.text.flatMap { SignatureStrokes($0)?.signature } }
    }
}

/// The approval code that the issuer gave on the telephone: an extension of the bench host.
public enum RESTReferral {
    /// The body of `PATCH orders/{orderId}/referral`.
    ///
    /// - Parameter approvalCode: Six letters or digits.
    public static func document(approvalCode: String) -> JSON { .object(["approvalCode": .text(approvalCode)]) }

    /// - Throws: ``HostError/Refusal/invalidRequest`` for a body without a code.
    public static func approvalCode(of document: JSON) throws(HostError) -> String {
        guard let code = document["approvalCode"]?.text else { throw .invalidField("approvalCode") }
        return code
    }
}
