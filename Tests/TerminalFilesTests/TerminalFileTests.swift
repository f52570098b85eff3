import Bytes
import CardCapture
import Contactless
import EMVKernel
import Foundation
import JSONDocument
import Kernels
import PaymentTerminal
import TLV
import TerminalFiles
import Testing

@Suite struct TerminalFileTests {
    private static let least =
        #""merchant": {"name": "Corner Shop"}, "terminal": {"id": "LANE0001", "currency": "EUR", "country": 276}"#

    private static func parse(_ more: String = "") throws(DocumentError) -> TerminalFile {
        try TerminalFile(parsing: "{\(least)\(more)}") { name throws(DocumentError) in
            throw DocumentError("caKeys", ValueFault.missing)
        } exceptions: { names throws(DocumentError) in
            throw DocumentError("exceptions", ValueFault.missing)
        } devices: { name throws(DocumentError) in
            throw DocumentError("devices", ValueFault.missing)
        }
    }

    private static func readAgain(_ file: TerminalFile) throws(DocumentError) -> TerminalFile {
        try TerminalFile(parsing: file.json) { _ throws(DocumentError) in
            ""
        } exceptions: { _ throws(DocumentError) in
            throw DocumentError("exceptions", ValueFault.missing)
        } devices: { name throws(DocumentError) in
            throw DocumentError("devices", ValueFault.missing)
        }
    }

