public import PaymentTerminal

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
