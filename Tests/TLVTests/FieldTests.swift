import Bytes
import TLV
import Testing

@Suite struct BitFieldTests {
    /// EMV 4.4 Book 3, annex C5: byte 1 bit 8 and byte 4 bit 8 are the TVR of the Visa exchange in
    /// Vectors/traces.
    @Test func namesBitsFromTheHighestOfTheFirstByte() throws {
        let tvr = try #require(TerminalVerificationResults([0x80, 0, 0, 0x80, 0]))
        #expect(tvr == [.offlineDataAuthenticationNotPerformed, .floorLimitExceeded])
        #expect(tvr.meanings == ["Offline data authentication was not performed", "Transaction exceeds floor limit"])
        #expect(tvr.description == "8000008000")
        #expect(TerminalVerificationResults([0x80]) == nil)
    }

    /// Annex C tables 41, 42, 46, 47; Book 4 annex A2, A3: the value of a byte with one known bit
    /// set.
    @Test func bitsLieWhereTheTablesPutThem() {
        #expect(ApplicationInterchangeProfile.sdaSupported.bytes == [0x40, 0])
        #expect(ApplicationInterchangeProfile.cdaSupported.bytes == [0x01, 0])
        #expect(ApplicationUsageControl.terminalsOtherThanATMs.bytes == [0x01, 0])
        #expect(ApplicationUsageControl.internationalCashback.bytes == [0, 0x40])
        #expect(TransactionStatusInformation.scriptProcessing.bytes == [0x04, 0])
        #expect(TerminalVerificationResults.cdaFailed.bytes == [0x04, 0, 0, 0, 0])
        #expect(TerminalVerificationResults.onlineCVMCaptured.bytes == [0, 0, 0x04, 0, 0])
        #expect(TerminalVerificationResults.scriptFailedAfterFinalGenerateAC.bytes == [0, 0, 0, 0, 0x10])
        #expect(TerminalCapabilities.cda.bytes == [0, 0, 0x08])
        #expect(AdditionalTerminalCapabilities.codeTable1.bytes == [0, 0, 0, 0, 0x01])
    }

    @Test func knowsCodeTables() throws {
        let capabilities = try #require(AdditionalTerminalCapabilities([0, 0, 0, 0x01, 0x11]))
        #expect((1...10).filter(capabilities.supportsCodeTable) == [1, 5, 9])
        #expect(!capabilities.supportsCodeTable(0))
        #expect(!capabilities.supportsCodeTable(11))
    }

    @Test func everyMeaningIsSaidOnce() {
        func check<Field: BitField>(_ field: Field.Type) {
            #expect(Set(Field.meanings.map(\.0.rawValue)).count == Field.meanings.count)
            #expect(Field.meanings.allSatisfy { $0.0.rawValue.nonzeroBitCount == 1 })
            #expect(Field.meanings.map(\.0.rawValue) == Field.meanings.map(\.0.rawValue).sorted(by: >))
        }
        check(TerminalVerificationResults.self)
        check(TransactionStatusInformation.self)
        check(ApplicationInterchangeProfile.self)
        check(ApplicationUsageControl.self)
        check(TerminalCapabilities.self)
        check(AdditionalTerminalCapabilities.self)
    }
}

@Suite struct CardholderVerificationDataTests {
    @Test("CVM list of the Visa exchange in Vectors/traces") func readsAList() throws {
        let list = try #require(CVMList([UInt8](hex: "000003E80000271041034203 1E03 1F02")))
        #expect(list.x == 1000)
        #expect(list.y == 10000)
        #expect(list.rules.map(\.code) == [.plaintextPIN, .onlinePIN, .signature, .noCVM])
        #expect(list.rules.map(\.continuesIfUnsuccessful) == [true, true, false, false])
        #expect(list.rules.last?.condition == .neitherCashNorCashback)
        #expect(list.bytes.hex == "000003E80000271041034203" + "1E031F02")
        #expect(CVMList([0, 0, 0]) == nil)
        #expect(CVMList([UInt8](repeating: 0, count: 9)) == nil)
    }

    @Test func resultsAreTheRuleAndItsEnd() {
        let rule = CVMRule(0x41, 0x03)
        #expect(CVMResults(rule: rule, result: .successful).bytes == [0x41, 0x03, 0x02])
        #expect(CVMResults.notPerformed.bytes == [0x3F, 0, 0])
        #expect(CVMResults([0x5E, 0x03, 0x00])?.code == .signature)
        #expect(CVMResults([0x5E, 0x03, 0x07]) == nil)
    }
}

