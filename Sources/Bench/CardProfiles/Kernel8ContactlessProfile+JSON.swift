import JSONDocument
import TLV
import VirtualCard

extension Kernel8ContactlessProfile {
    static let keys = [
        "system", "curve", "cdol1", "localAuthentication", "verifications", "approvesOfflineUpTo", "encipheredRecords",
        "relayResistance", "envelopes", "macOffset", "restart", "device",
    ]

    init(_ place: Place) throws(DocumentError) {
        let members = try place.members(Self.keys)
        self.init()
        try members.take("curve", &curve) { place throws(DocumentError) in
            try place.choice(Curve.allCases.map { ($0.rawValue, $0) })
        }
        try members.take("cdol1", &cdol1) { place throws(DocumentError) in try DOL(place) }
        try members.take("localAuthentication", &authenticatesLocally) { place throws(DocumentError) in try place.flag()
        }
        try members.take("verifications", &verifications) { place throws(DocumentError) in
            try place.list { place throws(DocumentError) in
                try place.choice(Verification.allCases.map { ($0.rawValue, $0) })
            }
        }
        try members.takeOrNull("approvesOfflineUpTo", &approvesOfflineUpTo) { place throws(DocumentError) in
            try place.number(0...999_999_999_999)
        }
        try members.take("encipheredRecords", &enciphersRecords) { place throws(DocumentError) in try place.flag() }
        try members.takeOrNull("relayResistance", &relayResistance) { place throws(DocumentError) in
            try CardRelayResistance(place)
        }
        try members.take("envelopes", &envelopes) { place throws(DocumentError) in try Self.envelopes(place) }
        try members.takeOrNull("macOffset", &macOffset) { place throws(DocumentError) in try place.number(0...UInt8.max)
        }
        try members.takeOrNull("restart", &restart) { place throws(DocumentError) in try place.bytes(2...5) }
        try members.takeOrNull("device", &device) { place throws(DocumentError) in
            try place.choice(ContactlessProfile.Device.allCases.map { ($0.rawValue, $0) })
        }
    }

    private static func envelopes(_ place: Place) throws(DocumentError) -> [UInt8: [UInt8]] {
        let members = try place.members((1...10).map(String.init))
        var envelopes: [UInt8: [UInt8]] = [:]
        for number in UInt8(1)...10 {
            if let place = members[String(number)] { envelopes[number] = try place.bytes(0...243) }
        }
        return envelopes
    }

    var json: JSON {
        .object([
            "system": .text("kernel8"), "curve": .text(curve.rawValue), "cdol1": cdol1.json,
            "localAuthentication": .flag(authenticatesLocally),
            "verifications": .list(verifications.map { .text($0.rawValue) }),
            "approvesOfflineUpTo": .orNull(approvesOfflineUpTo) { .number($0) },
            "encipheredRecords": .flag(enciphersRecords),
            "relayResistance": .orNull(relayResistance) { $0.json },
            "envelopes": .object(
                sorted: Dictionary(uniqueKeysWithValues: envelopes.map { (String($0.key), .hex($0.value)) })),
            "macOffset": .orNull(macOffset) { .number($0) }, "restart": .orNull(restart) { .hex($0) },
            "device": .orNull(device) { .text($0.rawValue) },
        ])
    }
}
