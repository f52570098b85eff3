public import TLV

/// The data objects of each record of each file, and the number of signed records: the AFL and its
/// records (EMV 4.4 Book 3, 5.3 and 10.2).
public struct CardFileLayout: Sendable, Equatable {
    /// One entry of the AFL.
    public struct File: Sendable, Equatable {
        /// Short file identifier, 1 to 30; terminals look for what a transaction needs in files 1
        /// to 10 (EMV 4.4 Book 3, 5.3.1). A later entry with the same one continues with the next
        /// record.
        public var sfi: UInt8
        /// The data objects of each record, in template `70`. Data objects without a value are left
        /// out.
        public var records: [[Tag]]
        /// How many of the records, from the first, are covered by offline data authentication.
        public var authenticatedCount: Int

        public init(sfi: UInt8, _ records: [[Tag]], authenticated: Int = 0) {
            self.sfi = sfi
            self.records = records
            authenticatedCount = authenticated
        }
    }

    public var files: [File]

    public init(_ files: [File]) { self.files = files }

    /// The default layout: track 2 and name in file 1, keys and certificates in file 2, signed data
    /// in file 3.
    public static func standard(for profile: CardProfile) -> CardFileLayout {
        CardFileLayout([
            File(sfi: 1, [[.track2EquivalentData, .cardholderName]]),
            File(sfi: 2, profile.ellipticCurve == nil ? rsaRecords(profile.hasPINEnciphermentKey) : curveRecords),
            File(sfi: 3, [dataRecord, listRecord], authenticated: 2),
        ])
    }

    private static func rsaRecords(_ hasPINKey: Bool) -> [[Tag]] {
        let records: [[Tag]] = [
            [.caPublicKeyIndexCard, .issuerPublicKeyExponent, .issuerPublicKeyRemainder], [.issuerPublicKeyCertificate],
            [.signedStaticApplicationData], [.iccPublicKeyExponent, .iccPublicKeyRemainder, .ddol],
            [.iccPublicKeyCertificate],
        ]
        let pinRecords: [[Tag]] = [
            [.iccPINEnciphermentPublicKeyCertificate],
            [.iccPINEnciphermentPublicKeyExponent, .iccPINEnciphermentPublicKeyRemainder],
        ]
        return records + (hasPINKey ? pinRecords : [])
    }

    private static let curveRecords: [[Tag]] = [
        [.caPublicKeyIndexCard], [.issuerPublicKeyCertificate], [.iccPublicKeyCertificate],
        [.iccPINEnciphermentPublicKeyCertificate],
    ]

    private static let dataRecord: [Tag] = [
        .applicationPAN, .panSequenceNumber, .applicationExpirationDate, .applicationEffectiveDate, .issuerCountryCode,
        .serviceCode, .applicationCurrencyCode, .applicationCurrencyExponent, .applicationUsageControl,
        .applicationVersionNumberCard, .cvmList, .issuerActionCodeDenial, .issuerActionCodeOnline,
        .issuerActionCodeDefault, .lowerConsecutiveOfflineLimit, .upperConsecutiveOfflineLimit,
    ]
    private static let listRecord: [Tag] = [.cdol1, .cdol2, .staticDataAuthenticationTagList]

    /// Certificates and signatures with their keys, which they cannot cover themselves.
    static let keyTags: Set<Tag> = [
        .caPublicKeyIndexCard, .issuerPublicKeyExponent, .issuerPublicKeyRemainder, .issuerPublicKeyCertificate,
        .signedStaticApplicationData, .iccPublicKeyExponent, .iccPublicKeyRemainder, .iccPublicKeyCertificate,
        .iccPINEnciphermentPublicKeyCertificate, .iccPINEnciphermentPublicKeyExponent,
        .iccPINEnciphermentPublicKeyRemainder,
    ]

    /// Every data object that a record may contain.
    static let knownTags = keyTags.union([.track2EquivalentData, .cardholderName, .ddol]).union(dataRecord).union(
        listRecord
    ).union(
        magstripeTags)
}

extension CardFileLayout {
    /// Why a layout is invalid.
    public enum Problem: Error, Equatable, Sendable {
        /// There are no entries, or more than the 63 that fit into an AFL.
        case numberOfFiles(Int)
        /// The SFI is not in 1 to 30, or is that of the card's transaction log.
        case fileIdentifier(UInt8)
        /// The entry for the SFI has no records, or the file has more than 255.
        case numberOfRecords(sfi: UInt8)
        /// More records are signed than exist.
        case authenticatedRecords(sfi: UInt8)
        /// The card has no such data object.
        case unknown(Tag)
        /// A key or signature is in a signed record.
        case signed(Tag)
        /// The record would be longer than the maximum answer.
        case recordLength(sfi: UInt8, number: Int)
    }

    func validate(logIdentifier: UInt8?) throws(Problem) {
        guard (1...63).contains(files.count) else { throw .numberOfFiles(files.count) }
        var counts: [UInt8: Int] = [:]
        for file in files {
            guard (1...30).contains(file.sfi), file.sfi != logIdentifier else { throw .fileIdentifier(file.sfi) }
            counts[file.sfi, default: 0] += file.records.count
            guard !file.records.isEmpty, counts[file.sfi, default: 0] <= 255 else {
                throw .numberOfRecords(sfi: file.sfi)
            }
            guard (0...file.records.count).contains(file.authenticatedCount) else {
                throw .authenticatedRecords(sfi: file.sfi)
            }
            for tag in file.records.joined() where !Self.knownTags.contains(tag) { throw .unknown(tag) }
            for tag in file.records.prefix(file.authenticatedCount).joined() where Self.keyTags.contains(tag) {
                throw .signed(tag)
            }
        }
    }
}
