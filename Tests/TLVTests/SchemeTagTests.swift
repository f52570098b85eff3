import Bytes
import TLV
import Testing

private let visa: [UInt8] = [0xA0, 0, 0, 0, 0x03]
private let mastercard: [UInt8] = [0xA0, 0, 0, 0, 0x04]
private let americanExpress: [UInt8] = [0xA0, 0, 0, 0, 0x25]
private let jcb: [UInt8] = [0xA0, 0, 0, 0, 0x65]
private let discover: [UInt8] = [0xA0, 0, 0, 0x01, 0x52]
private let unionPay: [UInt8] = [0xA0, 0, 0, 0x03, 0x33]

/// Tags that each payment system uses for something else. Names: EMV Contactless Books C-2 to C-7,
/// annexes A, as openemv/emv-utils `emv_tags.h` cites them.
@Suite struct SchemeTagTests {
    private func name(_ tag: TLV.Tag, _ rid: [UInt8]?, _ interface: CardInterface? = .contactless, count: Int? = nil)
        -> String
    {
        TagDictionary.name(tag, ValueContext(rid: rid, interface: interface), count: count)
    }

    static let names: [(TLV.Tag, [UInt8], String)] = [
        (0x9F66, visa, "Terminal Transaction Qualifiers (TTQ)"), (0x9F66, mastercard, "PUNATC (Track2)"),
        (0x9F66, unionPay, "Terminal Transaction Qualifiers (TTQ)"), (0x9F66, americanExpress, "unknown tag"),
        (0x9F6C, visa, "Card Transaction Qualifiers (CTQ)"),
        (0x9F6C, mastercard, "Mag-stripe Application Version Number (Card)"),
        (0x9F5B, visa, "Issuer Script Results"), (0x9F5B, mastercard, "DSDOL"),
        (0x9F5B, americanExpress, "Product Membership Number"),
        (0x9F60, mastercard, "CVC3 (Track1)"), (0x9F60, jcb, "Issuer Update Parameter"),
        (0x9F61, unionPay, "Cardholder's Identification Number"),
        (0x9F68, visa, "Card Additional Processes (CAP)"), (0x9F68, mastercard, "Mag-stripe CVM List"),
        (0x9F6D, americanExpress, "Contactless Reader Capabilities"),
        (0x9F6D, unionPay, "Electronic Cash Reset Threshold"),
        (0x9F6E, visa, "Form Factor Indicator (FFI)"), (0x9F6E, mastercard, "Third Party Data"),
        (0x9F6E, americanExpress, "Enhanced Contactless Reader Capabilities"),
        (0x9F5D, visa, "Available Offline Spending Amount (AOSA)"),
        (0x9F5D, mastercard, "Application Capabilities Information"),
        (0x9F7C, visa, "Customer Exclusive Data (CED)"), (0x9F7C, mastercard, "Merchant Custom Data"),
        (0x9F7C, jcb, "Partner Discretionary Data"),
        (0x9F50, mastercard, "Offline Accumulator Balance"),
        (0x9F53, visa, "Consecutive Transaction Counter International Limit (CTCIL)"),
        (0x9F53, mastercard, "Transaction Category Code"), (0x9F53, jcb, "Terminal Interchange Profile (TIP)"),
        (0x9F71, americanExpress, "Mobile CVM Results"), (0x9F71, discover, "Card Processing Requirements (CPR)"),
        (0x9F79, unionPay, "Electronic Cash Balance"),
    ]

    @Test(arguments: names) func systemsNameTheirOwn(_ tag: TLV.Tag, _ rid: [UInt8], _ expected: String) {
        #expect(name(tag, rid) == expected)
    }

    @Test func theInterfaceCounts() {
        #expect(name(0x9F5B, mastercard, .contact) == "Issuer Script Results")
        #expect(name(0x9F66, mastercard, .contact) == "unknown tag")
        #expect(name(0x9F66, nil) == "Terminal Transaction Qualifiers (TTQ)")
        #expect(name(0x9F7F, mastercard, nil, count: 42) == "Card Production Life Cycle Data (CPLC)")
        #expect(name(0x9F7F, mastercard, nil, count: 4) == "DS Unpredictable Number")
    }