    @Test("what is left out has the defaults of the code") func defaults() throws {
        let file = try Self.parse()
        #expect(file.terminal.merchantName == "Corner Shop")
        #expect(file.terminal.terminalID == "LANE0001")
        #expect(file.terminal.currency == .euro)
        #expect(file.terminal.mode == .production)
        #expect(file.terminal.limits == TimeLimits())
        #expect(file.terminal.offline == OfflinePolicy())
        #expect(file.kernel.countryCode == 276)
        #expect(file.kernel.type == .attendedOnlineWithOfflineCapability)
        // The four AIDs that the presets have (EMVCo's list of RIDs: A000000003 Visa, A000000004
        // Mastercard).
        #expect(
            file.kernel.applications.map { $0.aid.map { String(format: "%02X", $0) }.joined() } == [
                "A0000000031010", "A0000000032010", "A0000000041010", "A0000000043060",
            ])
    }

    @Test("values of every kind are taken") func values() throws {
        let file = try Self.parse(
            """
            , "kernel": {"type": "25", "capabilities": ["contactChip", "noCVM", "cda"], "additionalData": {"9F1D": "0102"}},
            "applications": ["maestro", {"preset": "visa", "floorLimit": 5000,
            "actionCodes": {"denial": "0010000000"}, "capabilities": "E068C8"}],
            "timeLimits": {"host": 12500}, "offline": {"deferredAuthorization": ["magneticStripe"]},
            "revokedCertificates": [{"rid": "A000000003", "caKeyIndex": "92", "serialNumber": "000001"}]
            """)
        #expect(file.kernel.type == .unattendedOnlineWithOfflineCapability)
        // EMV 4.4 Book 4, annex A2: contact chip is byte 1 bit 6, no CVM byte 2 bit 4, CDA byte 3
        // bit 4.
        #expect(file.kernel.capabilities.bytes == [0x20, 0x08, 0x08])
        #expect(file.kernel.additionalData[Tag(rawValue: 0x9F1D)] == [1, 2])
        #expect(file.kernel.applications.count == 2 && file.kernel.applications[1].floorLimit == 5000)
        #expect(file.kernel.applications[1].capabilities?.bytes == [0xE0, 0x68, 0xC8])
        #expect(file.kernel.applications[1].actionCodes.denial.bytes == [0x00, 0x10, 0x00, 0x00, 0x00])
        #expect(file.terminal.limits.host == .milliseconds(12_500))
        #expect(file.terminal.offline.deferredAuthorization == [.magneticStripe])
        #expect(file.kernel.revokedCertificates.count == 1)
    }

    @Test("what is written is read as it was, and written the same again") func written() throws {
        let file = try Self.parse(
            """
            , "kernel": {"interfaceDeviceSerialNumber": "12345678", "additionalData": {"9F1D": "0102"}},
            "applications": [{"aid": "A000000025010801", "versions": ["0001"], "defaultTDOL": "9F0206", "capabilities": ["noCVM"]}],
            "offline": {"maximumTotal": 50000}
            """)
        let again = try Self.readAgain(file)
        #expect(again.json == file.json)
        #expect(again.kernel.applications[0].aid == [0xA0, 0x00, 0x00, 0x00, 0x25, 0x01, 0x08, 0x01])
        #expect(again.kernel.applications[0].defaultTDOL == [0x9F, 0x02, 0x06])
        #expect(again.kernel.merchant.interfaceDeviceSerialNumber == "12345678")
        #expect(again.terminal.offline.maximumTotal == 50_000)
    }

    /// An amount has 12 digits (EMV Book 3, Annex A, 9F02).
    @Test("Limits of more than 12 digits are written as the maximum, which can be read again") func largeLimits() throws
    {
        var file = try Self.parse(
            #", "contactless": [{"preset": "visa", "transactionLimit": 1}, {"preset": "mastercard", "transactionLimit": 1}]"#
        )
        file.terminal.offline.maximumAmount = .max
        file.contactless[0].limits.transactionLimit = .max
        var kernel = try #require(file.contactless[1].kernel as? Kernel2Configuration)
        kernel.floorLimit = .max
        file.contactless[1].kernel = kernel
        let again = try Self.readAgain(file)
        #expect(again.terminal.offline.maximumAmount == 999_999_999_999)
        #expect(again.contactless[0].limits.transactionLimit == 999_999_999_999)
        #expect((again.contactless[1].kernel as? Kernel2Configuration)?.floorLimit == 999_999_999_999)
    }

    /// TTQ by EMV Contactless Book A, table 5-4: EMV mode 20, contacts 10, online PIN 04, signature
    /// 02; byte 3: consumer device 40. Entry Point refuses an amount that reaches its limit (Book
    /// B, 3.1.1.5), kernel 2 one that is greater (DF8124, DF8126).
    @Test("a Mastercard application has data storage, and the document keeps all of it") func dataStorage() throws {
        let kernel = { (storage: String) in
            #", "contactless": [{"preset": "mastercard", "transactionLimit": 25001, "kernel": {"dataStorage": \#(storage)}}]"#
        }
        let file = try Self.parse(
            kernel(
                """
                {"operator": "0102030405060708", "read": ["9F50", "9F75"],
                 "slot": {"data": "AABB", "input": "0011223344556677", "cardInput": "8899AABBCCDDEEFF",
                          "info": ["permanentSlot", "declineOnError"], "cryptogram": "arqc",
                          "instructions": ["usableForTC", "stopIfWriteFailed"]},
                 "before": [{"tag": "9F79", "value": ""}], "after": [{"tag": "9F75", "value": "01"}, {"tag": "9F76", "value": "02"}]}
                """))
        let storage = try #require((file.contactless[0].kernel as? Kernel2Configuration)?.dataStorage)
        #expect(storage.operatorIdentifier == [1, 2, 3, 4, 5, 6, 7, 8])
        #expect(storage.tagsToRead == [0x9F50, 0x9F75])
        let slot = try #require(storage.writes.slot)
        #expect(slot.operatorData == [0xAA, 0xBB])
        #expect(slot.terminalInput?.count == 8)
        #expect(slot.cardInput?.last == 0xFF)
        // Bits by EMV Contactless Book C-2, annex A (DF62, DF810A).
        #expect(slot.info.rawValue == 0x88)
        #expect(slot.cryptogram == .arqc)
        #expect(slot.instructions?.rawValue == 0x82)
        #expect(
            storage.writes.beforeCryptogram.map(\.tag) == [0x9F79] && storage.writes.beforeCryptogram[0].value.isEmpty)
        #expect(storage.writes.afterCryptogram.map(\.tag) == [0x9F75, 0x9F76])
        #expect(storage.writes.afterCryptogram.map(\.value) == [[1], [2]])
        let again = try Self.parse(kernel(Self.storage(of: file)))
        #expect((again.contactless[0].kernel as? Kernel2Configuration)?.dataStorage?.writes == storage.writes)
        #expect(again.json == file.json)
        let text = try Self.description
        for key in try Self.storage(of: file).matches(of: #/"(\w+)" ?:/#).map({ String($0.1) }) {
            #expect(text.contains("`\(key)`"), "\(key)")
        }
        let plain = try Self.parse(#", "contactless": [{"preset": "mastercard", "kernel": {"dataStorage": null}}]"#)
        #expect(plain.json.contains(#""dataStorage" : null"#))
    }

    /// `dataStorage` of the document.
    private static func storage(of file: TerminalFile) throws -> String {
        let document = try #require(try JSONSerialization.jsonObject(with: Data(file.json.utf8)) as? [String: Any])
        let applications = try #require(document["contactless"] as? [[String: Any]])
        let kernel = try #require(applications[0]["kernel"] as? [String: Any])
        return String(
            decoding: try JSONSerialization.data(withJSONObject: try #require(kernel["dataStorage"])), as: UTF8.self)
    }

    private static var description: String {
        get throws {
            let package = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
                .deletingLastPathComponent()
            return try String(contentsOf: package.appending(path: "docs/terminal-file.md"), encoding: .utf8)
        }
    }

    @Test("contactless applications have the limits of the acquirer, each its own") func contactless() throws {
        let file = try Self.parse(
            """
            , "kernel": {"capabilities": ["contactChip", "encipheredOnlinePIN", "signature"]},
            "contactless": [
            {"preset": "visa", "transactionLimit": 25001, "floorLimit": 0, "cvmRequiredLimit": 5000, "statusCheck": true,
             "dynamicReaderLimits": [{"programIdentifier": "0102", "transactionLimit": 1001}]},
            {"preset": "visa", "aid": "A0000000032010", "transactionLimit": 2000, "terminalTransactionQualifiers": ["emvMode"],
             "transactionTypes": ["purchase"], "kernel": {"magstripeMode": true}},
            {"preset": "mastercard", "transactionLimit": 25001, "cvmRequiredLimit": 5000,
             "kernel": {"deviceTransactionLimit": 99999, "tornTransactions": 0, "magstripeMode": false,
                        "magstripeVerificationAboveLimit": null, "actionCodes": {"denial": "0000000000"},
                        "relayResistance": {"expectedCommandTime": 40}}}]
            """)
        #expect(file.contactless.count == 3)
        let visa = file.contactless[0]
        #expect(visa.aid == [0xA0, 0x00, 0x00, 0x00, 0x03, 0x10, 0x10])
        #expect(visa.qualifiers?.bytes == [0x36, 0x00, 0x40, 0x00])
        #expect(visa.limits.supportsStatusCheck == true)
        #expect(visa.limits.allowsZeroAmount == nil)
        #expect(visa.limits.floorLimit == 0)
        let programs = try #require(visa.kernel as? Kernel3Configuration).dynamicReaderLimits
        #expect(programs.map(\.programIdentifier) == [[1, 2]] && programs[0].limits.transactionLimit == 1001)
        // Off by default.
        #expect(
            file.contactless.prefix(2).map { ($0.kernel as? Kernel3Configuration)?.supportsMagstripeMode } == [
                false, true,
            ])
        #expect(
            file.contactless[1].qualifiers?.bytes == [0x20, 0x00, 0x00, 0x00]
                && file.contactless[1].transactionTypes == [.purchase])
        let mastercard = try #require(file.contactless[2].kernel as? Kernel2Configuration)
        #expect(mastercard.transactionLimit == 25_000)
        #expect(mastercard.cvmRequiredLimit == 4999)
        #expect(mastercard.floorLimit == 0)
        #expect(mastercard.deviceTransactionLimit == 99_999)
        #expect(mastercard.maximumTornTransactions == 0)
        #expect(!mastercard.supportsMagstripeMode)
        #expect(mastercard.magstripeVerificationAboveLimit == nil)
        #expect(mastercard.verificationAboveLimit == [.encipheredOnlinePIN, .signature])
        #expect(mastercard.actionCodes.denial.isEmpty)
        // The other limits are those of Book C-2 (DF8132 to DF8137).
        #expect(mastercard.relayResistance?.expectedCommandTime == 40)
        #expect(mastercard.relayResistance?.accuracyThreshold == 300)
        let again = try Self.readAgain(file)
        #expect(again.json == file.json)
        #expect(again.contactless.map(\.limits) == file.contactless.map(\.limits))
    }

    @Test("American Express and UnionPay by the names of their systems, with what is their own") func otherSystems()
        throws
    {
        let file = try Self.parse(
            """
            , "kernel": {"capabilities": ["contactChip", "encipheredOnlinePIN", "signature"]},
            "contactless": [
            {"preset": "amex", "transactionLimit": 25001, "floorLimit": 2500, "cvmRequiredLimit": 5000,
             "kernel": {"versions": ["0001", "0002"], "actionCodes": {"online": "FFFFFFFFFF"}, "mobileVerification": false,
                        "verificationBelowLimit": ["signature"]}},
            {"preset": "unionPay", "floorLimit": 0, "terminalTransactionQualifiers": ["emvMode", "signature"]},
            {"preset": "unionPay", "aid": "A000000333010101"}]
            """)
        let amex = file.contactless[0]
        #expect(amex.aid == [0xA0, 0x00, 0x00, 0x00, 0x25, 0x01])
        #expect(amex.kernel.identifier == .kernel4)
        #expect(amex.qualifiers == nil)
        let kernel = try #require(amex.kernel as? Kernel4Configuration)
        #expect(kernel.versions == [1, 2])
        #expect(!kernel.supportsMobileVerification)
        #expect(kernel.verificationBelowLimit == .signature)
        #expect(kernel.verificationAboveLimit == [.encipheredOnlinePIN, .signature])
        // An object has all three codes; one that is not named has no bit.
        #expect(kernel.actionCodes.online.rawValue == 0xFF_FFFF_FFFF)
        #expect(kernel.actionCodes.denial.isEmpty)
        let unionPay = file.contactless[1]
        #expect(unionPay.aid == [0xA0, 0x00, 0x00, 0x03, 0x33, 0x01, 0x01])
        #expect(unionPay.kernel is Kernel7Configuration)
        #expect(unionPay.qualifiers?.bytes == [0x22, 0x00, 0x00, 0x00])
        #expect(unionPay.limits.floorLimit == 0)
        #expect(
            file.contactless[2].qualifiers?.bytes == [0x36, 0x00, 0x40, 0x80] && file.contactless[2].aid.count == 8)
        let again = try Self.readAgain(file)
        #expect(again.json == file.json)
        #expect(again.contactless.map(\.kernel.identifier) == [.kernel4, .kernel7, .kernel7])
    }

    @Test("messages of kernel 2 are shown as long as the file says, and phones are answered by its table")
    func messages() throws {
        let file = try Self.parse(
            """
            , "contactless": [
            {"preset": "mastercard", "kernel": {"messageHoldTime": 25, "phoneMessages": [
                {"mask": "000F00", "value": "000400", "message": "enterPIN", "status": "processingError"},
                {"mask": "000000", "value": "000000", "message": "clearDisplay", "status": "idle"}]}},
            {"preset": "mastercard"}]
            """)
        let kernel = try #require(file.contactless[0].kernel as? Kernel2Configuration)
        #expect(kernel.messageHoldTime == 25)
        #expect(
            kernel.phoneMessages == [
                .init(mask: 0x000F00, value: 0x000400, message: .enterPIN, status: .processingError),
                .init(mask: 0, value: 0, message: .clearDisplay, status: .idle),
            ])
        // DF812D: 000013.
        #expect((file.contactless[1].kernel as? Kernel2Configuration)?.messageHoldTime == 13)
        let again = try Self.readAgain(file)
        #expect((again.contactless[0].kernel as? Kernel2Configuration)?.phoneMessages == kernel.phoneMessages)
        #expect(again.json == file.json)
    }

    @Test("an application of kernel 8 has its AID, the limits of the acquirer, and what is its own") func kernel8()
        throws
    {
        let file = try Self.parse(
            """
            , "kernel": {"capabilities": ["contactChip", "encipheredOnlinePIN", "signature"]},
            "contactless": [
            {"preset": "kernel8", "aid": "A0000000031010", "transactionLimit": 25001, "floorLimit": 2500, "cvmRequiredLimit": 5000},
            {"preset": "kernel8", "aid": "A0000000041010", "kernel": {
                "floorLimit": 100, "cvmRequiredLimit": 200, "denialActionCode": "0400000000", "onlineActionCode": "FFFFFFFFFF",
                "verificationAboveLimit": ["onlinePIN"], "verificationBelowLimit": [], "localAuthentication": false,
                "reportsFailedLocalAuthentication": true, "relayResistance": {"accuracyThreshold": 5}, "envelopesToRead": [1, 10],
                "envelopesToWriteBefore": [{"number": 2, "value": "0102"}], "envelopesToWrite": [{"number": 3, "value": ""}],
                "messagesOnRestart": ["insertCard"], "messageHoldTime": 20, "fieldOffTime": 255}}]
            """)
        #expect(file.contactless.map(\.aid.hex) == ["A0000000031010", "A0000000041010"])
        let plain = try #require(file.contactless[0].kernel as? Kernel8Configuration)
        // Entry Point's limit is reached by its amount, the kernel's by a greater one.
        #expect(plain.floorLimit == 2500)
        #expect(plain.cvmRequiredLimit == 4999)
        #expect(plain.authenticatesLocally)
        #expect(plain.verificationAboveLimit == [.onlinePIN, .signature, .consumerDevice])
        #expect(plain.relayResistance == nil)
        let kernel = try #require(file.contactless[1].kernel as? Kernel8Configuration)
        #expect(kernel.floorLimit == 100)
        #expect(kernel.cvmRequiredLimit == 200)
        #expect(kernel.denialActionCode.rawValue == 0x04_0000_0000)
        #expect(kernel.onlineActionCode.rawValue == 0xFF_FFFF_FFFF)
        #expect(kernel.verificationAboveLimit == .onlinePIN)
        #expect(kernel.verificationBelowLimit == [])
        #expect(!kernel.authenticatesLocally)
        #expect(kernel.reportsFailedLocalAuthentication)
        #expect(kernel.relayResistance?.accuracyThreshold == 5)
        #expect(kernel.envelopesToRead == [1, 10])
        #expect(kernel.envelopesToWriteBefore.map(\.number) == [2])
        #expect(kernel.envelopesToWriteBefore.map(\.value) == [[1, 2]])
        #expect(kernel.envelopesToWrite.map(\.number) == [3])
        #expect(kernel.envelopesToWrite.map(\.value) == [[]])
        #expect(kernel.messagesOnRestart == [.insertCard])
        #expect(kernel.messageHoldTime == 20)
        #expect(kernel.fieldOffTime == 255)
        #expect(try Self.readAgain(file).json == file.json)
    }

    @Test(
        "an error names its place",
        arguments: [
            (#", "applications": ["visa", {"aid": "A0", "versions": []}]"#, "applications[1].aid"),
            (#", "kernal": {}"#, "kernal"),
            (#", "kernel": {"type": 22}"#, "kernel.type"), (#", "timeLimits": {"host": -1}"#, "timeLimits.host"),
            (#", "kernel": {"capabilities": ["contactchip"]}"#, "kernel.capabilities[0]"),
            (#", "kernel": {"additionalData": {"XY": "00"}}"#, "kernel.additionalData.XY"),
            (
                #", "applications": [{"preset": "visa", "randomSelection": {"targetPercentage": 9, "maximumPercentage": 1}}]"#,
                "applications[0].randomSelection"
            ), (#", "caKeys": "keys.tsv""#, "caKeys"),
            (#", "kernel": {"interfaceDeviceSerialNumber": "1234567é"}"#, "kernel.interfaceDeviceSerialNumber"),
            (#", "responseCodes": {"approving": ["é0"]}"#, "responseCodes.approving[0]"),
            (#", "contactless": ["visa"]"#, "contactless[0]"),
            (#", "contactless": [{"preset": "jcb"}]"#, "contactless[0].preset"),
            (#", "contactless": [{"preset": "unionPay", "kernel": {}}]"#, "contactless[0].kernel"),
            (
                #", "contactless": [{"preset": "visa", "kernel": {"magstripeMode": 1}}]"#,
                "contactless[0].kernel.magstripeMode"
            ),
            (
                #", "contactless": [{"preset": "mastercard", "terminalTransactionQualifiers": []}]"#,
                "contactless[0].terminalTransactionQualifiers"
            ),
            (
                #", "contactless": [{"preset": "mastercard", "kernel": {"magstripeMode": 1}}]"#,
                "contactless[0].kernel.magstripeMode"
            ),
            (
                #", "contactless": [{"preset": "mastercard", "kernel": {"dataStorage": {"slot": {"info": []}}}}]"#,
                "contactless[0].kernel.dataStorage.slot"
            ),
            (
                #", "contactless": [{"preset": "mastercard", "kernel": {"dataStorage": {"operator": "01"}}}]"#,
                "contactless[0].kernel.dataStorage.operator"
            ),
            (
                #", "contactless": [{"preset": "mastercard", "kernel": {"dataStorage": {"before": [{"tag": "9F6F", "value": "00"}]}}}]"#,
                "contactless[0].kernel.dataStorage.before[0]"
            ),
            (
                #", "offline": {"deferredAuthorization": ["keyed", "contactlessChip"]}"#,
                "offline.deferredAuthorization[1]"
            ),
            (
                #", "contactless": [{"preset": "mastercard", "kernel": {"messageHoldTime": 1000000}}]"#,
                "contactless[0].kernel.messageHoldTime"
            ),
            (
                #", "contactless": [{"preset": "mastercard", "kernel": {"phoneMessages": [{"mask": "01", "value": "000001"}]}}]"#,
                "contactless[0].kernel.phoneMessages[0].mask"
            ),
            (#", "contactless": [{"preset": "kernel8"}]"#, "contactless[0].aid"),
            (
                #", "contactless": [{"preset": "kernel8", "aid": "A000000003", "kernel": {"envelopesToRead": [11]}}]"#,
                "contactless[0].kernel.envelopesToRead[0]"
            ),
            (
                #", "contactless": [{"preset": "kernel8", "aid": "A000000003", "kernel": {"messagesOnRestart": ["approved"]}}]"#,
                "contactless[0].kernel.messagesOnRestart[0]"
            ),
            (#", "contactless": [{"preset": "amex", "kernel": {"mobile": true}}]"#, "contactless[0].kernel.mobile"),
            (
                #", "contactless": [{"preset": "amex", "dynamicReaderLimits": []}]"#,
                "contactless[0].dynamicReaderLimits"
            ),
            (#", "contactless": [{"preset": "unionPay", "kernel": {}}]"#, "contactless[0].kernel"),
            (
                #", "contactless": [{"preset": "unionPay", "dynamicReaderLimits": []}]"#,
                "contactless[0].dynamicReaderLimits"
            ),
        ])
    func errors(_ more: String, _ place: String) {
        let error = #expect(throws: DocumentError.self) { try Self.parse(more) }
        #expect(error?.path == place)
    }

    @Test("CA keys are read from the file beside it; one that is not there is named") func keys() throws {
        let folder = URL.temporaryDirectory.appending(path: "terminal-file-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appending(path: "terminal.json")
        try Data(#"{\#(Self.least), "caKeys": "keys.tsv"}"#.utf8).write(to: file)
        let missing = #expect(throws: DocumentError.self) { try TerminalFile.load(file.path()) }
        #expect(
            missing == DocumentError("caKeys", ConfigurationFault.unreadable(folder.appending(path: "keys.tsv").path()))
        )
        let vectors = URL(filePath: #filePath).appending(path: "../../../Vectors/keys").standardized
        let published = try #require(
            try FileManager.default.contentsOfDirectory(at: vectors, includingPropertiesForKeys: nil).first {
                $0.pathExtension == "tsv" && $0.lastPathComponent.contains("ca")
            })
        try FileManager.default.copyItem(at: published, to: folder.appending(path: "keys.tsv"))
        #expect(try !TerminalFile.load(file.path()).kernel.caKeys.isEmpty)
        #expect(throws: DocumentError.self) { try TerminalFile.load(folder.appending(path: "none.json").path()) }
    }

    @Test(
        "what is not a file of reasonable size is refused before it is read",
        arguments: ["/dev/zero", "/tmp", "/proc/self/mem"])
    func unreasonable(_ path: String) { #expect(throws: DocumentError.self) { try TerminalFile.load(path) } }

    @Test("a file of more than a mebibyte is refused") func large() throws {
        let file = URL.temporaryDirectory.appending(path: "terminal-\(UUID()).json")
        defer { try? FileManager.default.removeItem(at: file) }
        try Data(repeating: 0x20, count: 1 << 20 | 1).write(to: file)
        let error = #expect(throws: DocumentError.self) { try TerminalFile.load(file.path()) }
        #expect(error == DocumentError("", ConfigurationFault.tooLarge(file.path(), maximum: 1 << 20)))
    }
}
