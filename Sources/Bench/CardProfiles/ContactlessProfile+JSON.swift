import Bytes
import JSONDocument
import TLV
import VirtualCard

/// The contactless behaviour of a card.
extension ContactlessProfile {
    private enum System: String, CaseIterable { case visa, unionPay, mastercard, amex, kernel8 }

    init(_ place: Place) throws(DocumentError) {
        var system = System.visa
        let keys = [
            VisaContactlessProfile.keys, MastercardContactlessProfile.keys, AmericanExpressContactlessProfile.keys,
            Kernel8ContactlessProfile.keys,
        ]
        try place.members(keys.flatMap(\.self)).take("system", &system) { place throws(DocumentError) in
            try place.choice(System.allCases.map { ($0.rawValue, $0) })
        }
        switch system {
        case .visa: self = .visa(try VisaContactlessProfile(place, keys: VisaContactlessProfile.keys))
        case .unionPay: self = .unionPay(try VisaContactlessProfile(place, keys: VisaContactlessProfile.unionPayKeys))
        case .mastercard: self = .mastercard(try MastercardContactlessProfile(place))
        case .amex: self = .americanExpress(try AmericanExpressContactlessProfile(place))
        case .kernel8: self = .kernel8(try Kernel8ContactlessProfile(place))
        }
    }

    var json: JSON {
        switch self {
        case .visa(let visa): .object(sorted: visa.members)
        case .unionPay(let unionPay):
            .object(
                sorted: unionPay.members.filter { VisaContactlessProfile.unionPayKeys.contains($0.key) }
                    .merging(["system": .text("unionPay")]) { $1 })
        case .mastercard(let mastercard): mastercard.json
        case .americanExpress(let americanExpress): americanExpress.json
        case .kernel8(let kernel8): kernel8.json
        }
    }
}

extension VisaContactlessProfile {
    fileprivate static let keys = [
        "system", "mode", "pdol", "aip", "ctq", "verifications", "approvesOfflineUpTo", "formFactorIndicator",
        "programIdentifier", "device", "transit",
    ]
    fileprivate static let unionPayKeys = keys.filter {
        !["mode", "formFactorIndicator", "programIdentifier", "transit"].contains($0)
    }

    fileprivate init(_ place: Place, keys: [String]) throws(DocumentError) {
        let members = try place.members(keys)
        self.init()
        try members.take("mode", &mode) { place throws(DocumentError) in
            try place.choice(Mode.allCases.map { ($0.rawValue, $0) })
        }
        try members.take("pdol", &pdol) { place throws(DocumentError) in try DOL(place) }
        try members.take("aip", &interchangeProfile) { place throws(DocumentError) in
            try ApplicationInterchangeProfile(place)
        }
        try members.take("ctq", &qualifiers) { place throws(DocumentError) in try CardTransactionQualifiers(place) }
        try members.take("verifications", &verifications) { place throws(DocumentError) in
            try place.list { place throws(DocumentError) in
                try place.choice(Verification.allCases.map { ($0.rawValue, $0) })
            }
        }
        try members.takeOrNull("approvesOfflineUpTo", &approvesOfflineUpTo) { place throws(DocumentError) in
            try place.number(0...999_999_999_999)
        }
        try members.takeOrNull("formFactorIndicator", &formFactorIndicator) { place throws(DocumentError) in
            try place.bytes(4...4)
        }
        try members.takeOrNull("programIdentifier", &programIdentifier) { place throws(DocumentError) in
            try place.bytes(1...16)
        }
        try members.takeOrNull("device", &device) { place throws(DocumentError) in
            try place.choice(ContactlessProfile.Device.allCases.map { ($0.rawValue, $0) })
        }
        try members.takeOrNull("transit", &transit) { place throws(DocumentError) in
            guard device == .locked else { throw place.wrong(ProfileFault.transitWithoutLock) }
            return try place.choice(Transit.allCases.map { ($0.rawValue, $0) })
        }
    }

    fileprivate var members: [String: JSON] {
        [
            "system": .text("visa"), "mode": .text(mode.rawValue), "pdol": pdol.json, "aip": interchangeProfile.json,
            "ctq": qualifiers.json,
            "verifications": .list(verifications.map { .text($0.rawValue) }),
            "approvesOfflineUpTo": .orNull(approvesOfflineUpTo) { .number($0) },
            "formFactorIndicator": .orNull(formFactorIndicator) { .hex($0) },
            "programIdentifier": .orNull(programIdentifier) { .hex($0) },
            "device": .orNull(device) { .text($0.rawValue) },
            "transit": .orNull(transit) { .text($0.rawValue) },
        ]
    }
}

extension MastercardContactlessProfile {
    fileprivate static let keys = [
        "system", "mode", "pdol", "cdol1", "aip", "cvmList", "approvesOfflineUpTo", "thirdPartyData", "positions",
        "recovery", "offlineBalance", "dataStorage", "relayResistance", "device",
    ]

