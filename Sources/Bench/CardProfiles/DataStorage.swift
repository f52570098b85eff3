import JSONDocument
import VirtualCard

extension MastercardContactlessProfile.DataStorage {
    init(_ place: Place) throws(DocumentError) {
        let members = try place.members(["version", "slots", "scheme", "envelopes"])
        self.init()
        try members.takeOrNull("version", &version) { place throws(DocumentError) in
            try place.choice(Version.allCases.map { (String($0.rawValue), $0) })
        }
        try members.take("slots", &slots) { place throws(DocumentError) in
            try place.list { place throws(DocumentError) in try Slot(place) }
        }
        try members.take("scheme", &scheme) { place throws(DocumentError) in try place.number(0...8) }
        try members.take("envelopes", &envelopes) { place throws(DocumentError) in try Self.envelopes(place) }
    }

    private static func envelopes(_ place: Place) throws(DocumentError) -> [UInt8: [UInt8]] {
        let members = try place.members((1...10).map(String.init))
        var envelopes: [UInt8: [UInt8]] = [:]
        for number in UInt8(1)...10 {
            if let place = members[String(number)] { envelopes[number] = try place.bytes(0...192) }
        }
        return envelopes
    }

    var json: JSON {
        .object([
            "version": .orNull(version) { .text(String($0.rawValue)) }, "slots": .list(slots.map(\.json)),
            "scheme": .number(scheme),
            "envelopes": .object(
                sorted: Dictionary(uniqueKeysWithValues: envelopes.map { (String($0.key), .hex($0.value)) })),
        ])
    }
}

extension MastercardContactlessProfile.DataStorage.Slot {
    fileprivate init(_ place: Place) throws(DocumentError) {
        let members = try place.members(["operator", "data", "permanent", "locked"])
        self.init()
        try members.takeOrNull("operator", &operatorIdentifier) { place throws(DocumentError) in try place.bytes(8...8)
        }
        try members.take("data", &data) { place throws(DocumentError) in try place.bytes(0...160) }
        try members.take("permanent", &isPermanent) { place throws(DocumentError) in try place.flag() }
        try members.take("locked", &isLocked) { place throws(DocumentError) in try place.flag() }
    }

    fileprivate var json: JSON {
        .object([
            "operator": .orNull(operatorIdentifier) { .hex($0) }, "data": .hex(data), "permanent": .flag(isPermanent),
            "locked": .flag(isLocked),
        ])
    }
}