@Suite struct ApplicationFileLocatorTests {
    @Test("The entries of an AFL are read") func readsEntries() throws {
        let afl = try #require(ApplicationFileLocator([0x10, 1, 2, 1, 0x18, 1, 1, 0]))
        #expect(afl.entries == [.init(sfi: 2, 1...2, authenticated: 1), .init(sfi: 3, 1...1)])
        #expect(afl.bytes == [0x10, 1, 2, 1, 0x18, 1, 1, 0])
    }

    /// EMV 4.4 Book 3, 10.2: SFI 1 to 30, first record not 0, last not before first, no more
    /// authenticated than there are.
    @Test(
        "an invalid AFL is refused",
        arguments: ["", "100101", "00010100", "F8010100", "10000100", "10020100", "10010203"])
    func refuses(hex: String) throws {
        #expect(ApplicationFileLocator(try [UInt8](hex: hex)) == nil)
    }

    @Test("The three low bits are reserved, and reserved bits are not looked at (6.3.6)") func reservedBits() throws {
        let afl = try #require(ApplicationFileLocator([0x17, 1, 2, 1]))
        #expect(afl.entries == [.init(sfi: 2, 1...2, authenticated: 1)])
    }
}

@Suite struct CryptogramInformationTests {
    @Test func splitsTheByte() {
        let cid = CryptogramInformationData(rawValue: 0x8B)
        #expect(cid.type == .arqc)
        #expect(cid.adviceRequired)
        #expect(cid.reason == .issuerAuthenticationFailed)
        #expect(CryptogramInformationData(rawValue: 0xC0).type == nil)
    }

    @Test("EMV 4.4 Book 3, 10.8: a card may answer with what was asked or something below it") func ordersCryptograms()
    {
        #expect(CryptogramType.aac < .arqc)
        #expect(CryptogramType.arqc < .tc)
    }
}

@Suite("Redaction of card data") struct RedactionTests {
    @Test func showsSixAndFourOfAPAN() throws {
        #expect(Redaction.hex(.applicationPAN, try [UInt8](hex: "4761739001010119")) == "476173******0119")
        #expect(Redaction.hex(.applicationPAN, try [UInt8](hex: "476173900101011F")) == "476173*****1011F")
        #expect(Redaction.maskedPAN("123456789012".utf8) == "********9012")
        #expect(Redaction.maskedPAN("123".utf8) == "***")
    }

    @Test func hidesTrackAndNameWithinTemplates() throws {
        let record = try [UInt8](hex: "7015 57 08 4761739001010119 5F2004 41424344 9F0201 00")
        #expect(
            Masking.hex(tlv: record) == "7015" + "5708" + String(repeating: "*", count: 16) + "5F2004********"
                + "9F020100")
    }

    /// Mastercard's DS ID is the digits of PAN and PAN sequence number.
    @Test("The identifier of data storage is a card number") func storageIdentifier() throws {
        let information = try [UInt8](hex: "BF0C0C 9F5E09 541333008960011901")
        #expect(Masking.hex(tlv: information) == "BF0C0C" + "9F5E09" + String(repeating: "*", count: 18))
    }

    @Test func hidesAllOfWhatIsNoTLV() {
        #expect(Masking.hex(tlv: [0x5A, 0x09, 0x47]) == "******")
    }
}

@Suite("Tags of data objects") struct TagTests {
    @Test func knowsItsLengthAndKind() {
        #expect(Tag(rawValue: 0x9F02).length == 2)
        #expect(!Tag(rawValue: 0x9F02).isConstructed)
        #expect(Tag(rawValue: 0xBF0C).isConstructed)
        #expect(Tag(rawValue: 0x70).isConstructed)
        #expect(Tag(rawValue: 0xDF8104).bytes == [0xDF, 0x81, 0x04])
        #expect(Tag(hex: "9f02") == .amountAuthorised)
        #expect(Tag(hex: "9F") == nil)
        #expect(Tag(hex: "5A5A") == nil)
        #expect(Tag(hex: "") == nil)
        #expect(Tag(hex: "xx") == nil)
    }

    @Test func dictionaryNamesEachTagOnce() {
        #expect(TagDictionary[.amountAuthorised]?.name == "Amount, Authorised (Numeric)")
        #expect(TagDictionary[.applicationPAN]?.format == .compressedNumeric)
        #expect(Set(TagDictionary.all.map(\.tag)).count == TagDictionary.all.count)
        #expect(TagDictionary[0xDF01] == nil)
    }
}
