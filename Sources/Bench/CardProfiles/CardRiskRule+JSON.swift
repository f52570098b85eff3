import JSONDocument
import SmartCard
import TLV
import VirtualCard

/// The issuer's action codes and the card's rules.
extension IssuerActionCodes {
    init(_ place: Place) throws(DocumentError) {
        let members = try place.members(["denial", "online", "default"])
        self.init()
        typealias Codes = TerminalVerificationResults
        try members.take("denial", &denial) { place throws(DocumentError) in try Codes(place) }
        try members.take("online", &online) { place throws(DocumentError) in try Codes(place) }
        try members.take("default", &self.default) { place throws(DocumentError) in try Codes(place) }
    }

    var json: JSON { .object(["denial": denial.json, "online": online.json, "default": self.default.json]) }
}

extension CardRiskRule {
    init(_ place: Place) throws(DocumentError) {
        let members = try place.members([
            "declinesAbove", "goesOnlineAbove", "approvesWhenUnableToGoOnline", "requiresIssuerAuthentication",
        ])
        self.init()
        try members.takeOrNull("declinesAbove", &declinesAbove) { place throws(DocumentError) in
            try place.number(0...999_999_999_999)
        }
        try members.takeOrNull("goesOnlineAbove", &goesOnlineAbove) { place throws(DocumentError) in
            try place.number(0...999_999_999_999)
        }
        try members.take("approvesWhenUnableToGoOnline", &approvesWhenUnableToGoOnline) { place throws(DocumentError) in
            try place.flag()
        }
        try members.take("requiresIssuerAuthentication", &requiresIssuerAuthentication) { place throws(DocumentError) in
            try place.flag()
        }
    }

    var json: JSON {
        .object([
            "declinesAbove": .orNull(declinesAbove) { .number($0) },
            "goesOnlineAbove": .orNull(goesOnlineAbove) { .number($0) },
            "approvesWhenUnableToGoOnline": .flag(approvesWhenUnableToGoOnline),
            "requiresIssuerAuthentication": .flag(requiresIssuerAuthentication),
        ])
    }
}

/// Consecutive offline limits.
enum Limits {
    static func read(_ place: Place) throws(DocumentError) -> ClosedRange<UInt8> {
        let members = try place.members(["lowerConsecutiveOffline", "upperConsecutiveOffline"])
        let lower: UInt8 = try members.required("lowerConsecutiveOffline").number(0...255)
        let place = try members.required("upperConsecutiveOffline")
        let upper: UInt8 = try place.number(0...255)
        guard lower <= upper else { throw place.wrong(ProfileFault.limits(lower: lower, upper: upper)) }
        return lower...upper
    }

    static func json(_ limits: ClosedRange<UInt8>) -> JSON {
        .object([
            "lowerConsecutiveOffline": .number(limits.lowerBound),
            "upperConsecutiveOffline": .number(limits.upperBound),
        ])
    }
}

/// The issuer's commands that the card supports.
enum Scripts {
    static let names: [(String, Instruction)] = [
        ("applicationBlock", .applicationBlock), ("applicationUnblock", .applicationUnblock), ("cardBlock", .cardBlock),
        ("pinChangeUnblock", .pinChangeUnblock), ("putData", .putData), ("updateRecord", .updateRecord),
    ]

    static func read(_ place: Place, into profile: inout CardProfile) throws(DocumentError) {
        let members = try place.members(["obeys", "beginsTransactionsWhenBlocked"])
        try members.take("obeys", &profile.issuerCommands) { place throws(DocumentError) in
            Set(try place.list { place throws(DocumentError) in try place.choice(names) })
        }
        try members.take("beginsTransactionsWhenBlocked", &profile.beginsTransactionsWhenBlocked) {
            place throws(DocumentError) in
            try place.flag()
        }
    }

    static func json(_ profile: CardProfile) -> JSON {
        .object([
            "obeys": .list(names.filter { profile.issuerCommands.contains($0.1) }.map { .text($0.0) }),
            "beginsTransactionsWhenBlocked": .flag(profile.beginsTransactionsWhenBlocked),
        ])
    }
}
