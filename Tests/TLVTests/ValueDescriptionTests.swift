import Bytes
import TLV
import Testing

/// What values say, in the words of the books' tables.
@Suite struct ValueDescriptionTests {
    private func lines(_ tag: TLV.Tag, _ hex: String) throws -> [String] {
        ValueDescription.lines(tag, try [UInt8](hex: hex))
    }

    @Test("Values of data objects are explained") func explainsValues() throws {
        #expect(try lines(.amountAuthorised, "000000001234") == ["1234 minor units"])
        #expect(try lines(.amountOther, "00000000123A") == ["not decimal"])
        #expect(try lines(.transactionDate, "261121") == ["2026-11-21"])
        #expect(try lines(.applicationExpirationDate, "26AB21") == ["not a date"])
        #expect(
            try lines(.cdol1, "9F0206DF4101") == [
                "9F02 Amount, Authorised (Numeric), 6 bytes", "DF41 unknown tag, 1 byte",
            ])
        #expect(try lines(.cdol1, "9F02").first?.hasPrefix("not a data object list: ") == true)
        #expect(try lines(.unpredictableNumber, "01020304") == [], "bytes that say no more")
        #expect(try lines(0xDF41, "01") == [], "a tag that nobody knows")
        #expect(try lines(.applicationLabel, "") == [])
    }

    @Test func letsNoControlCharacterThrough() {
        #expect(ValueDescription.lines(.applicationLabel, [0x41, 0x1B, 0x5B, 0x32, 0x4A]) == ["\"A.[2J\""])
    }

    /// Book 3, annex C1, C2, C5, C6; Book 4, annex A2, A3: the highest bit that has a meaning, what
    /// no bit at all says, and a field of another length.
    @Test(
        "named bits are described in words",
        arguments: [
            (
                .terminalVerificationResults, "0000000020", "Script processing failed before final GENERATE AC",
                "no bit set", 5
            ),
            (.issuerActionCodeDenial, "0008000000", "New card", "no bit set", 5),
            (.issuerActionCodeOnline, "0000004000", "Lower consecutive offline limit exceeded", "no bit set", 5),
            (.issuerActionCodeDefault, "0000000002", "ECC key recovery failed", "no bit set", 5),
            (.transactionStatusInformation, "1000", "Issuer authentication was performed", "nothing performed", 2),
            (.applicationInterchangeProfile, "2000", "DDA supported", "nothing supported", 2),
            (.applicationUsageControl, "8000", "Valid for domestic cash transactions", "no use allowed", 2),
            (.terminalCapabilities, "200000", "IC with contacts", "none", 3),
            (.additionalTerminalCapabilities, "8000000000", "Cash", "none", 5),
        ] as [(TLV.Tag, String, String, String, Int)])
    func bits(_ tag: TLV.Tag, hex: String, meaning: String, nothing: String, count: Int) throws {
        #expect(try lines(tag, hex) == [meaning])
        #expect(ValueDescription.lines(tag, [UInt8](repeating: 0, count: count)) == [nothing])
        #expect(ValueDescription.lines(tag, [UInt8](repeating: 0, count: count + 1)) == ["not \(count) bytes long"])
    }

    @Test("Book 3, 10.5 and tables 43 and 44; Book 4, annex A4") func cardholderVerification() throws {
        #expect(
            try lines(.cvmList, "000003E80000271041034206") == [
                "X = 1000, Y = 10000",
                "Plaintext PIN verification performed by ICC, if terminal supports the CVM, else next rule",
                "Enciphered PIN verified online, if transaction is in the application currency and is under X value, else next rule",
            ])
        #expect(try lines(.cvmList, "00000000000000001F00").last == "No CVM required, always, else fail")
        #expect(try lines(.cvmList, "0000") == ["not a CVM list: eight bytes and pairs are required"])
        #expect(
            try lines(.cvmResults, "440302") == [
                "Enciphered PIN verification performed by ICC, if terminal supports the CVM: successful"
            ])
        #expect(try lines(.cvmResults, "1E0300") == ["Signature, if terminal supports the CVM: result unknown"])
        #expect(try lines(.cvmResults, "010001") == ["Plaintext PIN verification performed by ICC, always: failed"])
        #expect(try lines(.cvmResults, "3F0000") == ["No CVM performed"])
        #expect(try lines(.cvmResults, "3F00") == ["not CVM results: three bytes are required"])
    }

    @Test("Book 3, 10.2: SFI in bits 8 to 4, first and last record, how many are authenticated") func fileLocator()
        throws
    {
        #expect(
            try lines(.applicationFileLocator, "0801010010020501") == [
                "SFI 1, record 1", "SFI 2, records 2–5, 1 authenticated offline",
            ])
        #expect(try lines(.applicationFileLocator, "08") == ["not a valid application file locator"])
    }

    @Test(
        "Book 3, table 15: bits 8 and 7 the type, bit 4 advice, bits 3 to 1 the reason",
        arguments: [
            ("00", ["AAC (decline)"]), ("40", ["TC (approve)"]), ("80", ["ARQC (go online)"]),
            ("C0", ["reserved cryptogram type"]),
            ("08", ["AAC (decline)", "Advice required"]), ("01", ["AAC (decline)", "service not allowed"]),
            ("02", ["AAC (decline)", "PIN try limit exceeded"]),
            ("0B", ["AAC (decline)", "Advice required", "issuer authentication failed"]),
            ("07", ["AAC (decline)", "reserved reason"]),
        ])
    func cryptogramInformation(_ hex: String, _ words: [String]) throws {
        #expect(try lines(.cryptogramInformationData, hex) == words)
        #expect(try lines(.cryptogramInformationData, hex + "00") == [])
    }
}

