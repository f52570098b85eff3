/// What a payment may ask for that an interface of a host may have no place for.
public enum PaymentField: String, Sendable, Codable, CaseIterable {
    case tip
    case descriptor
    case externalID
    case duplicateCheck
    case tipAdjustment
    case partialApproval
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
        }
    }
}

extension PaymentTerms {
    /// What these terms ask the host for.
    var fields: Set<PaymentField> {
        var fields: Set<PaymentField> = []
        if tip != nil { fields.insert(.tip) }
        if descriptor != nil { fields.insert(.descriptor) }
        if externalID != nil { fields.insert(.externalID) }
        if refusesDuplicates { fields.insert(.duplicateCheck) }
        if allowsTipAdjustment { fields.insert(.tipAdjustment) }
        if allowsPartialApproval { fields.insert(.partialApproval) }
        return fields
    }
}
