import Bytes
import CardCryptography
import Testing

/// One entry of `Vectors/emv/issuer-scripts.json`: the commands of one transaction in their order.
struct IssuerScriptVector: Decodable, CustomTestStringConvertible {
    struct Keys: Decodable {
        let applicationCryptogram, integrity, confidentiality: String
    }

    struct Command: Decodable {
        let header, data, protected: String
        let pin, currentPIN: String?
    }

    let name, version, pan, panSequenceNumber, atc, applicationCryptogram: String
    let issuerKeys: Keys
    let commands: [Command]

    var testDescription: String { name }

    static func all() throws -> [IssuerScriptVector] { try vectors("emv/issuer-scripts.json") }

    var cryptogramVersion: CryptogramVersion {
        get throws {
            let versions: [String: CryptogramVersion] = [
                "visa-10": .visa10, "visa-18": .visa18, "visa-22": .visa22, "mastercard-10": .mastercard10,
                "interac-85": .interac85,
                "common-core-5": .commonCoreTDES, "common-core-6": .commonCoreAES,
            ]
            return try #require(versions[version])
        }
    }

    func cardKeys() throws -> MasterKeySet {
        let version = try cryptogramVersion
        return try MasterKeySet(
            applicationCryptogram: CardKey(secret(issuerKeys.applicationCryptogram), version.cipher),
            integrity: CardKey(secret(issuerKeys.integrity), version.cipher),
            confidentiality: CardKey(secret(issuerKeys.confidentiality), version.cipher)
        ).cardKeys(
            by: version.masterKeyDerivation, pan: #require(AccountNumber(ascii: pan.utf8)),
            panSequenceNumber: hex(panSequenceNumber)[0])
    }

    func session() throws -> SecureMessaging {
        try SecureMessaging(
            scheme: #require(cryptogramVersion.secureMessaging), cardKeys: cardKeys(),
            atc: #require(UInt16(atc, radix: 16)),
            applicationCryptogram: hex(applicationCryptogram))
    }

    /// The command's data as it is before protection: a PIN in the form of the scheme, or the data
    /// given.
    func data(_ command: Command) throws -> [UInt8] {
        guard let digits = command.pin else { return try hex(command.data) }
        let pin = try #require(PIN(ascii: digits.utf8))
        guard try cryptogramVersion.secureMessaging?.pinForm == .visa,
            case .tdes(let key) = try cardKeys().applicationCryptogram
        else {
            return try PINBlock.format2.encode(pin).exposed
        }
        return VisaPINBlock.encode(pin, replacing: command.currentPIN.flatMap { PIN(ascii: $0.utf8) }, cardKey: key)
            .exposed
    }
}

/// Sources of the expectations stand in the vectors.
@Suite struct SecureMessagingTests {
    @Test("The issuer protects commands as in the vectors", arguments: try IssuerScriptVector.all())
    func issuerProtects(
        _ vector: IssuerScriptVector
    ) throws {
        var session = try vector.session()
        for command in vector.commands {
            let field = try session.protect(
                header: hex(command.header), data: vector.data(command), enciphering: command.pin != nil)
            #expect(field.hex == command.protected)
        }
    }

    @Test("The card opens the protected commands of the vectors", arguments: try IssuerScriptVector.all())
    func cardOpens(
        _ vector: IssuerScriptVector
    ) throws {
        var session = try vector.session()
        for command in vector.commands {
            let data = try session.open(
                header: hex(command.header), field: hex(command.protected), isEnciphered: command.pin != nil)
            #expect(try data == vector.data(command))
        }
    }

