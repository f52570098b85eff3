private import Bytes

/// The meanings of the values of payment systems' own tags; each system has its own coding.
enum SchemeValues {
    /// Nil for a tag that the system leaves to EMV.
    static func lines(_ tag: Tag, _ value: [UInt8], _ context: ValueContext) -> [String]? {
        switch (context.system ?? SchemeTags.system(tag, count: value.count), tag) {
        case (.visa, .formFactorIndicator): formFactor(value)
        case (.mastercard, .formFactorIndicator): thirdPartyData(value)
        case (.americanExpress, .formFactorIndicator): meanings(EnhancedReaderCapabilities.self, value) + version(value)
        case (.americanExpress, 0x9F6D) where value.count == 1: [readerCapabilities(value[0])]
        case (.americanExpress, .terminalType)
        where context.interface == .contactless && value.count == 1 && value[0] & 0xC8 != 0:
            [
                TransactionCodes.terminalType(value[0] & 0x37) ?? ValueFault.terminalType.rawValue,
                "with the contactless reader capabilities of Expresspay: " + readerCapabilities(value[0]),
            ]
        case (.visa, 0x9F68), (.unionPay, 0x9F68): meanings(CardAdditionalProcesses.self, value)
        case (.visa, .cardAuthenticationRelatedData), (.unionPay, .cardAuthenticationRelatedData):
            cardAuthenticationRelatedData(value, context)
        case (.americanExpress, 0x9F71) where context.interface != .contact: ValueDescription.cvmResults(value, context)
        case (.mastercard, .terminalRiskManagementData): meanings(TerminalRiskManagement.self, value)
        case (.mastercard, 0x9F5D) where context.interface != .contact: capabilities(value)
        case (.mastercard, _) where context.interface != .contact: Kernel2Values.lines(tag, value, context)
        case (.visa, 0x9F5D), (.unionPay, 0x9F5D), (.unionPay, 0x9F79), (.unionPay, 0x9F77), (.unionPay, 0x9F78),
            (.mastercard, 0x9F50):
            NumberDescription.amount(value, context)
        case (.mastercard?, .terminalTransactionQualifiers), (.mastercard?, .cardTransactionQualifiers),
            (.americanExpress?, .terminalTransactionQualifiers),
            (.americanExpress?, .cardTransactionQualifiers), (.jcb?, .terminalTransactionQualifiers):
            []
        default: nil
        }
    }

    private static func meanings<Field: BitField>(_ field: Field.Type, _ value: [UInt8]) -> [String] {
        guard let field = Field(value) else { return [WrongLength.line("\(Field.byteCount)")] }
        let meanings = field.meanings
        return meanings.isEmpty ? ["no bit set"] : meanings
    }

    // MARK: 9F6E (EMV Contactless Books C-2, A.1; C-3, A.2; C-4, table 4-4)

    private static func formFactor(_ value: [UInt8]) -> [String] {
        guard value.count == 4 else { return [WrongLength.line("4")] }
        let forms = ["card", "mini-card", "no card", "consumer's mobile phone", "worn on the wrist"]
        let form = Int(value[0] & 0x1F)
        let features: [String] =
            ([
                (0x80, "passcode capable"), (0x40, "signature panel"), (0x20, "hologram"), (0x10, "CVV2"),
                (0x08, "two-way messaging"),
                (0x04, "cloud based payment credentials"), (0x02, "biometric cardholder verification capable"),
            ] as [(UInt8, String)]).filter { value[1] & $0.0 != 0 }.map(\.1)
        return ["form factor: \(form < forms.count ? forms[form] : "reserved")"] + features
            + [value[3] & 0x0F == 0 ? "contactless by ISO/IEC 14443" : "payment technology \(value[3] & 0x0F)"]
    }