/// Book 3, tables 43, 44 and 46, every row.
@Suite struct BookTableTests {
    @Test(
        "CVM codes are described in words",
        arguments: [
            (0x00, "Fail CVM processing"), (0x01, "Plaintext PIN verification performed by ICC"),
            (0x02, "Enciphered PIN verified online"),
            (0x03, "Plaintext PIN verification performed by ICC and signature"),
            (0x04, "Enciphered PIN verification performed by ICC"),
            (0x05, "Enciphered PIN verification performed by ICC and signature"),
            (0x06, "Facial biometric verified offline"),
            (0x07, "Facial biometric verified online"), (0x08, "Finger biometric verified offline"),
            (0x09, "Finger biometric verified online"),
            (0x0A, "Palm biometric verified offline"), (0x0B, "Palm biometric verified online"),
            (0x0C, "Iris biometric verified offline"),
            (0x0D, "Iris biometric verified online"), (0x0E, "Voice biometric verified offline"),
            (0x0F, "Voice biometric verified online"),
            (0x10, "Reserved for use by this specification"), (0x1D, "Reserved for use by this specification"),
            (0x1E, "Signature"),
            (0x1F, "No CVM required"), (0x20, "Reserved for use by individual payment systems"),
            (0x2F, "Reserved for use by individual payment systems"), (0x30, "Reserved for use by the issuer"),
            (0x3E, "Reserved for use by the issuer"),
        ] as [(UInt8, String)])
    func methods(_ code: UInt8, _ words: String) {
        #expect(CVMCode(rawValue: code).summary == words)
        #expect(CVMCode(rawValue: code | 0x40).summary == words, "bit 7 belongs to the rule")
    }

    @Test(
        "CVM condition codes are described in words",
        arguments: [
            (0x00, "always"), (0x01, "if unattended cash"),
            (0x02, "if not unattended cash and not manual cash and not purchase with cashback"),
            (0x03, "if terminal supports the CVM"),
            (0x04, "if manual cash"), (0x05, "if purchase with cashback"),
            (0x06, "if transaction is in the application currency and is under X value"),
            (0x07, "if transaction is in the application currency and is over X value"),
            (0x08, "if transaction is in the application currency and is under Y value"),
            (0x09, "if transaction is in the application currency and is over Y value"),
            (0x0A, "on a condition reserved for EMV"),
            (0x7F, "on a condition reserved for EMV"), (0x80, "on a condition reserved for payment systems"),
            (0xFF, "on a condition reserved for payment systems"),
        ] as [(UInt8, String)])
    func conditions(_ code: UInt8, _ words: String) {
        #expect(CVMCondition(rawValue: code).summary == words)
    }

