import JSONDocument
import TLV
import VirtualCard

/// What a card does in a reader's field.
extension VisaContactlessProfile {
    init(_ place: Place) throws(DocumentError) {
        let members = try place.members([
            "pdol", "aip", "ctq", "verifications", "approvesOfflineUpTo", "formFactorIndicator", "programIdentifier", "device",
        ])
        self.init()
        try members.take("pdol", &pdol) { place throws(DocumentError) in try DOL(place) }
        try members.take("aip", &interchangeProfile) { place throws(DocumentError) in try ApplicationInterchangeProfile(place) }
        try members.take("ctq", &qualifiers) { place throws(DocumentError) in try CardTransactionQualifiers(place) }
        try members.take("verifications", &verifications) { place throws(DocumentError) in
            try place.list { place throws(DocumentError) in try place.choice(Verification.allCases.map { ($0.rawValue, $0) }) }
        }
        try members.takeOrNull("approvesOfflineUpTo", &approvesOfflineUpTo) { place throws(DocumentError) in
            try place.number(0...999_999_999_999)
        }
        try members.takeOrNull("formFactorIndicator", &formFactorIndicator) { place throws(DocumentError) in try place.bytes(4...4) }
        try members.takeOrNull("programIdentifier", &programIdentifier) { place throws(DocumentError) in try place.bytes(1...16) }
        try members.takeOrNull("device", &device) { place throws(DocumentError) in
            try place.choice(Device.allCases.map { ($0.rawValue, $0) })
        }
    }

    var json: JSONValue {
        .object([
            "pdol": pdol.json, "aip": interchangeProfile.json, "ctq": qualifiers.json,
            "verifications": .list(verifications.map { .text($0.rawValue) }),
            "approvesOfflineUpTo": .orNull(approvesOfflineUpTo) { .number($0) },
            "formFactorIndicator": .orNull(formFactorIndicator) { .hex($0) },
            "programIdentifier": .orNull(programIdentifier) { .hex($0) }, "device": .orNull(device) { .text($0.rawValue) },
        ])
    }
}

extension CardTransactionQualifiers: NamedBits {
    static let names: [(String, Self)] = [
        ("onlineIfDataAuthenticationFails", .onlineIfDataAuthenticationFails),
        ("otherInterfaceIfDataAuthenticationFails", .otherInterfaceIfDataAuthenticationFails), ("onlineIfExpired", .onlineIfExpired),
        ("otherInterfaceForCash", .otherInterfaceForCash), ("otherInterfaceForCashback", .otherInterfaceForCashback),
        ("issuerUpdate", .issuerUpdateProcessing),
    ]
}