    fileprivate init(_ place: Place) throws(DocumentError) {
        let members = try place.members(Self.keys)
        self.init()
        try members.take("mode", &mode) { place throws(DocumentError) in
            try place.choice(Mode.allCases.map { ($0.rawValue, $0) })
        }
        try members.takeOrNull("pdol", &pdol) { place throws(DocumentError) in try DOL(place) }
        try members.take("cdol1", &cdol1) { place throws(DocumentError) in try DOL(place) }
        try members.take("aip", &interchangeProfile) { place throws(DocumentError) in
            try ApplicationInterchangeProfile(place)
        }
        try members.takeOrNull("cvmList", &cvmList) { place throws(DocumentError) in try CVMList(place) }
        try members.takeOrNull("approvesOfflineUpTo", &approvesOfflineUpTo) { place throws(DocumentError) in
            try place.number(0...999_999_999_999)
        }
        try members.takeOrNull("thirdPartyData", &thirdPartyData) { place throws(DocumentError) in
            try place.bytes(5...32)
        }
        try members.take("recovery", &recoversTornTransactions) { place throws(DocumentError) in try place.flag() }
        try members.takeOrNull("offlineBalance", &offlineBalance) { place throws(DocumentError) in
            try place.number(0...999_999_999_999)
        }
        try members.takeOrNull("dataStorage", &dataStorage) { place throws(DocumentError) in try DataStorage(place) }
        try members.takeOrNull("relayResistance", &relayResistance) { place throws(DocumentError) in
            try CardRelayResistance(place)
        }
        try members.take("positions", &positions) { place throws(DocumentError) in try ChecksumPositions(place) }
        try members.takeOrNull("device", &device) { place throws(DocumentError) in
            try place.choice(ContactlessProfile.Device.allCases.map { ($0.rawValue, $0) })
        }
    }

    fileprivate var json: JSON {
        .object([
            "system": .text("mastercard"), "mode": .text(mode.rawValue), "pdol": .orNull(pdol) { $0.json },
            "cdol1": cdol1.json,
            "aip": interchangeProfile.json, "cvmList": .orNull(cvmList) { $0.json },
            "approvesOfflineUpTo": .orNull(approvesOfflineUpTo) { .number($0) },
            "thirdPartyData": .orNull(thirdPartyData) { .hex($0) },
            "positions": positions.json, "recovery": .flag(recoversTornTransactions),
            "offlineBalance": .orNull(offlineBalance) { .number($0) }, "dataStorage": .orNull(dataStorage) { $0.json },
            "relayResistance": .orNull(relayResistance) { $0.json }, "device": .orNull(device) { .text($0.rawValue) },
        ])
    }
}

extension CardRelayResistance {
    init(_ place: Place) throws(DocumentError) {
        let members = try place.members(["minimum", "maximum", "transmission"])
        self.init()
        try members.take("minimum", &minimum) { place throws(DocumentError) in try place.number(0...UInt16.max) }
        try members.take("maximum", &maximum) { place throws(DocumentError) in try place.number(0...UInt16.max) }
        try members.take("transmission", &transmission) { place throws(DocumentError) in
            try place.number(0...UInt16.max)
        }
    }

    var json: JSON {
        .object(["minimum": .number(minimum), "maximum": .number(maximum), "transmission": .number(transmission)])
    }
}

extension ChecksumPositions {
    fileprivate init(_ place: Place) throws(DocumentError) {
        let members = try place.members(["code", "number", "counterDigits"])
        func map(_ name: String) throws(DocumentError) -> UInt16 {
            try members.required(name).bytes(2...2).reduce(0) { $0 << 8 | UInt16($1) }
        }
        self.init(
            code: try map("code"), number: try map("number"),
            counterDigits: try members.required("counterDigits").number(0...16))
    }

    fileprivate var json: JSON {
        .object(["code": Self.json(code), "number": Self.json(number), "counterDigits": .number(counterDigits)])
    }

    private static func json(_ map: UInt16) -> JSON {
        .hex([UInt8(truncatingIfNeeded: map >> 8), UInt8(map & 0xFF)])
    }
}

extension CardTransactionQualifiers: NamedBits {
    static let names: [(String, Self)] = [
        ("onlineIfDataAuthenticationFails", .onlineIfDataAuthenticationFails),
        ("otherInterfaceIfDataAuthenticationFails", .otherInterfaceIfDataAuthenticationFails),
        ("onlineIfExpired", .onlineIfExpired),
        ("otherInterfaceForCash", .otherInterfaceForCash), ("otherInterfaceForCashback", .otherInterfaceForCashback),
        ("issuerUpdate", .issuerUpdateProcessing),
    ]
}
