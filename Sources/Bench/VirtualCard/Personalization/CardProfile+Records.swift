private import Bytes
internal import TLV

extension CardProfile {
    /// The data objects of the records, without keys, certificates and signatures. Absent values of
    /// the profile are left out.
    var dataObjects: [Tag: [UInt8]] {
        let objects: [Tag: [UInt8]?] = [
            .track2EquivalentData: track2, .cardholderName: Array(account.cardholderName.utf8),
            .applicationPAN: account.encodedPAN,
            .panSequenceNumber: account.panSequenceNumber.flatMap { BCD.encode(UInt64($0), count: 1) },
            .applicationExpirationDate: account.expiry, .applicationEffectiveDate: account.effectiveDate,
            .issuerCountryCode: BCD.encode(UInt64(issuerCountryCode), count: 2),
            .serviceCode: BCD.encode(UInt64(account.serviceCode), count: 2),
            .applicationCurrencyCode: BCD.encode(UInt64(applicationCurrencyCode), count: 2),
            .applicationCurrencyExponent: [applicationCurrencyExponent], .applicationUsageControl: usageControl?.bytes,
            .applicationVersionNumberCard: versionNumber.bigEndianBytes, .cvmList: cvmList?.bytes,
            .issuerActionCodeDenial: actionCodes.denial.bytes, .issuerActionCodeOnline: actionCodes.online.bytes,
            .issuerActionCodeDefault: actionCodes.default.bytes,
            .lowerConsecutiveOfflineLimit: consecutiveOfflineLimits.map { [$0.lowerBound] },
            .upperConsecutiveOfflineLimit: consecutiveOfflineLimits.map { [$0.upperBound] }, .cdol1: cdol1.bytes,
            .cdol2: cdol2.bytes,
            .staticDataAuthenticationTagList: Tag.applicationInterchangeProfile.bytes, .ddol: ddol?.bytes,
            .caPublicKeyIndexCard: [caPublicKeyIndex],
        ]
        return objects.compactMapValues(\.self)
    }

    /// The data after the signed records in the certificates of a card with elliptic curve keys:
    /// AIP, AID and PDOL, each with tag and length (EMV 4.4 Book 3, 10.3).
    var issuerCertifiedCardData: [UInt8] {
        var builder = TLVBuilder()
        builder.append(.applicationInterchangeProfile, interchangeProfile.bytes)
        builder.append(.applicationIdentifierTerminal, applications[0].aid)
        if let pdol { builder.append(.pdol, pdol.bytes) }
        return builder.bytes
    }

    /// Tag `57`: PAN, `D`, YYMM, service code, discretionary data, padded with one `F` (EMV 4.4
    /// Book 3, annex A1).
    private var track2: [UInt8] {
        let digits = account.pan.revealed().map { $0 & 0x0F }
        let expiry = account.expiry.prefix(2).flatMap { [$0 >> 4, $0 & 0x0F] }
        let service = account.serviceCode
        let serviceDigits = [service / 100 % 10, service / 10 % 10, service % 10].map { UInt8(truncatingIfNeeded: $0) }
        let discretionary = account.track2DiscretionaryData.utf8.map { $0 & 0x0F }
        let nibbles = digits + [0x0D] + expiry + serviceDigits + discretionary
        let padded = nibbles + (nibbles.count.isMultiple(of: 2) ? [] : [0x0F])
        return stride(from: 0, to: padded.count, by: 2).map { padded[$0] << 4 | padded[$0 + 1] }
    }
}

extension CardAccount {
    /// Tag `5A`, format `cn`.
    var encodedPAN: [UInt8] { BCD.encode(digits: pan.revealed()) ?? [] }
}

extension UInt16 {
    var bigEndianBytes: [UInt8] { [UInt8(truncatingIfNeeded: self >> 8), UInt8(self & 0xFF)] }
}