    /// Country (2), identifier (2), device type (2) unless bit 16 of the identifier is set, then
    /// data defined by the system.
    private static func thirdPartyData(_ value: [UInt8]) -> [String] {
        guard (5...32).contains(value.count) else { return [WrongLength.line("5 to 32")] }
        let country = BCD.number(value[..<2]).flatMap { CountryCode(number: $0) }.map {
            "country \($0.code), \($0.name)"
        }
        var lines = [country ?? "no country", "unique identifier \(value[2..<4].hex)"]
        var rest = value[4...]
        if value[2] & 0x80 == 0, rest.count >= 2 {
            let type = ValueDescription.printable(Array(rest.prefix(2)))
            lines.append("device type \"\(type)\"" + (devices[type].map { ", \($0)" } ?? ""))
            rest = rest.dropFirst(2)
        }
        return lines + (rest.isEmpty ? [] : ["proprietary data \(rest.hex)"])
    }

    private static let devices = [
        "00": "card", "01": "mobile phone with SIM", "02": "key fob", "03": "watch", "04": "mobile tag",
        "05": "wristband",
        "06": "mobile phone case or sleeve", "07": "mobile phone or smartphone with a secure element of its own",
    ]

    private struct EnhancedReaderCapabilities: BitField {
        static let byteCount = 4
        let rawValue: UInt64
        static let meanings: [(Self, String)] = [
            (Self(byte: 1, bit: 8), "Contact mode supported"),
            (Self(byte: 1, bit: 7), "Contactless mag-stripe mode supported"),
            (Self(byte: 1, bit: 6), "Contactless EMV full online mode supported"),
            (Self(byte: 1, bit: 5), "Contactless EMV partial online mode supported"),
            (Self(byte: 1, bit: 4), "Contactless mobile supported"),
            (Self(byte: 1, bit: 3), "Try another interface after a decline"),
            (Self(byte: 2, bit: 8), "Mobile CVM supported"),
            (Self(byte: 2, bit: 7), "Online PIN supported"), (Self(byte: 2, bit: 6), "Signature supported"),
            (Self(byte: 2, bit: 5), "Plaintext offline PIN supported"),
            (Self(byte: 3, bit: 8), "Reader is offline only"),
            (Self(byte: 3, bit: 7), "CVM required"), (Self(byte: 4, bit: 8), "Terminal exempt from No CVM checks"),
            (Self(byte: 4, bit: 7), "Delayed authorisation terminal"), (Self(byte: 4, bit: 6), "Transit terminal"),
        ]
    }

    private static func version(_ value: [UInt8]) -> [String] {
        let versions = ["", "2.2 to 2.3", "2.4 to 2.6", "2.7"]
        guard value.count == 4, (1...3).contains(value[3] & 0x07) else { return [] }
        return ["kernel 4 of version \(versions[Int(value[3] & 0x07)])"]
    }

    /// EMV Contactless Book C-4, table 4-2: bits 8, 7 and 4, which are also in the terminal type
    /// sent to the card.
    private static func readerCapabilities(_ value: UInt8) -> String {
        switch value & 0xC8 {
        case 0x40: "mag-stripe mode, CVM not required"
        case 0x48: "mag-stripe mode, CVM required"
        case 0x80: "EMV and mag-stripe mode (deprecated)"
        case 0xC0: "EMV and mag-stripe mode, CVM not required"
        case 0xC8: "EMV and mag-stripe mode, CVM required"
        default: "deprecated"
        }
    }

    // MARK: Visa and UnionPay (EMV Contactless Book C-3, A.2)

