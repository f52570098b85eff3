import Bytes
import JSONDocument
import MagneticStripe
import VirtualCard

extension CardAccount {
    init(_ place: Place) throws(DocumentError) {
        let members = try place.members([
            "pan", "panSequenceNumber", "expiry", "effective", "cardholderName", "serviceCode",
            "track2DiscretionaryData",
        ])
        self.init(pan: try members.required("pan").testNumber(), expiry: try members.required("expiry").date())
        try members.takeOrNull("panSequenceNumber", &panSequenceNumber) { place throws(DocumentError) in
            try place.number(0...99)
        }
        try members.takeOrNull("effective", &effectiveDate) { place throws(DocumentError) in try place.date() }
        try members.take("cardholderName", &cardholderName) { place throws(DocumentError) in
            let name = try place.text(2...26)
            guard name.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) else { throw place.wrong(ProfileFault.notASCII) }
            return name
        }
        try members.take("serviceCode", &serviceCode) { place throws(DocumentError) in
            UInt16(try place.digits(3...3)) ?? 0
        }
        try members.take("track2DiscretionaryData", &track2DiscretionaryData) { place throws(DocumentError) in
            try place.digits(0...20)
        }
        guard pan.count + track2DiscretionaryData.utf8.count + 8 <= 38 else {
            throw place.wrong(ProfileFault.trackTooLong)
        }
    }

    var json: JSON {
        .object([
            "pan": .text(String(decoding: pan.revealed(), as: UTF8.self)),
            "panSequenceNumber": .orNull(panSequenceNumber) { .number($0) },
            "expiry": .date(expiry), "effective": .orNull(effectiveDate, JSON.date),
            "cardholderName": .text(cardholderName),
            "serviceCode": .text(String(String(1000 + serviceCode % 1000).dropFirst())),
            "track2DiscretionaryData": .text(track2DiscretionaryData),
        ])
    }
}

extension Place {
    /// A published test card number with a valid check digit.
    fileprivate func testNumber() throws(DocumentError) -> String {
        let digits = try digits(12...19, isSecret: true)
        guard TestCardNumbers.contains(SecretBytes(digits.utf8)) else {
            throw wrong(ProfileFault.notATestCard)
        }
        guard Luhn.isValid(digits.utf8) else { throw wrong(ProfileFault.checkDigit) }
        return digits
    }

    /// 2000-01-01 to 2049-12-31 or 1950-01-01 to 1999-12-31, the range of two digits of a year (EMV
    /// 4.4 Book 4, 6.7.3). YYMMDD, format `n`.
    fileprivate func date() throws(DocumentError) -> [UInt8] {
        let parts = try text().split(separator: "-", omittingEmptySubsequences: false)
        guard parts.map(\.utf8.count) == [4, 2, 2], let year = UInt64(parts[0]), let month = UInt64(parts[1]),
            let day = UInt64(parts[2]),
            (1950...2049).contains(year), (1...12).contains(month), (1...31).contains(day),
            let date = BCD.encode(year % 100 * 10_000 + month * 100 + day, count: 3)
        else { throw wrong(ProfileFault.date(try text())) }
        return date
    }
}

extension JSON {
    fileprivate static func date(_ date: [UInt8]) -> JSON {
        let digits = date.hex
        return .text(
            "\(digits < "500000" ? "20" : "19")\(digits.prefix(2))-\(digits.dropFirst(2).prefix(2))-\(digits.suffix(2))"
        )
    }
}
