private import Bytes
internal import MagneticStripe
internal import TLV

/// The PAN, and whether track 2 has the same account (EMV 4.4 Book 3, annex A1, tags 5A and 57).
extension ApplicationInspection {
    var accountFindings: [CardFinding] {
        guard let pan = elements[.applicationPAN].flatMap({ BCD.digits($0) }), !pan.isEmpty else {
            return trackFindings(nil)
        }
        let check =
            Luhn.isValid(pan)
            ? []
            : [
                finding(
                    .checkDigit, severity: .warning, tag: .applicationPAN, summary: "its check digit is wrong",
                    source: "ISO/IEC 7812-1, annex B")
            ]
        return check + trackFindings(pan)
    }

    /// - Parameter pan: ASCII digits.
    private func trackFindings(_ pan: [UInt8]?) -> [CardFinding] {
        guard let bytes = elements[.track2EquivalentData] else { return [] }
        let source = "EMV 4.4 Book 3, annex A1"
        guard let track = Track2Equivalent(bytes) else {
            return [
                finding(
                    .track2Malformed, severity: .error, tag: .track2EquivalentData,
                    summary: "it is not a PAN, separator D, expiry, service code and digits, padded with at most one F",
                    source: source)
            ]
        }
        var findings: [CardFinding] = []
        if let pan, track.pan != pan {
            findings.append(
                finding(
                    .track2Contradicts, severity: .error, tag: .track2EquivalentData,
                    summary: "its PAN is not that of tag 5A",
                    source: source
                ))
        }
        if let expiry = elements[.applicationExpirationDate], expiry.count == 3,
            track.expiry != Array(expiry.prefix(2).hex.utf8)
        {
            findings.append(
                finding(
                    .track2Contradicts, severity: .warning, tag: .track2EquivalentData,
                    summary: "its expiry is not that of tag 5F24",
                    source: source))
        }
        if let code = elements[.serviceCode], code.count == 2, track.serviceCode != Array(code.hex.utf8.dropFirst()) {
            findings.append(
                finding(
                    .track2Contradicts, severity: .warning, tag: .track2EquivalentData,
                    summary: "its service code is not that of tag 5F30",
                    source: source))
        }
        return findings
    }
}

/// The fields of tag `57`, in ASCII digits.
private struct Track2Equivalent {
    let pan: [UInt8]
    /// YYMM.
    let expiry: [UInt8]
    let serviceCode: [UInt8]

    init?(_ bytes: [UInt8]) {
        var nibbles = bytes.flatMap { [$0 >> 4, $0 & 0x0F] }
        if nibbles.last == 0x0F { nibbles.removeLast() }
        guard nibbles.count <= 37, let separator = nibbles.firstIndex(of: 0x0D), (1...19).contains(separator) else {
            return nil
        }
        let digits = nibbles.map { $0 + 0x30 }
        let rest = digits[(separator + 1)...]
        guard rest.count >= 7, nibbles[..<separator].allSatisfy({ $0 < 10 }),
            nibbles[(separator + 1)...].allSatisfy({ $0 < 10 })
        else {
            return nil
        }
        pan = Array(digits[..<separator])
        expiry = Array(rest.prefix(4))
        serviceCode = Array(rest.dropFirst(4).prefix(3))
    }
}
