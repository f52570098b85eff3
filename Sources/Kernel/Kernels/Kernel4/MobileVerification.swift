import TLV

/// Verification of the cardholder on a phone: mobile CVM results, tag `9F71`, 3 bytes. By the
/// public decoder of binaryfoo/emv-bertlv ("Expresspay 3.0, table 12"): method 01 mobile, 3F none;
/// condition 00 not required, 03 the terminal required it; result 01 failed, 02 successful, 03
/// blocked.
struct MobileVerification: Equatable {
    /// Tag `9F34`, for a successful verification the same as kernel 2's.
    static let successful = CVMResults([0x01, 0x00, 0x02])

    let isSuccessful: Bool

    /// Values that the decoder does not have count as no verification.
    init(_ card: DataElements) {
        let value = card[0x9F71]
        isSuccessful = value == [0x01, 0x00, 0x02] || value == [0x01, 0x03, 0x02]
    }
}

extension ApplicationInterchangeProfile {
    /// AIP byte 2 bits 8 and 7: a test plan for end-to-end tests of Expresspay names the first
    /// (iso8583.info), a public capture of a phone has the second alone.
    static let expresspayEMVSupported = Self(byte: 2, bit: 8)
    static let mobileSupported = Self(byte: 2, bit: 7)
}
