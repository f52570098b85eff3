extension CryptogramVersion {
    /// The version in a card's issuer application data; nil if it is not known here.
    ///
    /// These data identify an application of the Common Core Definitions for any payment system
    /// (EMV 4.4 Book 3, C9). The versions of American Express, Discover and JCB are missing: there
    /// is no public source for the data that their cryptograms cover.
    ///
    /// - Parameters:
    ///   - rid: the first 5 bytes of the AID.
    ///   - issuerApplicationData: tag 9F10.
    public init?(rid: [UInt8], issuerApplicationData: [UInt8]) {
        let payment =
            switch rid {
            case [0xA0, 0x00, 0x00, 0x00, 0x03]: Self.visa(issuerApplicationData: issuerApplicationData)
            case [0xA0, 0x00, 0x00, 0x00, 0x04]: Self.mastercard(issuerApplicationData: issuerApplicationData)
            case [0xA0, 0x00, 0x00, 0x02, 0x77]: Self.interac(issuerApplicationData: issuerApplicationData)
            case [0xA0, 0x00, 0x00, 0x03, 0x33]: Self.unionPay(issuerApplicationData: issuerApplicationData)
            default: CryptogramVersion?.none
            }
        guard let version = Self.commonCore(issuerApplicationData: issuerApplicationData) ?? payment else { return nil }
        self = version
    }

    /// The version in a Visa card's issuer application data (tag 9F10); nil if it is not known
    /// here.
    public static func visa(issuerApplicationData iad: [UInt8]) -> CryptogramVersion? {
        guard iad.count >= 3 else { return nil }
        switch (iad[0], iad[1], iad[2]) {
        case (0x1F, 0x22, _): return .visa22
        case (_, _, 0x0A): return .visa10
        case (_, _, 0x12): return .visa18
        default: return nil
        }
    }

    /// The version in a Mastercard card's issuer application data (tag 9F10); nil if it is not
    /// known here.
    public static func mastercard(issuerApplicationData iad: [UInt8]) -> CryptogramVersion? {
        guard iad.count >= 2 else { return nil }
        switch iad[1] {
        case 0x10: return .mastercard10
        case 0x11: return .mastercard11
        case 0x14: return .mastercard14
        case 0x15: return .mastercard15
        default: return nil
        }
    }

    /// The version in an Interac card's issuer application data (tag 9F10); nil if it is not known
    /// here.
    public static func interac(issuerApplicationData iad: [UInt8]) -> CryptogramVersion? {
        iad.count >= 3 && iad[2] == 0x85 ? .interac85 : nil
    }

    /// The version in a UnionPay card's issuer application data (tag 9F10); nil if it is not known
    /// here.
    public static func unionPay(issuerApplicationData iad: [UInt8]) -> CryptogramVersion? {
        iad.count >= 7 && iad[2] == 0x01 ? .unionPay01 : nil
    }

    /// The version in a Common Core Definitions card's issuer application data (tag 9F10): 32
    /// bytes, the first and the seventeenth 0F, the second the common core identifier A5 or A6 (EMV
    /// 4.4 Book 3, C9); nil if it is not known here.
    public static func commonCore(issuerApplicationData iad: [UInt8]) -> CryptogramVersion? {
        guard iad.count == 32, iad[0] == 0x0F, iad[16] == 0x0F else { return nil }
        switch iad[1] {
        case 0xA5: return .commonCoreTDES
        case 0xA6: return .commonCoreAES
        default: return nil
        }
    }
}