    /// Tag `9F68`: what the card handles without its issuer. Byte 3 has the
    /// card's preferred verification methods, byte 4 is reserved.
    private struct CardAdditionalProcesses: BitField {
        static let byteCount = 4
        let rawValue: UInt64
        static let meanings: [(Self, String)] = [
            (Self(byte: 1, bit: 8), "Low value check supported"),
            (Self(byte: 1, bit: 7), "Low value and CTTA check supported"),
            (Self(byte: 1, bit: 6), "Count online transactions too"),
            (Self(byte: 1, bit: 5), "Streamlined qVSDC supported"),
            (Self(byte: 1, bit: 4), "PIN tries exceeded check supported"),
            (Self(byte: 1, bit: 3), "Offline international allowed"),
            (Self(byte: 1, bit: 2), "Card prefers contact chip"),
            (Self(byte: 1, bit: 1), "Return available offline spending amount"),
            (Self(byte: 2, bit: 8), "Country list is used"),
            (Self(byte: 2, bit: 7), "International transactions not allowed"),
            (Self(byte: 2, bit: 6), "No offline data authentication for online transactions"),
            (Self(byte: 2, bit: 5), "Issuer update processing supported"),
        ]
    }

    /// Tag `9F69`: version (1), unpredictable number (4), card transaction qualifiers (2), and
    /// what is reserved.
    private static func cardAuthenticationRelatedData(_ value: [UInt8], _ context: ValueContext) -> [String] {
        guard (5...16).contains(value.count) else { return [WrongLength.line("5 to 16")] }
        let head = ["fDDA version \(value[...0].hex)", "card unpredictable number \(value[1..<5].hex)"]
        guard value.count >= 7 else { return head }
        return head + ["card transaction qualifiers \(value[5..<7].hex)"]
            + ValueDescription.lines(.cardTransactionQualifiers, Array(value[5..<7]), in: context)
    }

    // MARK: Mastercard (EMV Contactless Book C-2, A.1)

    /// Tag `9F1D`.
    private struct TerminalRiskManagement: BitField {
        static let byteCount = 8
        let rawValue: UInt64
        static let meanings: [(Self, String)] = [
            (Self(byte: 1, bit: 8), "Restart supported"),
            (Self(byte: 1, bit: 7), "Enciphered PIN verified online (contactless)"),
            (Self(byte: 1, bit: 6), "Signature (contactless)"),
            (Self(byte: 1, bit: 5), "Enciphered PIN verification performed by ICC (contactless)"),
            (Self(byte: 1, bit: 4), "No CVM required (contactless)"), (Self(byte: 1, bit: 3), "CDCVM (contactless)"),
            (Self(byte: 1, bit: 2), "Plaintext PIN verification performed by ICC (contactless)"),
            (Self(byte: 1, bit: 1), "Present and hold supported"), (Self(byte: 2, bit: 8), "CVM limit exceeded"),
            (Self(byte: 2, bit: 7), "Enciphered PIN verified online (contact)"),
            (Self(byte: 2, bit: 6), "Signature (contact)"),
            (Self(byte: 2, bit: 5), "Enciphered PIN verification performed by ICC (contact)"),
            (Self(byte: 2, bit: 4), "No CVM required (contact)"), (Self(byte: 2, bit: 3), "CDCVM (contact)"),
            (Self(byte: 2, bit: 2), "Plaintext PIN verification performed by ICC (contact)"),
            (Self(byte: 3, bit: 8), "Mag-stripe mode contactless transactions not supported"),
            (Self(byte: 3, bit: 7), "EMV mode contactless transactions not supported"),
            (Self(byte: 3, bit: 6), "CDCVM without CDA supported"), (Self(byte: 4, bit: 8), "CDCVM bypass requested"),
            (Self(byte: 4, bit: 7), "SCA exempt"),
        ]
    }

    /// Tag `9F5D`.
    private static func capabilities(_ value: [UInt8]) -> [String] {
        guard value.count == 3 else { return [WrongLength.line("3")] }
        let flags: [(UInt8, String)] = [
            (0x04, "Support for field off detection"), (0x02, "Support for balance reading"),
            (0x01, "CDA supported over TC, ARQC and AAC"),
        ]
        return ["version \(value[0] >> 4), data storage version \(value[0] & 0x0F)"]
            + flags.filter { value[1] & $0.0 != 0 }.map(\.1)
            + (value[2] == 0 ? [] : ["standalone data storage scheme \(value[2])"])
    }
}
