import Bytes
import CardCryptography
import Testing

@Suite struct KeyBlockTests {
    /// ASC X9 TR-31:2018, annex A.7: the examples of versions A, B, C and D, with their protection
    /// keys.
    @Test(arguments: [
        (
            "89E88CF7931444F334BD7547FC3F380C",
            "A0072P0TE00E0000F5161ED902807AF26F1D62263644BD24192FDB3193C730301CEE8701",
            "F039121BEC83D26B169BDCD5B22AAF8F"
        ),
        (
            "DD7515F2BFC17F85CE48F3CA25CB21F6",
            "B0080P0TE00E000094B420079CC80BA3461F86FE26EFC4A3B8E4FA4C5F5341176EED7B727B8A248E",
            "3F419E1CB7079442AA37474C2EFBF8B8"
        ),
        (
            "B8ED59E0A279A295E9F5ED7944FD06B9",
            "C0096B0TX12S0100KS1800604B120F9292800000BFB9B689CB567E66FC3FEE5AD5F52161FC6545B9D60989015D02155C",
            "EDB380DD340BC2620247D445F5B8D678"
        ),
        (
            "88E1AB2A2E3DD38C1FA039A536500CC8A87AB9D62DC92C01058FA79F44657DE6",
            "D0112P0AE00E0000B82679114F470F540165EDFBF7E250FCEA43F810D215F8D207E2E417C07156A27E8E31DA05F7425509593D03A457DC34",
            "3F419E1CB7079442AA37474C2EFBF8B8"
        ),
    ])
    func openTheStandardsExamples(protection: String, block: String, key: String) throws {
        let (opened, header) = try KeyBlock.unwrap(block, under: protectionKey(protection, of: block))
        #expect(opened.revealed().hex == key)
        #expect(header.version.rawValue == block.first)
    }

    @Test func headerFieldsOfTheExamples() throws {
        let block = "C0096B0TX12S0100KS1800604B120F9292800000BFB9B689CB567E66FC3FEE5AD5F52161FC6545B9D60989015D02155C"
        let header = try KeyBlock.unwrap(block, under: protectionKey("B8ED59E0A279A295E9F5ED7944FD06B9", of: block))
            .header
        #expect(header.usage == "B0")
        #expect(header.algorithm == "T")
        #expect(header.modeOfUse == "X")
        #expect(header.keyVersionNumber == "12")
        #expect(header.exportability == "S")
        #expect(header.optionalBlocks == [.init(id: "KS", data: "00604B120F9292800000")])
    }

    @Test(arguments: KeyBlockHeader.Version.allCases, [16, 24])
    func whatIsWrappedComesOutAgain(version: KeyBlockHeader.Version, count: Int) throws {
        let protection: KeyBlock.ProtectionKey =
            version == .derivationAES
            ? .aes(try AESKey(SecretBytes([UInt8](repeating: 0x42, count: 32))))
            : .tdes(try TDESKey(SecretBytes((0..<24).map { UInt8($0) })))
        let key = SecretBytes((0..<count).map { UInt8($0 * 7) })
        let header = KeyBlockHeader(
            version: version, usage: "K0", algorithm: "T", modeOfUse: "B", exportability: "N",
            optionalBlocks: [.init(id: "KS", data: "FFFF9876543210E00000")])
        let block = try KeyBlock.wrap(key, header: header, under: protection)
        #expect(Int(block.dropFirst().prefix(4)) == block.count)
        let opened = try KeyBlock.unwrap(block, under: protection)
        #expect(opened.key == key)
        #expect(opened.header == header)
        #expect(try KeyBlock.wrap(key, header: header, under: protection) != block, "the padding is random")
    }

