import Bytes
import CardCryptography
import Testing

/// `Vectors/ansi-x9.143/key-blocks.json`: what the standard prints, and what another implementation
/// wrote.
@Suite struct KeyBlockVectorTests {
    struct Row: Decodable, CustomTestStringConvertible {
        struct Option: Decodable {
            let id: String
            let data: String
        }
        let name: String
        let protectionKey: String
        let block: String
        let key: String
        let optionalBlocks: [Option]

        var testDescription: String { name }
        var options: [KeyBlockHeader.OptionalBlock] { optionalBlocks.map { .init(id: $0.id, data: $0.data) } }

        func protection() throws -> KeyBlock.ProtectionKey {
            block.hasPrefix("D") ? .aes(try AESKey(secret(protectionKey))) : .tdes(try TDESKey(secret(protectionKey)))
        }
    }

    private static let rows: [Row] = (try? vectors("ansi-x9.143/key-blocks.json")) ?? []

    @Test func vectorsAreThere() { #expect(Self.rows.count == 5) }

    @Test(arguments: rows) func opens(row: Row) throws {
        let (key, header) = try KeyBlock.unwrap(row.block, under: row.protection())
        #expect(key.revealed().hex == row.key)
        #expect(header.optionalBlocks == row.options)
    }

    /// ANSI X9.143:2021, 8.6: the header that the standard prints, to the last character of its
    /// padding block.
    @Test func writesTheStandardsHeader() throws {
        let row = try #require(Self.rows.first)
        let header = KeyBlockHeader(
            version: .derivationAES, usage: "S0", algorithm: "E", modeOfUse: "S", exportability: "N",
            optionalBlocks: row.options)
        let block = try KeyBlock.wrap(secret(row.key), header: header, under: row.protection())
        let printed = row.block.dropLast(2 * (128 + 16))
        #expect(printed.hasSuffix("PB110000000000000"))
        #expect(block.hasPrefix(printed))
        #expect(block.count == row.block.count)
    }

    /// A block has 9,999 characters: header 16, payload in whole blocks of the cipher as digits,
    /// authenticator (X9.143, 6.1).
    @Test(arguments: [(KeyBlockHeader.Version.derivationTDES, 4974, 9984), (.derivationAES, 4958, 9968)])
    func longestKey(version: KeyBlockHeader.Version, count: Int, characters: Int) throws {
        let protection: KeyBlock.ProtectionKey =
            version == .derivationAES
            ? .aes(try AESKey(SecretBytes([UInt8](repeating: 0x42, count: 16))))
            : .tdes(try TDESKey(SecretBytes((0..<16).map { UInt8($0) })))
        let header = KeyBlockHeader(version: version, usage: "K0", algorithm: "R", modeOfUse: "B", exportability: "N")
        let key = SecretBytes((0..<count).map { UInt8(truncatingIfNeeded: $0 * 7) })
        let block = try KeyBlock.wrap(key, header: header, under: protection)
        #expect(block.count == characters)
        #expect(try KeyBlock.unwrap(block, under: protection).key == key)
        #expect(throws: KeyBlockError.length) {
            try KeyBlock.wrap(SecretBytes([UInt8](repeating: 1, count: count + 1)), header: header, under: protection)
        }
        #expect(throws: KeyBlockError.length) {
            var header = header
            header.optionalBlocks = [.init(id: "10", data: String(repeating: "x", count: 10_000))]
            _ = try KeyBlock.wrap(SecretBytes([1]), header: header, under: protection)
        }
    }

    @Test func noKeyIsRefused() throws {
        let header = KeyBlockHeader(
            version: .derivationAES, usage: "K0", algorithm: "A", modeOfUse: "B", exportability: "N")
        let protection = KeyBlock.ProtectionKey.aes(try AESKey(SecretBytes([UInt8](repeating: 1, count: 16))))
        #expect(throws: KeyBlockError.keyLength) {
            try KeyBlock.wrap(SecretBytes([]), header: header, under: protection)
        }
    }
}
