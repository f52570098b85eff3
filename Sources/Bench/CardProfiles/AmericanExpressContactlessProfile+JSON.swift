import JSONDocument
import TLV
import VirtualCard

extension AmericanExpressContactlessProfile {
    static let keys = ["system", "pdol", "cdol1", "aip", "cvmList", "approvesOfflineUpTo", "device"]

    init(_ place: Place) throws(DocumentError) {
        let members = try place.members(Self.keys)
        self.init()
        try members.take("pdol", &pdol) { place throws(DocumentError) in try DOL(place) }
        try members.take("cdol1", &cdol1) { place throws(DocumentError) in try DOL(place) }
        try members.take("aip", &interchangeProfile) { place throws(DocumentError) in
            try ApplicationInterchangeProfile(place)
        }
        try members.takeOrNull("cvmList", &cvmList) { place throws(DocumentError) in try CVMList(place) }
        try members.takeOrNull("approvesOfflineUpTo", &approvesOfflineUpTo) { place throws(DocumentError) in
            try place.number(0...999_999_999_999)
        }
        try members.takeOrNull("device", &device) { place throws(DocumentError) in
            try place.choice(ContactlessProfile.Device.allCases.map { ($0.rawValue, $0) })
        }
    }

    var json: JSON {
        .object([
            "system": .text("amex"), "pdol": pdol.json, "cdol1": cdol1.json, "aip": interchangeProfile.json,
            "cvmList": .orNull(cvmList) { $0.json },
            "approvesOfflineUpTo": .orNull(approvesOfflineUpTo) { .number($0) },
            "device": .orNull(device) { .text($0.rawValue) },
        ])
    }
}