    /// TR-31:2018, 5.3: the optional blocks together have whole blocks of the cipher, 8 or 16
    /// characters, by one of ID PB.
    @Test(arguments: KeyBlockHeader.Version.allCases, [0, 1, 4, 7, 8, 12, 20, 250, 251, 252, 600])
    func optionalBlocksAreFilledUp(version: KeyBlockHeader.Version, count: Int) throws {
        let protection: KeyBlock.ProtectionKey =
            version == .derivationAES
            ? .aes(try AESKey(SecretBytes([UInt8](repeating: 0x42, count: 16))))
            : .tdes(try TDESKey(SecretBytes((0..<16).map { UInt8($0) })))
        let header = KeyBlockHeader(
            version: version, usage: "P0", algorithm: "T", modeOfUse: "E", exportability: "E",
            optionalBlocks: [
                .init(id: "KS", data: "00604B120F9292800000"),
                .init(id: "10", data: String(repeating: "x", count: count)),
            ])
        let block = try KeyBlock.wrap(SecretBytes([UInt8](repeating: 7, count: 16)), header: header, under: protection)
        let blockSize = version == .derivationAES ? 16 : 8
        let contents = Array(block)
        // Walked by hand: number of blocks, then each one's ID and length, a long one as 00, 04 and
        // four digits (X9.143, 6.2).
        var at = 16
        var names: [String] = []
        for _ in 0..<(try #require(Int(String(contents[12..<14])))) {
            names.append(String(contents[at..<at + 2]))
            var length = try #require(Int(String(contents[at + 2..<at + 4]), radix: 16))
            if length == 0 {
                #expect(String(contents[at + 4..<at + 6]) == "04")
                length = try #require(Int(String(contents[at + 6..<at + 10]), radix: 16))
            }
            at += length
        }
        #expect((at - 16) % blockSize == 0)
        #expect(names.prefix(2) == ["KS", "10"])
        #expect(names.dropFirst(2).allSatisfy { $0 == "PB" })
        #expect(block.count % blockSize == 0 && Int(String(contents[1..<5])) == block.count)
        let opened = try KeyBlock.unwrap(block, under: protection)
        #expect(opened.header == header)
    }

    @Test func versionEIsRefusedByName() throws {
        let protection = KeyBlock.ProtectionKey.aes(try AESKey(SecretBytes([UInt8](repeating: 1, count: 16))))
        let error = #expect(throws: KeyBlockError.version("E")) {
            try KeyBlock.unwrap("E0016P0AE00E0000", under: protection)
        }
        #expect(error?.description.contains("version E") == true)
    }

    /// Lengths with signs, spaces, or past the end are not lengths.
    @Test(arguments: [
        "D0032P0AE00E0100KS+8000000000000", "D0032P0AE00E0100KS0002FFFF000000", "D0032P0AE00E0100KS000000000000000",
        "D0032P0AE00E0100KS00020004000000", "D0032P0AE00E0100KS00040004000000", "D0032P0AE00E0100KS0004FFFF000000",
        "D0032P0AE00E0100KS00011000000000", "D0032P0AE00E0100KS00090000000010", "D+032P0AE00E010000000000000000000",
        "D0032P0AE00E+100KS10000000000000",
    ]) func lengthsThatCannotBe(text: String) throws {
        let protection = KeyBlock.ProtectionKey.aes(try AESKey(SecretBytes([UInt8](repeating: 1, count: 16))))
        #expect(throws: KeyBlockError.header) { try KeyBlock.unwrap(text, under: protection) }
    }

    /// Every character of a block is authenticated or makes it unreadable.
    @Test func noCharacterCanBeChanged() throws {
        let block =
            "D0112P0AE00E0000B82679114F470F540165EDFBF7E250FCEA43F810D215F8D207E2E417C07156A27E8E31DA05F7425509593D03A457DC34"
        let protection = try protectionKey(
            "88E1AB2A2E3DD38C1FA039A536500CC8A87AB9D62DC92C01058FA79F44657DE6", of: block)
        for index in block.indices {
            var changed = block
            changed.replaceSubrange(index...index, with: block[index] == "7" ? "8" : "7")
            #expect(throws: KeyBlockError.self) { try KeyBlock.unwrap(changed, under: protection) }
        }
    }

    @Test(arguments: [
        "", "D", "D0016P0AE00E0000", "D0112P0AE00E0099B826", "X0016P0AE00E0000", "D0020P0AE00E0100KS02",
        "D0017P0AE00E0000\u{7F}",
    ])
    func refusesWhatIsNoBlock(text: String) throws {
        let protection = KeyBlock.ProtectionKey.aes(try AESKey(SecretBytes([UInt8](repeating: 1, count: 16))))
        #expect(throws: KeyBlockError.header) { try KeyBlock.unwrap(text, under: protection) }
    }

    @Test func refusesAProtectionKeyOfTheOtherKind() throws {
        let header = KeyBlockHeader(
            version: .derivationTDES, usage: "P0", algorithm: "T", modeOfUse: "E", exportability: "E")
        let aes = KeyBlock.ProtectionKey.aes(try AESKey(SecretBytes([UInt8](repeating: 1, count: 16))))
        let single = KeyBlock.ProtectionKey.tdes(try TDESKey(SecretBytes([UInt8](repeating: 1, count: 8))))
        for key in [aes, single] {
            #expect(throws: KeyBlockError.protectionKey) {
                try KeyBlock.wrap(SecretBytes([1]), header: header, under: key)
            }
        }
    }

    private func protectionKey(_ text: String, of block: String) throws -> KeyBlock.ProtectionKey {
        block.hasPrefix("D") ? .aes(try AESKey(secret(text))) : .tdes(try TDESKey(secret(text)))
    }
}
