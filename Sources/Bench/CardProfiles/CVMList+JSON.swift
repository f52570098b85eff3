import Bytes
import JSONDocument
import TLV

/// DOL: its bytes in hexadecimal, or `{"tag": "9F02", "length": 6}` for each entry.
extension DOL {
    init(_ place: Place) throws(DocumentError) {
        if case .text = place.value {
            guard let list = try? DOL(parsing: place.bytes(0...252)) else {
                throw place.wrong(ProfileFault.listTruncated)
            }
            self = list
        } else {
            self.init(
                entries: try place.list { entry throws(DocumentError) in
                    let members = try entry.members(["tag", "length"])
                    return DOL.Entry(try members.required("tag").tag(), try members.required("length").number(0...252))
                })
        }
        guard dataLength <= 252 else { throw place.wrong(ProfileFault.listTooLong(dataLength)) }
    }

    var json: JSON { .hex(bytes) }
}

extension Place {
    func tag() throws(DocumentError) -> Tag {
        guard let tag = Tag(hex: try text()) else { throw wrong(ProfileFault.tag(try text())) }
        return tag
    }
}

/// CVM list: its bytes in hexadecimal, or amounts and rules by name.
extension CVMList {
    init(_ place: Place) throws(DocumentError) {
        if case .text = place.value {
            guard let list = CVMList(try place.bytes(8...252)) else { throw place.wrong(ProfileFault.cvmList) }
            self = list
            return
        }
        let members = try place.members(["amountX", "amountY", "rules"])
        var (x, y): (UInt32, UInt32) = (0, 0)
        try members.take("amountX", &x) { place throws(DocumentError) in try place.number(0...UInt32.max) }
        try members.take("amountY", &y) { place throws(DocumentError) in try place.number(0...UInt32.max) }
        self.init(
            x: x, y: y, rules: try members.required("rules").list { place throws(DocumentError) in try CVMRule(place) })
    }

    var json: JSON {
        .object(["amountX": .number(x), "amountY": .number(y), "rules": .list(rules.map(\.json))])
    }
}

extension CVMRule {
    private static let methods: [(String, CVMCode)] = [
        ("fail", .fail), ("plaintextPINByICC", .plaintextPIN), ("encipheredPINOnline", .onlinePIN),
        ("plaintextPINByICCAndSignature", .plaintextPINAndSignature), ("encipheredPINByICC", .encipheredPIN),
        ("encipheredPINByICCAndSignature", .encipheredPINAndSignature), ("signature", .signature), ("noCVM", .noCVM),
    ]
    private static let conditions: [(String, CVMCondition)] = [
        ("always", .always), ("ifUnattendedCash", .unattendedCash),
        ("ifNeitherCashNorCashback", .neitherCashNorCashback),
        ("ifTerminalSupports", .terminalSupportsCVM), ("ifManualCash", .manualCash),
        ("ifPurchaseWithCashback", .purchaseWithCashback),
        ("ifUnderX", .underX), ("ifOverX", .overX), ("ifUnderY", .underY), ("ifOverY", .overY),
    ]

    fileprivate init(_ place: Place) throws(DocumentError) {
        if case .text = place.value {
            let bytes = try place.bytes(2...2)
            self.init(bytes[0], bytes[1])
            return
        }
        let members = try place.members(["method", "condition", "otherwiseNext"])
        self.init(
            code: try members.required("method").choice(Self.methods),
            continuesIfUnsuccessful: try members["otherwiseNext"]?.flag() ?? false,
            condition: try members.required("condition").choice(Self.conditions))
    }

    /// By name if both bytes have one.
    fileprivate var json: JSON {
        guard let method = Self.methods.first(where: { $0.1 == code })?.0,
            let condition = Self.conditions.first(where: { $0.1 == condition })?.0
        else { return .hex(bytes) }
        return .object([
            "method": .text(method), "condition": .text(condition), "otherwiseNext": .flag(continuesIfUnsuccessful),
        ])
    }
}
