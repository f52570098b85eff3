public import TLV

/// Which data objects stand in which record of which file, and how many records are signed: the AFL, and what it points to
/// (EMV 4.4 Book 3, 5.3 and 10.2).
public struct CardFileLayout: Sendable, Equatable {
    /// One entry of the AFL.
    public struct File: Sendable, Equatable {
        /// Short file identifier, 1 to 30; terminals look for what a transaction needs in files 1 to 10 (EMV 4.4 Book 3, 5.3.1). The same one in a later
        /// entry goes on with the next record.
        public var sfi: UInt8
        /// The data objects of each record, in template `70`. One that the card has no value for is left out.
        public var records: [[Tag]]
        /// How many of the records, from the first, offline data authentication covers.
        public var authenticatedCount: Int

        public init(sfi: UInt8, _ records: [[Tag]], authenticated: Int = 0) {
            self.sfi = sfi
            self.records = records
            authenticatedCount = authenticated
        }
    }

    public var files: [File]

    public init(_ files: [File]) { self.files = files }

    /// The layout of a card that asks for none: track 2 and name in file 1, keys and certificates in file 2, what is signed in file 3.
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
            [.signedStaticApplicationData], [.iccPublicKeyExponent, .iccPublicKeyRemainder, .ddol], [.iccPublicKeyCertificate],
        ]
        let pinRecords: [[Tag]] = [
            [.iccPINEnciphermentPublicKeyCertificate], [.iccPINEnciphermentPublicKeyExponent, .iccPINEnciphermentPublicKeyRemainder],
        ]
        return records + (hasPINKey ? pinRecords : [])
    }

    private static let curveRecords: [[Tag]] = [
        [.caPublicKeyIndexCard], [.issuerPublicKeyCertificate], [.iccPublicKeyCertificate], [.iccPINEnciphermentPublicKeyCertificate],
    ]

    private static let dataRecord: [Tag] = [
        .applicationPAN, .panSequenceNumber, .applicationExpirationDate, .applicationEffectiveDate, .issuerCountryCode, .serviceCode,
        .applicationCurrencyCode, .applicationCurrencyExponent, .applicationUsageControl, .applicationVersionNumberCard, .cvmList,
        .issuerActionCodeDenial, .issuerActionCodeOnline, .issuerActionCodeDefault, .lowerConsecutiveOfflineLimit,
        .upperConsecutiveOfflineLimit,
    ]
    private static let listRecord: [Tag] = [.cdol1, .cdol2, .staticDataAuthenticationTagList]

    /// What certificates and signatures make up: it cannot be covered by them.
    static let keyTags: Set<Tag> = [
        .caPublicKeyIndexCard, .issuerPublicKeyExponent, .issuerPublicKeyRemainder, .issuerPublicKeyCertificate,
        .signedStaticApplicationData, .iccPublicKeyExponent, .iccPublicKeyRemainder, .iccPublicKeyCertificate,
        .iccPINEnciphermentPublicKeyCertificate, .iccPINEnciphermentPublicKeyExponent, .iccPINEnciphermentPublicKeyRemainder,
    ]

    /// Every data object that a record may hold.
    static let knownTags = keyTags.union([.track2EquivalentData, .cardholderName, .ddol]).union(dataRecord).union(listRecord).union(
        magstripeTags)
}

extension CardFileLayout {
    /// Why no card can be laid out so.
    public enum Problem: Error, Equatable, Sendable {
        /// There are none, or more than the 63 that fit into an AFL.
        case numberOfFiles(Int)
        /// No SFI of 1 to 30, or that of the card's transaction log.
        case fileIdentifier(UInt8)
        /// The entry for the SFI has none, or the file more than 255.
        case numberOfRecords(sfi: UInt8)
        /// More are to be signed than there are.
        case authenticatedRecords(sfi: UInt8)
        /// The card has no such data object.
        case unknown(Tag)
        /// A key or signature stands in a signed record.
        case signed(Tag)
        /// The record would be longer than an answer may be.
        case recordLength(sfi: UInt8, number: Int)
    }

    func validate(logIdentifier: UInt8?) throws(Problem) {
        guard (1...63).contains(files.count) else { throw .numberOfFiles(files.count) }
        var counts: [UInt8: Int] = [:]
        for file in files {
            guard (1...30).contains(file.sfi), file.sfi != logIdentifier else { throw .fileIdentifier(file.sfi) }
            counts[file.sfi, default: 0] += file.records.count
            guard !file.records.isEmpty, counts[file.sfi, default: 0] <= 255 else { throw .numberOfRecords(sfi: file.sfi) }
            guard (0...file.records.count).contains(file.authenticatedCount) else { throw .authenticatedRecords(sfi: file.sfi) }
            for tag in file.records.joined() where !Self.knownTags.contains(tag) { throw .unknown(tag) }
            for tag in file.records.prefix(file.authenticatedCount).joined() where Self.keyTags.contains(tag) { throw .signed(tag) }
        }
    }
}
