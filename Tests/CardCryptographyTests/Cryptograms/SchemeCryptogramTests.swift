import Bytes
import CardCryptography
import Testing

/// One entry of `Vectors/emv/scheme-cryptograms.json`.
struct SchemeCryptogram: Decodable, CustomTestStringConvertible {
    let name, version, issuerMasterKey, pan, panSequenceNumber, rid: String
    let terminalData, applicationInterchangeProfile, atc, issuerApplicationData, cryptogram, response: String
    let responseCode, cardStatusUpdate, proprietaryData: String?

    var testDescription: String { name }
}

/// Each version from the issuer's key to cryptogram and answer; the source of each expectation
/// stands in the vector.
@Suite struct SchemeCryptogramTests {
    private static let versions: [String: CryptogramVersion] = [
        "visa-10": .visa10, "visa-18": .visa18, "visa-22": .visa22, "mastercard-10": .mastercard10,
        "mastercard-11": .mastercard11,
        "mastercard-14": .mastercard14, "mastercard-15": .mastercard15, "interac-85": .interac85,
        "unionpay-01": .unionPay01,
        "common-core-5": .commonCoreTDES, "common-core-6": .commonCoreAES,
    ]

    private static func entries() throws -> [SchemeCryptogram] { try vectors("emv/scheme-cryptograms.json") }

    @Test func everyVersionHasVectors() throws {
        #expect(Set(try Self.entries().map(\.version)) == Set(Self.versions.keys))
    }

    @Test(arguments: try entries()) func cryptogramAndResponse(_ entry: SchemeCryptogram) throws {
        let iad = try hex(entry.issuerApplicationData)
        let version = try #require(CryptogramVersion(rid: hex(entry.rid), issuerApplicationData: iad))
        #expect(version == Self.versions[entry.version])
        let terminalData = try hex(entry.terminalData)
        let atc = try #require(UInt16(entry.atc, radix: 16))
        let masterKey = try version.masterKeyDerivation.cardMasterKey(
            from: CardKey(secret(entry.issuerMasterKey), version.cipher),
            pan: #require(AccountNumber(ascii: entry.pan.utf8)),
            panSequenceNumber: hex(entry.panSequenceNumber)[0])
        let sessionKey = try version.sessionKeyDerivation.sessionKey(
            from: masterKey, atc: atc, unpredictableNumber: Array(terminalData.suffix(4)))
        let input = try version.input(
            terminalData: terminalData, applicationInterchangeProfile: hex(entry.applicationInterchangeProfile),
            atc: atc,
            issuerApplicationData: iad)
        let cryptogram = ApplicationCryptogram.compute(input, sessionKey: sessionKey, padding: version.padding)
        #expect(cryptogram.hex == entry.cryptogram)

        let key = version.responseKey == .sessionKey ? sessionKey : masterKey
        switch version.responseMethod {
        case .method1:
            let code = try hex(#require(entry.responseCode))
            #expect(
                try AuthorisationResponseCryptogram.method1(arqc: cryptogram, responseCode: code, key: key).hex
                    == entry.response)
        case .method2:
            let update = try hex(#require(entry.cardStatusUpdate))
            let proprietary = try hex(entry.proprietaryData ?? "")
            #expect(
                try AuthorisationResponseCryptogram.method2(
                    arqc: cryptogram, cardStatusUpdate: update, proprietaryData: proprietary, key: key
                ).hex == entry.response)
        }
    }
}
