import Bytes
import CardCryptography
import Testing

/// One entry of `Vectors/emv/cryptograms.json`.
private struct CryptogramVector: Decodable {
    let name, version, issuerMasterKey, pan, panSequenceNumber: String
    let terminalData, applicationInterchangeProfile, atc, issuerApplicationData, cryptogram: String
}

@Suite struct CryptogramVersionTests {
    @Test func reproducesTheCryptogramsOfTestCards() throws {
        let entries: [CryptogramVector] = try vectors("emv/cryptograms.json")
        #expect(entries.count == 3)
        for entry in entries {
            let iad = try hex(entry.issuerApplicationData)
            let version = try #require(
                entry.version == "visa10"
                    ? CryptogramVersion.visa(issuerApplicationData: iad)
                    : CryptogramVersion.mastercard(issuerApplicationData: iad))
            #expect(version == (entry.version == "visa10" ? .visa10 : .mastercard10))
            let terminalData = try hex(entry.terminalData)
            let atc = try #require(UInt16(entry.atc, radix: 16))
            let masterKey = try version.masterKeyDerivation.cardMasterKey(
                from: CardKey(secret(entry.issuerMasterKey), .tdes),
                pan: #require(AccountNumber(ascii: entry.pan.utf8)),
                panSequenceNumber: hex(entry.panSequenceNumber)[0])
            let sessionKey = try version.sessionKeyDerivation.sessionKey(
                from: masterKey, atc: atc, unpredictableNumber: Array(terminalData.suffix(4)))
            let input = try version.input(
                terminalData: terminalData, applicationInterchangeProfile: hex(entry.applicationInterchangeProfile),
                atc: atc,
                issuerApplicationData: iad)
            let cryptogram = ApplicationCryptogram.compute(input, sessionKey: sessionKey, padding: version.padding)
            #expect(cryptogram.hex == entry.cryptogram, "\(entry.name)")
            #expect(
                ApplicationCryptogram.isValid(cryptogram, for: input, sessionKey: sessionKey, padding: version.padding))
            #expect(!ApplicationCryptogram.isValid([], for: input, sessionKey: sessionKey, padding: version.padding))
        }
    }

    @Test func inputTakesTheIssuerPartOfTheVersion() throws {
        let (terminalData, iad) = ([UInt8](repeating: 0xAA, count: 29), (0..<18).map { UInt8($0) })
        func tail(_ version: CryptogramVersion) throws -> [UInt8] {
            Array(
                try version.input(
                    terminalData: terminalData, applicationInterchangeProfile: [0x39, 0x00], atc: 0x0102,
                    issuerApplicationData: iad
                ).dropFirst(29))
        }
        #expect(try tail(.visa10) == [0x39, 0, 1, 2, 3, 4, 5, 6])
        #expect(try tail(.visa18) == [0x39, 0, 1, 2] + iad)
        #expect(try tail(.mastercard14) == [0x39, 0, 1, 2] + iad[2..<8])
        #expect(try tail(.mastercard15) == [0x39, 0, 1, 2] + iad[2..<8] + iad[10..<18])
    }

    @Test func refusesShortData() throws {
        let terminalData = [UInt8](repeating: 0, count: 29)
        #expect(throws: CryptogramError.issuerApplicationDataTooShort) {
            try CryptogramVersion.mastercard11.input(
                terminalData: terminalData, applicationInterchangeProfile: [0, 0], atc: 1,
                issuerApplicationData: .init(repeating: 0, count: 17))
        }
        #expect(throws: CryptogramError.fieldLength(count: 28, expected: 29)) {
            try CryptogramVersion.visa10.input(
                terminalData: Array(terminalData.dropLast()), applicationInterchangeProfile: [0, 0], atc: 1,
                issuerApplicationData: [])
        }
    }

    @Test func namesVersionsFromTheIssuerApplicationData() throws {
        for short in [[], [6], [6, 1]] as [[UInt8]] {
            #expect(CryptogramVersion.visa(issuerApplicationData: short) == nil)
        }
        #expect(CryptogramVersion.visa(issuerApplicationData: [6, 1, 0x12]) == .visa18)
        #expect(CryptogramVersion.visa(issuerApplicationData: [6, 1, 0x0B]) == nil)
        #expect(CryptogramVersion.mastercard(issuerApplicationData: [1]) == nil)
        #expect(CryptogramVersion.mastercard(issuerApplicationData: [1, 0x14]) == .mastercard14)
        #expect(CryptogramVersion.interac(issuerApplicationData: [0x15, 0x01]) == nil)
        #expect(CryptogramVersion.interac(issuerApplicationData: [0x15, 0x01, 0x84]) == nil)
        #expect(CryptogramVersion.unionPay(issuerApplicationData: [7, 0, 1]) == nil)
    }

    /// EMV 4.4 Book 3, C9: 32 bytes, 0F in the first and the seventeenth, the common core
    /// identifier in the second.
    @Test func commonCoreIsKnownByItsDataAlone() {
        var iad = [0x0F, 0xA5, 0x01] + [UInt8](repeating: 0, count: 29)
        let rids: [[UInt8]] = [[0xA0, 0, 0, 0, 0x03], [0xA0, 0, 0, 0, 0x04], [0xF0, 0, 0, 0, 0x01]]
        for rid in rids { #expect(CryptogramVersion(rid: rid, issuerApplicationData: iad) == nil) }
        iad[16] = 0x0F
        for rid in rids { #expect(CryptogramVersion(rid: rid, issuerApplicationData: iad) == .commonCoreTDES) }
        iad[1] = 0xA6
        for rid in rids { #expect(CryptogramVersion(rid: rid, issuerApplicationData: iad) == .commonCoreAES) }
        iad[1] = 0xA7
        for rid in rids { #expect(CryptogramVersion(rid: rid, issuerApplicationData: iad) == nil) }
        iad[1] = 0xA6
        #expect(CryptogramVersion(rid: rids[0], issuerApplicationData: iad + [0]) == nil)
        #expect(
            CryptogramVersion(rid: [0xA0, 0, 0, 0, 0x25], issuerApplicationData: [0x06, 0x01, 0x0A, 0x03, 0, 0, 0])
                == nil)
    }
}
