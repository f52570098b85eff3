/// The data objects of kernel 8 (EMV Contactless Book C-8, annex A), with the names of the only
/// open implementation (Digrol/Denom, `TagKernel8.java`): tags of three bytes that no other kernel
/// has, and three shorter tags.
extension Tag {
    public static let kernelKeyData: Tag = 0x9E
    public static let kernelQualifier: Tag = 0x9F2B
    public static let cardQualifier: Tag = 0x9F2C
    public static let cardholderVerificationDecision: Tag = 0x9F_8102
    public static let cardKeyData: Tag = 0x9F_8103
    public static let cardTVR: Tag = 0x9F_8104
    public static let enhancedDataAuthenticationMAC: Tag = 0x9F_8105
    public static let authenticatedApplicationData: Tag = 0x9F_8106
    public static let issuerApplicationDataMACOffset: Tag = 0x9F_8107
    public static let restartIndicator: Tag = 0x9F_8108
    public static let issuerApplicationDataMAC: Tag = 0x9F_8109
    public static let extendedSDATagList: Tag = 0x9F_810A
    public static let relayResistanceTimeExcess: Tag = 0x9F_810C
    public static let errorIndication: Tag = 0x9F_8204
    public static let readDataStatus: Tag = 0x9F_821C
    public static let writeDataStatus: Tag = 0x9F_821B
    /// An encrypted record in the answer to READ RECORD.
    public static let encipheredRecord: Tag = 0xDA

    /// Data envelopes 1 to 10.
    public static let dataEnvelopes: ClosedRange<UInt32> = 0x9F_8111...0x9F_811A
    public var isDataEnvelope: Bool { Self.dataEnvelopes.contains(rawValue) }
}

extension SchemeTags {
    static let kernel8: [Entry] =
        kernel8(
            .card,
            [
                (.encipheredRecord, "Enciphered Record", 0...253), (.cardQualifier, "Card Qualifier", 7...7),
                (.cardholderVerificationDecision, "Cardholder Verification Decision", 1...1),
                (.cardKeyData, "Card Key Data", 64...132), (.cardTVR, "Card TVR", 5...5),
                (.enhancedDataAuthenticationMAC, "Enhanced Data Authentication MAC", 8...8),
                (.authenticatedApplicationData, "Authenticated Application Data", 0...128),
                (.issuerApplicationDataMACOffset, "IAD MAC Offset", 1...1),
                (.restartIndicator, "Restart Indicator", 2...5),
                (.extendedSDATagList, "Extended SDA Tag List", 0...252),
                (0x9F_810B, "ICC ECC Public Key (for RSA Certificates)", 32...66),
                (0x9F_810D, "Card Capabilities Information", 2...2),
            ]
                + Tag.dataEnvelopes.map {
                    (Tag(rawValue: $0), "Data Envelope \($0 - Tag.dataEnvelopes.lowerBound + 1)", 0...243)
                })
        + kernel8(
            .terminal,
            [
                (.kernelKeyData, "Kernel Key Data", 64...132), (.kernelQualifier, "Kernel Qualifier", 8...8),
                (.issuerApplicationDataMAC, "Issuer Application Data MAC", 8...8),
                (.relayResistanceTimeExcess, "Relay Resistance Time Excess", 2...2),
                (.errorIndication, "Error Indication", 6...6),
                (.readDataStatus, "Read Data Status", 1...1), (.writeDataStatus, "Write Data Status", 1...1),
            ])

    private static func kernel8(
        _ source: TagDefinition.Source, _ rows: [(tag: Tag, name: String, length: ClosedRange<Int>)]
    ) -> [Entry] {
        rows.map {
            Entry(
                systems: [], interface: .contactless,
                definition: TagDefinition(
                    tag: $0.tag, name: $0.name, format: .binary, length: $0.length, source: source, kernels: [8]))
        }
    }
}