    /// A bit changed anywhere, in header or field, is found; and the refused command changes
    /// nothing, so that the right one is still taken.
    @Test(arguments: try IssuerScriptVector.all()) func cardRefusesWhatWasChanged(_ vector: IssuerScriptVector) throws {
        var session = try vector.session()
        for command in vector.commands {
            let (header, field) = (try hex(command.header), try hex(command.protected))
            for index in header.indices {
                var changed = header
                changed[index] ^= 0x01
                #expect(throws: SecureMessagingError.incorrect) {
                    try session.open(header: changed, field: field, isEnciphered: command.pin != nil)
                }
            }
            for index in field.indices {
                var changed = field
                changed[index] ^= 0x01
                #expect(throws: SecureMessagingError.self) {
                    try session.open(header: header, field: changed, isEnciphered: command.pin != nil)
                }
            }
            _ = try session.open(header: header, field: field, isEnciphered: command.pin != nil)
        }
    }

    /// Without MAC: a field that is too short in format 2, one without object 8E in format 1.
    @Test(arguments: try IssuerScriptVector.all()) func cardMissesTheMAC(_ vector: IssuerScriptVector) throws {
        var session = try vector.session()
        for field in [[], [0x81, 0x01, 0x55]] as [[UInt8]] {
            #expect(throws: SecureMessagingError.missing) {
                try session.open(header: [0x84, 0xDA, 0x9F, 0x14], field: field)
            }
        }
    }

    @Test(
        "EMV 4.4 Book 2, 9.2.1.1: every kind of broken object is refused",
        arguments: [
            "81", "8102", "810255", "8E0401020304", "8E03010203", "8E09010203040506070809", "810155810155", "99018E",
            "8E04010203048101FF", "87020255", "8180", "818255", "81",
        ])
    func brokenObjects(_ field: String) throws {
        let vector = try #require(IssuerScriptVector.all().first { $0.version == "common-core-5" })
        var session = try vector.session()
        #expect(throws: SecureMessagingError.self) { try session.open(header: hex("8CDA9F14"), field: hex(field)) }
    }

    @Test("Random fields, half of them with tags of format 1: each is refused, none gets through or ends the program")
    func randomFields()
        throws
    {
        let vector = try #require(IssuerScriptVector.all().first { $0.version == "common-core-6" })
        var session = try vector.session()
        for round in 0..<2000 {
            var field = SecureRandom.bytes(round % 64)
            if round.isMultiple(of: 2), field.count > 8 {
                field[0] = [0x81, 0x87, 0x8E][round % 3]
                field[1] = UInt8(round % 12)
            }
            #expect(throws: SecureMessagingError.self) {
                try session.open(header: [0x8C, 0xDA, 0x9F, 0x14], field: field, isEnciphered: round.isMultiple(of: 5))
            }
        }
    }

    /// Part IV, 9.2.1: MACs are chained, so a command out of its order is refused, and one of
    /// another transaction too.
    @Test func chainingKeepsTheOrder() throws {
        let vector = try #require(IssuerScriptVector.all().first { $0.version == "common-core-6" })
        var session = try vector.session()
        let second = vector.commands[1]
        #expect(throws: SecureMessagingError.incorrect) {
            try session.open(header: hex(second.header), field: hex(second.protected), isEnciphered: true)
        }
    }

    /// A PIN must not come in the clear although its MAC is right.
    @Test func clearDataIsRefusedWhereItMustBeEnciphered() throws {
        let vector = try #require(IssuerScriptVector.all().first { $0.version == "common-core-5" })
        var (issuer, card) = (try vector.session(), try vector.session())
        let header = try hex("8C240002")
        let field = try issuer.protect(header: header, data: hex("241234FFFFFFFFFF"))
        #expect(throws: SecureMessagingError.incorrect) {
            try card.open(header: header, field: field, isEnciphered: true)
        }
        let empty = try issuer.protect(header: header, data: [])
        #expect(throws: SecureMessagingError.incorrect) {
            try card.open(header: header, field: empty, isEnciphered: true)
        }
    }

    /// EMV 4.4 Book 2, D2.3.1: without chaining the application cryptogram stands before every
    /// message, so the same command has the same MAC.
    @Test("Without chaining, the application cryptogram stands before each message") func withoutChaining() throws {
        let vector = try #require(IssuerScriptVector.all().first { $0.version == "common-core-5" })
        let scheme = SecureMessagingScheme(
            sessionKeys: .common, format: .format1(chaining: false), encipherment: .padded, macLength: 4)
        var session = try SecureMessaging(
            scheme: scheme, cardKeys: vector.cardKeys(), atc: 0x1C, applicationCryptogram: hex("1122334455667788"))
        for _ in 1...2 {
            #expect(try session.protect(header: hex("8C1E0000"), data: []).hex == vector.commands[0].protected)
        }
    }

    @Test(
        "The sum of format 1 (EMV 4.4 Book 2, D2.1): New Lc is 8 + Lc to 13 + Lc in the clear, 10 + Lc to 22 + Lc enciphered",
        arguments: [(1, 4), (1, 8), (127, 4), (128, 4), (200, 8)]) func lengthsOfFormat1(
            _ length: Int, _ macLength: Int
        ) throws
    {
        let vector = try #require(IssuerScriptVector.all().first { $0.version == "common-core-5" })
        let scheme = SecureMessagingScheme(
            sessionKeys: .common, format: .format1(chaining: true), encipherment: .padded, macLength: macLength)
        var session = try SecureMessaging(
            scheme: scheme, cardKeys: vector.cardKeys(), atc: 1, applicationCryptogram: hex("1122334455667788"))
        let data = [UInt8](repeating: 0x5A, count: length)
        let clear = try session.protect(header: hex("0CDC010C"), data: data)
        #expect(clear.count == length + (length < 128 ? 4 : 5) + macLength)
        let enciphered = try session.protect(header: hex("0CDC010C"), data: data, enciphering: true)
        let cryptogram = (length / 8 + 1) * 8 + 1
        #expect(enciphered.count == cryptogram + (cryptogram < 128 ? 4 : 5) + macLength)
    }

    /// MACs of 4 to 8 bytes (EMV 4.4 Book 2, 9.2.1). In format 1 a shorter one is the beginning of
    /// the longer and the card takes each; in format 2 Lc counts it, so that it is another one, and
    /// the card takes its own length only. Expected: the vector, and pyemv 1.5.0.
    @Test(arguments: [
        (4, "62F8A7CB"), (5, "2067B61E1C"), (6, "A38858ACD2CF"), (7, "B04E2481344157"), (8, "B574ABB0A485A330"),
    ])
    func lengthsOfMACs(_ length: Int, _ expected: String) throws {
        let core = try #require(IssuerScriptVector.all().first { $0.version == "common-core-5" })
        let format1 = SecureMessagingScheme(
            sessionKeys: .common, format: .format1(chaining: true), encipherment: .padded, macLength: length)
        var issuer = try SecureMessaging(
            scheme: format1, cardKeys: core.cardKeys(), atc: 0x1C,
            applicationCryptogram: hex(core.applicationCryptogram))
        let field = try issuer.protect(header: hex("8C1E0000"), data: [])
        #expect(field.count == 2 + length && field[1] == UInt8(length))
        #expect(try field.dropFirst(2).prefix(4) == hex(core.commands[0].protected).dropFirst(2))
        var card = try core.session()
        #expect(try card.open(header: hex("8C1E0000"), field: field) == [])

        let interac = try #require(IssuerScriptVector.all().first { $0.version == "interac-85" })
        let format2 = SecureMessagingScheme(
            sessionKeys: .common, format: .format2(transaction: false), encipherment: .paddedWhereNeeded,
            macLength: length)
        var session = try SecureMessaging(
            scheme: format2, cardKeys: interac.cardKeys(), atc: 0x1C,
            applicationCryptogram: hex(interac.applicationCryptogram))
        #expect(try session.protect(header: hex("84240000"), data: []).hex == expected)
        var other = try interac.session()
        if length == 8 {
            #expect(try other.open(header: hex("84240000"), field: hex(expected)) == [])
        } else {
            #expect(throws: SecureMessagingError.missing) {
                try other.open(header: hex("84240000"), field: hex(expected))
            }
        }
    }

    @Test func visaKeysAreTripleDES() throws {
        let aes = try CardKey(secret("0123456789ABCDEFFEDCBA9876543210"), .aes)
        let keys = MasterKeySet(applicationCryptogram: aes, integrity: aes, confidentiality: aes)
        #expect(throws: CryptogramError.cipher) {
            try SecureMessaging(scheme: .visa, cardKeys: keys, atc: 1, applicationCryptogram: [1, 2, 3, 4, 5, 6, 7, 8])
        }
        #expect(throws: CryptogramError.fieldLength(count: 7, expected: 8)) {
            try SecureMessaging(
                scheme: .commonCore, cardKeys: keys, atc: 1, applicationCryptogram: [1, 2, 3, 4, 5, 6, 7])
        }
    }
}