    /// A value whose application is not known may be any system's that has one of its length.
    @Test(
        "Without an application, a tag has the names of all systems",
        arguments: [
            (TLV.Tag(rawValue: 0x9F63), 6, "PUNATC (Track1) (Mastercard)"),
            (0x9F63, 1, "Offline Counter Initial Value (Visa)"),
            (
                0x9F51, 2,
                "Application Currency Code (Visa), DRDOL (Mastercard), Application Currency Code (PBOC) (UnionPay)"
            ),
            (
                0x9F53, nil,
                "Consecutive Transaction Counter International Limit (CTCIL) (Visa), Transaction Category Code (Mastercard), "
                    + "Terminal Interchange Profile (TIP) (JCB), Consecutive Transaction Limit (International) (UnionPay)"
            ),
            (0xDF8129, 8, "Outcome Parameter Set (Mastercard)"), (0xDF7F, 1, "unknown tag"),
        ] as [(TLV.Tag, Int?, String)])
    func withoutAnApplication(_ tag: TLV.Tag, _ count: Int?, _ expected: String) {
        #expect(name(tag, nil, nil, count: count) == expected)
    }

    @Test func anEntryKnowsItsKernel() {
        #expect(
            TagDictionary.definition(0x9F6E, ValueContext(rid: mastercard, interface: .contactless))?.kernels == [2])
        #expect(TagDictionary.definition(0x9F6E, ValueContext(rid: visa, interface: .contactless))?.kernels == [3])
        #expect(TagDictionary[.applicationPAN]?.kernels == [])
    }

    private func lines(_ tag: TLV.Tag, hex: String, rid: [UInt8]? = nil, interface: CardInterface? = nil) throws
        -> [String]
    {
        ValueDescription.lines(tag, try [UInt8](hex: hex), in: ValueContext(rid: rid, interface: interface))
    }

    @Test(
        "238C0000 and 23880000 are what phones answer (proxmark3's Apple Pay traces); the bits are those of Book C-3, annex A2"
    )
    func formFactors() throws {
        #expect(try lines(0x9F6E, hex: "23880000", rid: visa).first == "form factor: consumer's mobile phone")
        #expect(
            try lines(0x9F6E, hex: "20700000", rid: visa) == [
                "form factor: card", "signature panel", "hologram", "CVV2", "contactless by ISO/IEC 14443",
            ])
        #expect(
            try lines(0x9F6E, hex: "0826000030", rid: mastercard) == [
                "country RUS, Russian Federation", "unique identifier 0000", "proprietary data 30",
            ] || lines(0x9F6E, hex: "084000003036", rid: mastercard).contains { $0.hasPrefix("device type \"06\"") })
        let reader = try lines(0x9F6E, hex: "D8E00003", rid: americanExpress)
        #expect(reader.contains("Mobile CVM supported"))
        #expect(reader.last == "kernel 4 of version 2.7")
    }

    /// EMV Contactless Book C-2, annex A.1.
    @Test(
        "The bits of Mastercard's data storage have names",
        arguments: [
            (TLV.Tag(rawValue: 0x9F5F), "C0", ["permanent slot type", "volatile slot type"]),
            (0x9F6F, "91", ["permanent slot type", "locked slot", "deactivated slot"]),
            (0xDF62, "48", ["volatile slot type", "decline the payment if the data cannot be stored"]),
            (0xDF810A, "46", ["usable for ARQC", "stop if there is no DS ODS (term)", "stop if the write failed"]),
            (0xDF810B, "80", ["successful read"]), (0xDF810B, "00", ["no bit set"]), (0xDF810E, "80", ["completed"]),
            (0xDF8108, "40", ["TC"]), (0xDF8108, "C0", ["no cryptogram"]), (0xDF8128, "C0", ["read", "write"]),
            (0x9F6F, "8000", ["not 1 byte long"]),
        ])
    func dataStorage(_ tag: TLV.Tag, _ value: String, _ expected: [String]) throws {
        #expect(try lines(tag, hex: value, rid: mastercard, interface: .contactless) == expected)
        #expect(try lines(tag, hex: value, rid: visa, interface: .contactless) != expected)
    }

    /// EMV Contactless Book C-2, annex A.1.
    static let kernel2: [(TLV.Tag, String, [String])] = [
        (
            0xDF8115, "000300 6985 1C",
            ["L2: status bytes", "status word 6985", "message 1C, Insert, swipe or try another card"]
        ),
        (0xDF8115, "0000000000FF", ["no error"]), (0xDF8115, "0013000000FF", ["L2: code 13"]),
        (0xDF8115, "0100000000 21", ["L1: time out", "message 21, Present card again"]),
        (
            0xDF8116, "1A 00 000013 656E000000000000 10 000000001234 0978",
            [
                "message 1A, Approved, please sign", "status not ready", "held for 13 × 100 ms",
                "language preference \"en\"",
                "amount 12.34 EUR",
            ]
        ),
        (0xDF8117, "60", ["magnetic stripe", "IC with contacts"]),
        (0xDF8118, "68", ["enciphered PIN for online verification", "signature", "no CVM required"]),
        (0xDF811B, "30", ["on-device CVM supported", "relay resistance protocol supported"]),
        (0xDF811B, "80", ["mag-stripe mode not supported"]), (0xDF811C, "012C", ["300 s"]),
        (0xDF811E, "20", ["online PIN"]),
        (0xDF811F, "C8", ["SDA", "DDA", "CDA"]), (0xDF8114, "90", ["ARQC requested, with CDA"]),
        (0xDF8126, "000000005000", ["5000 minor units"]),
        (
            0xDF8129, "30F0F020B8F0FF00",
            [
                "online request", "CVM: online PIN", "UI request on outcome", "data record present",
                "discretionary data present",
                "receipt",
            ]
        ),
        (
            0xDF8129, "4010F0F050F00A00",
            [
                "end application", "start B", "UI request on restart", "discretionary data present",
                "field off for 10 × 100 ms",
            ]
        ),
        (0xDF8134, "0012", ["18 × 100 µs"]), (0xDF8137, "32", ["50 %"]),
        (
            0xDF8112, "9F36DF8129",
            [
                "9F36 Application Transaction Counter (ATC)", "DF8129 Outcome Parameter Set",
            ]
        ),
        (0xDF4B, "001000", ["on-device CVM successful"]), (0x9F7E, "00", ["no bit set"]),
        (
            0x9F51, "9F02069F0306",
            ["9F02 Amount, Authorised (Numeric), 6 bytes", "9F03 Amount, Other (Numeric), 6 bytes"]
        ),
        (0x9F66, "0E70", ["unpredictable number and ATC go to positions 5, 6, 7, 10, 11, 12 from the end"]),
        (0x9F65, "000E", ["CVC3 goes to positions 2, 3, 4 from the end"]), (0x9F67, "03", ["3 digits of the ATC"]),
        (0x9F6C, "0001", ["version 1"]),
        (
            0x9F68, "00000000000000005E031F03",
            [
                "X = 0, Y = 0",
                "Signature, if terminal supports the CVM, else next rule",
                "No CVM required, if terminal supports the CVM, else fail",
            ]
        ),
    ]

    @Test("The values of kernel 2 are explained", arguments: kernel2)
    func kernel2Values(_ tag: TLV.Tag, _ value: String, _ expected: [String]) throws {
        #expect(try lines(tag, hex: value, rid: mastercard, interface: .contactless) == expected)
        #expect(try lines(tag, hex: value, rid: mastercard) == expected, "as decode has it, without an interface")
    }

    /// EMV Contactless Books C-3, A.2, C-4 (mobile CVM results), and C-8, annex A.
    static let otherKernels: [(TLV.Tag, [UInt8], String, [String])] = [
        (
            0x9F68, visa, "81D00000",
            [
                "Low value check supported", "Return available offline spending amount", "Country list is used",
                "International transactions not allowed", "Issuer update processing supported",
            ]
        ),
        (
            0x9F69, visa, "0112345678 8080",
            [
                "fDDA version 01", "card unpredictable number 12345678", "card transaction qualifiers 8080",
                "Online PIN required", "Consumer device CVM performed",
            ]
        ),
        (0x9F69, unionPay, "0112345678", ["fDDA version 01", "card unpredictable number 12345678"]),
        (0x9F71, americanExpress, "010002", ["Verified on the consumer's device (CDCVM): successful"]),
        (0x9F2B, visa, "0280000000000000", ["version 02", "local authentication supported"]),
        (0x9F2C, visa, "01000000800000", ["version 01", "field off requested"]),
        (0x9F8102, visa, "03", ["verified on the consumer's device"]),
        (0x9F8108, visa, "3120", ["other interface: contact chip", "message 20, See phone for instructions"]),
        (0x9F8204, visa, "000500 0000 FF", ["L2: maximum limit exceeded"]),
        (0x9F8204, visa, "001300 0000 1C", ["L2: wrong EDA MAC", "message 1C, Insert, swipe or try another card"]),
    ]

    @Test("The values of kernels 3, 4, 7 and 8 are explained", arguments: otherKernels)
    func otherKernelValues(_ tag: TLV.Tag, rid: [UInt8], value: String, expected: [String]) throws {
        #expect(try lines(tag, hex: value, rid: rid, interface: .contactless) == expected)
    }

    /// EMV Contactless Book C-8, annex A: AIP, TVR (A.1.131) and terminal capabilities have bits of
    /// their own.
    @Test("Fields that kernel 8 shares with EMV have its own bits")
    func kernel8Fields() throws {
        func lines(_ tag: TLV.Tag, _ value: String) throws -> [String] {
            ValueDescription.lines(tag, try [UInt8](hex: value), in: ValueContext(interface: .contactless, kernel: 8))
        }
        #expect(
            try lines(.applicationInterchangeProfile, "010B") == [
                "Local authentication is supported", "Offline capable", "IAD MAC is copied to the default offset",
                "Relay resistance protocol is supported",
            ])
        #expect(
            try lines(.terminalVerificationResults, "84008000C9") == [
                "Cardholder verification was not successful", "Local authentication was not performed",
                "Local authentication failed", "Format of kernel 8", "AID mismatch",
                "Relay resistance threshold exceeded", "Relay resistance protocol not performed",
            ])
        #expect(
            try lines(.terminalCapabilities, "200810") == [
                "IC with contacts", "No CVM required", "Local authentication supported",
            ])
        #expect(
            TagDictionary.name(0xDA, ValueContext(rid: visa, interface: .contactless, kernel: 8)) == "Enciphered Record"
        )
    }

    /// Book C-4, table 4-2: bits 8, 7 and 4 of the terminal type are the reader's.
    @Test func theTerminalTypeOfExpresspay() throws {
        #expect(
            try lines(.terminalType, hex: "E2", rid: americanExpress, interface: .contactless).last?.hasSuffix(
                "EMV and mag-stripe mode, CVM not required")
                == true)
        #expect(
            try lines(.terminalType, hex: "E2", rid: americanExpress, interface: .contact) == ["not a terminal type"])
        #expect(
            try lines(.terminalType, hex: "E2", rid: americanExpress, interface: .contactless).first
                == lines(.terminalType, hex: "22").first)
    }

    @Test func riskManagementData() throws {
        #expect(
            try lines(.terminalRiskManagementData, hex: "6C80800000000000", rid: mastercard) == [
                "Enciphered PIN verified online (contactless)", "Signature (contactless)",
                "No CVM required (contactless)",
                "CDCVM (contactless)",
                "CVM limit exceeded", "Mag-stripe mode contactless transactions not supported",
            ])
    }

    static let others: [(TLV.Tag, String, [String])] = [
        (0x9F39, "05", ["chip, by contacts"]), (0x9F39, "07", ["chip, contactless"]),
        (0x9F15, "5411", ["5411, retail outlets"]),
        (0x9F15, "3000", ["3000, airlines"]), (0x9F2A, "02", ["kernel 2"]),
        (0x9F2A, "00", ["the kernel of the payment system"]),
        (0x9F2A, "C30840", ["domestic kernel, proprietary, C30840"]),
        (0x96, "02000000C0000000", ["kernel 2"]),
        (0x96, "08000080" + "00000000", ["kernel 8", "reader supports kernel 8"]),
        (0x9F3E, "00010002", ["terminal category 0001, transit gate", "terminal category 0002, loyalty"]),
        (0x8B, "0001020001", ["terminal category 0001, transit gate"]),
        (0x9F3F, "9F1A025F2A02", ["9F1A Terminal Country Code, 2 bytes", "5F2A Transaction Currency Code, 2 bytes"]),
        (0x5F2D, "656E2020", ["\"en\": English"]),
    ]

    @Test(arguments: others) func entryPointAndTerminal(_ tag: TLV.Tag, _ hex: String, _ expected: [String]) throws {
        #expect(try lines(tag, hex: hex) == expected)
    }

    @Test("42 bytes as GlobalPlatform's card specification orders them; day 123 of a year that ends in 9")
    func productionLifeCycle() throws {
        let fields = "479051684791912301009123" + "0102030405064812912448139125481491260708091048159127" + "11121314"
        let words = try lines(0x9F7F, hex: fields)
        #expect(words.first == "card production life cycle data")
        #expect(words.contains("IC serial number 01020304"))
        #expect(words.contains("operating system release date 9123, day 123 of a year that ends in 9"))
        #expect(words.last == "personalization equipment 11121314")
    }

    static let moments: [(TLV.Tag, String, String)] = [
        (.transactionDate, "231345", "2023-13-45, an impossible date"),
        (.transactionDate, "230229", "2023-02-29, an impossible date"),
        (.transactionDate, "240229", "2024-02-29"), (.applicationEffectiveDate, "950101", "1995-01-01"),
        (.transactionTime, "256199", "25:61:99, an impossible time"), (.transactionTime, "235959", "23:59:59"),
        (.transactionDate, "2A0101", "not a date"),
    ]

    @Test(arguments: moments) func datesAndTimes(_ tag: TLV.Tag, _ hex: String, _ expected: String) throws {
        #expect(try lines(tag, hex: hex) == [expected])
    }

    /// EMV 4.4 Book 4, annex A4, and Book 3, table 43.
    @Test func noCVM() throws {
        #expect(try lines(.cvmResults, hex: "3F0000") == ["No CVM performed"])
        #expect(try lines(.cvmResults, hex: "3F0001") == ["No CVM performed: failed"])
        #expect(try lines(.cvmResults, hex: "3F0002") == ["No CVM performed: successful"])
        #expect(try lines(.cvmResults, hex: "1E0307").first?.hasSuffix("a result reserved for EMV") == true)
        #expect(
            try lines(.cvmList, hex: "00000000000000003F00").last?.hasPrefix("CVM code 3F, not available for use")
                == true)
    }

    @Test("Book C-6 2.6, annex D.11; Book C-7 2.9, table 3-1; VCPS 2.2, supplement, annex D") func newerQualifiers()
        throws
    {
        #expect(
            try lines(.terminalTransactionQualifiers, hex: "00000880", rid: visa) == [
                "Consumer device CVM required", "fDDA version 01 supported",
            ])
        #expect(
            try lines(.cardTransactionQualifiers, hex: "0100", rid: visa) == [
                "Not valid for contactless ATM transactions"
            ])
        #expect(
            try lines(.terminalTransactionQualifiers, hex: "000E", rid: mastercard, interface: .contactless) == [
                "unpredictable number and ATC go to positions 2, 3, 4 from the end"
            ])
        #expect(try lines(.terminalTransactionQualifiers, hex: "000E", rid: mastercard, interface: .contact).isEmpty)
    }

    @Test("Book C-2, A.1: byte 5, bits 4 to 1") func relayResistance() throws {
        #expect(
            try lines(.terminalVerificationResults, hex: "000000000E", rid: mastercard, interface: .contactless) == [
                "Relay resistance threshold exceeded", "Relay resistance time limits exceeded",
                "Relay resistance protocol performed",
            ])
        #expect(
            try lines(.terminalVerificationResults, hex: "0000000001", rid: mastercard, interface: .contactless) == [
                "Relay resistance protocol not performed"
            ])
        #expect(
            try lines(.terminalVerificationResults, hex: "0000000004", rid: mastercard, interface: .contact) == [
                "CA ECC key missing"
            ])
        #expect(
            try lines(.applicationInterchangeProfile, hex: "1981", rid: mastercard, interface: .contactless).suffix(2)
                == [
                    "EMV mode is supported", "Relay resistance protocol is supported",
                ])
    }
}

/// Data of the cardholder in payment systems' own tags are hidden for each system.
@Suite struct SchemeRedactionTests {
    @Test func theNumberOfAnIdentityCardIsHidden() throws {
        let number = try [UInt8](hex: "313130313031313939303031303131323334")
        #expect(Redaction.hex(0x9F61, number).allSatisfy { $0 == Redaction.mask })
        #expect(!Masking.hex(tlv: [0x9F, 0x61, 0x12] + number).contains("3131"))
    }
}