    @Test("From byte 1, bit 8 on; nil for what is reserved") func terminalVerificationResults() throws {
        let meanings: [String?] = [
            "Offline data authentication was not performed", "SDA failed", "ICC data missing",
            "Card appears on terminal exception file", "DDA failed", "CDA failed", "SDA selected", "XDA selected",
            "ICC and terminal have different application versions", "Expired application",
            "Application not yet effective", "Requested service not allowed for card product", "New card", nil,
            "Biometric performed and successful", "Biometric template format not supported",
            "Cardholder verification was not successful", "Unrecognised CVM", "PIN try limit exceeded",
            "PIN entry required and PIN pad not present or not working",
            "PIN entry required, PIN pad present, but PIN was not entered", "Online CVM captured",
            "Biometric required but biometric capture device not working",
            "Biometric required, biometric capture device present, but biometric subtype entry was bypassed",
            "Transaction exceeds floor limit", "Lower consecutive offline limit exceeded",
            "Upper consecutive offline limit exceeded", "Transaction selected randomly for online processing",
            "Merchant forced transaction online", "Biometric try limit exceeded",
            "A selected biometric type not supported", "XDA signature verification failed", "Default TDOL used",
            "Issuer authentication failed", "Script processing failed before final GENERATE AC",
            "Script processing failed after final GENERATE AC", nil, "CA ECC key missing", "ECC key recovery failed",
            nil,
        ]
        for (index, meaning) in meanings.enumerated() {
            var bytes: [UInt8] = [0, 0, 0, 0, 0]
            bytes[index / 8] = 0x80 >> UInt8(index % 8)
            let words = try #require(TerminalVerificationResults(bytes)).meanings
            #expect(words == (meaning.map { [$0] } ?? []), "byte \(index / 8 + 1), bit \(8 - index % 8)")
        }
    }
}

@Suite struct TLVDescriptionTests {
    /// A record as a tree: what a template holds is one deeper than it, and what a value says one
    /// deeper than the value.
    @Test("a record is described as a tree") func tree() throws {
        let record = try [UInt8](hex: "700B" + "9F3602" + "0001" + "9F270140" + "5000")
        let lines = try TLVDescription.lines(record)
        #expect(
            lines.map(\.text) == [
                "70 READ RECORD Response Message Template, 11 bytes",
                "9F36 Application Transaction Counter (ATC), 2 bytes: 0001", "1",
                "9F27 Cryptogram Information Data (CID), 1 byte: 40", "TC (approve)", "50 Application Label, 0 bytes",
            ])
        #expect(lines.map(\.depth) == [0, 1, 2, 1, 2, 1])
        #expect(
            lines.map(\.tag) == [
                .recordTemplate, .applicationTransactionCounter, nil, .cryptogramInformationData, nil,
                .applicationLabel,
            ])
        #expect(try TLVDescription.lines([0xDF, 0x41, 0x01, 0xAB]).map(\.text) == ["DF41 unknown tag, 1 byte: AB"])
        #expect(throws: TLVError.self) { try TLVDescription.lines([0x70, 0x05, 0x01]) }
    }

    /// What ``Redaction`` hides is neither shown nor explained, unless it is asked for.
    @Test("redacted values are neither shown nor explained") func redaction() throws {
        let date: [UInt8] = [0x5F, 0x24, 0x03, 0x31, 0x12, 0x31]
        #expect(try TLVDescription.lines(date).map(\.text) == ["5F24 Application Expiration Date, 3 bytes: ******"])
        #expect(
            try TLVDescription.lines(date, isRedacted: false).map(\.text) == [
                "5F24 Application Expiration Date, 3 bytes: 311231", "2031-12-31",
            ])
        let pan = try [UInt8](hex: "4761739001010119")
        #expect(
            TLVDescription.lines(.applicationPAN, pan).map(\.text) == [
                "5A Application Primary Account Number (PAN), 8 bytes: 476173******0119"
            ])
        #expect(
            TLVDescription.lines(.applicationPAN, pan, isRedacted: false).first?.text.hasSuffix(": 4761739001010119")
                == true)
    }

    @Test("data object lists are described entry by entry") func lists() throws {
        let list = try DOL(parsing: [0x9F, 0x02, 0x06, 0x9C, 0x01, 0xDF, 0x41, 0x02])
        #expect(
            TLVDescription.lines(list).map(\.text) == [
                "9F02 Amount, Authorised (Numeric), 6 bytes", "9C Transaction Type, 1 byte",
                "DF41 unknown tag, 2 bytes",
            ])
        #expect(TLVDescription.lines(list).allSatisfy { $0.depth == 0 })
    }
}
