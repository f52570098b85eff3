internal import Bytes

/// The header of a key block: what the key in it is, and what may be done with it (ASC X9 TR-31:2018, 5.3; ANSI X9.143).
public struct KeyBlockHeader: Sendable, Equatable {
    /// How key and header are bound together (table 4).
    public enum Version: Character, Sendable, CaseIterable {
        /// Key variant binding, deprecated: TDES.
        case variantDeprecated = "A"
        /// Key derivation binding: TDES, CMAC.
        case derivationTDES = "B"
        /// Key variant binding: TDES.
        case variant = "C"
        /// Key derivation binding: AES, CMAC.
        case derivationAES = "D"
    }

    /// An optional block: two characters of ID, then printable ASCII.
    public struct OptionalBlock: Sendable, Equatable {
        public let id: String
        public let data: String

        public init(id: String, data: String) {
            self.id = id
            self.data = data
        }
    }

    public var version: Version
    /// Two characters: `P0` PIN encryption, `B0` base derivation key, `B1` initial DUKPT key, `K0` key encryption, … (table 6).
    public var usage: String
    /// `T` TDES, `A` AES, `H` HMAC, … (table 7).
    public var algorithm: Character
    /// `E` encrypt, `D` decrypt, `B` both, `X` derive, `N` no restriction, … (table 8).
    public var modeOfUse: Character
    /// Two characters, `00` if not used (table 9).
    public var keyVersionNumber: String
    /// `E` under a trusted key, `N` not, `S` sensitive (table 10).
    public var exportability: Character
    public var optionalBlocks: [OptionalBlock]

    public init(
        version: Version, usage: String, algorithm: Character, modeOfUse: Character, keyVersionNumber: String = "00",
        exportability: Character, optionalBlocks: [OptionalBlock] = []
    ) {
        self.version = version
        self.usage = usage
        self.algorithm = algorithm
        self.modeOfUse = modeOfUse
        self.keyVersionNumber = keyVersionNumber
        self.exportability = exportability
        self.optionalBlocks = optionalBlocks
    }
}

extension KeyBlockHeader {
    /// The fixed fields, 16 characters.
    static let fixedCount = 16

    /// The header as text, with the length of the whole block in it.
    func text(blockLength: Int) throws(KeyBlockError) -> String {
        guard (usage + keyVersionNumber).utf8.count == 4, blockLength <= 9999, optionalBlocks.count <= 99 else { throw .header }
        let length = Self.decimal(blockLength, digits: 4)
        var text = "\(version.rawValue)\(length)\(usage)\(algorithm)\(modeOfUse)\(keyVersionNumber)\(exportability)"
        text += Self.decimal(optionalBlocks.count, digits: 2) + "00"
        for block in optionalBlocks {
            guard block.id.utf8.count == 2, block.data.utf8.count <= 251 else { throw .header }
            // fits: at most 251, checked above
            text += block.id + UInt8(block.data.utf8.count + 4).hex + block.data
        }
        guard text.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) else { throw .header }
        return text
    }

    /// The header of `block`, and where it ends.
    static func parse(_ block: [UInt8]) throws(KeyBlockError) -> (header: KeyBlockHeader, end: Int) {
        guard block.count >= fixedCount, block.allSatisfy({ (0x20...0x7E).contains($0) }) else { throw .header }
        func text(_ range: Range<Int>) -> String { String(decoding: block[range], as: UTF8.self) }
        guard let version = Version(rawValue: Character(text(0..<1))), Int(text(1..<5)) == block.count,
            let count = Int(text(12..<14)), count >= 0
        else { throw .header }
        var optionalBlocks: [OptionalBlock] = []
        var at = fixedCount
        for _ in 0..<count {
            guard at + 4 <= block.count, let length = Int(text(at + 2..<at + 4), radix: 16), length >= 4, at + length <= block.count else {
                throw .header
            }
            optionalBlocks.append(OptionalBlock(id: text(at..<at + 2), data: text(at + 4..<at + length)))
            at += length
        }
        let header = KeyBlockHeader(
            version: version, usage: text(5..<7), algorithm: Character(text(7..<8)), modeOfUse: Character(text(8..<9)),
            keyVersionNumber: text(9..<11), exportability: Character(text(11..<12)), optionalBlocks: optionalBlocks)
        return (header, at)
    }

    private static func decimal(_ value: Int, digits: Int) -> String {
        let text = String(value)
        return String(repeating: "0", count: max(0, digits - text.count)) + text
    }
}
