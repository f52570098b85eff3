/// A part of a payment that a host's interface may not support.
public enum PaymentField: String, Sendable, Codable, CaseIterable {
    /// The tip: ``PaymentTerms/tip``.
    case tip
    /// The text on the cardholder's statement: ``PaymentTerms/descriptor``.
    case descriptor
    /// The integrator's id of the payment: ``PaymentTerms/externalID``.
    case externalID
    /// The check for duplicate payments: ``PaymentTerms/duplicateCheck``.
    case duplicateCheck
    /// The permission to add a tip later: ``PaymentTerms/allowsTipAdjustment``.
    case tipAdjustment
    /// The permission to approve less than the amount: ``PaymentTerms/allowsPartialApproval``.
    case partialApproval
    /// The cardholder's signature after the host's decision: ``Receipt/signature``.
    case signature
    /// The approval code of a call to the issuer:
    /// ``PaymentHost/approveReferral(of:approvalCode:)``.
    case referralApproval
    /// The advice of a decline, if the card requested one: ``Advice/Result/declinedOffline(_:)``.
    case declineAdvice
}

extension PaymentField: CustomStringConvertible {
    public var description: String {
        switch self {
        case .tip: "tip"
        case .descriptor: "statement descriptor"
        case .externalID: "external ID"
        case .duplicateCheck: "duplicate check"
        case .tipAdjustment: "tip adjustment"
        case .partialApproval: "partial approval"
        case .signature: "signature"
        case .declineAdvice: "advice of an offline decline"
        case .referralApproval: "approval code of a referral"
        }
    }
}

extension PaymentTerms {
    /// The fields that these terms require.
    var fields: Set<PaymentField> {
        var fields: Set<PaymentField> = []
        if tip != nil { fields.insert(.tip) }
        if descriptor != nil { fields.insert(.descriptor) }
        if externalID != nil { fields.insert(.externalID) }
        if duplicateCheck == .required { fields.insert(.duplicateCheck) }
        if allowsTipAdjustment { fields.insert(.tipAdjustment) }
        if allowsPartialApproval { fields.insert(.partialApproval) }
        return fields
    }
}
