internal import Bytes

/// The header of a key block: the attributes and the permitted uses of the key (ASC X9 TR-31:2018,
/// 5.3; ANSI X9.143).
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

    /// An optional block: two characters of ID, then printable ASCII. Those with ID `PB`, which are
    /// only padding, are added and removed automatically (TR-31:2018, 5.3 and A.5.6).
    public struct OptionalBlock: Sendable, Equatable {
        public let id: String
        public let data: String

        public init(id: String, data: String) {
            self.id = id
            self.data = data
        }
    }

    public var version: Version
    /// Two characters: `P0` PIN encryption, `B0` base derivation key, `B1` initial DUKPT key, `K0`
    /// key encryption, … (table 6).
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

    /// The optional blocks as text, padded to whole blocks of the cipher.
    ///
    /// - Returns: Also their number, including the padding block.
    func optionalText(blockSize: Int) throws(KeyBlockError) -> (text: String, count: Int) {
        var text = ""
        for block in optionalBlocks {
            guard block.id.utf8.count == 2, block.id != Self.padding else { throw .header }
            guard block.data.utf8.count <= Self.longest else { throw .length }
            text += block.id + Self.length(block.data.utf8.count) + block.data
        }
        guard text.utf8.count % blockSize != 0 else { return (text, optionalBlocks.count) }
        // At least one character: some implementations ignore an empty block.
        let count = blockSize - (text.utf8.count + 4) % blockSize
        return (
            text + Self.padding + Self.length(count) + String(repeating: "0", count: count), optionalBlocks.count + 1
        )
    }

    private static let padding = "PB"
    /// The characters of a whole key block: its length field has four decimal digits.
    private static let longest = 9999

    /// The length field of a block with `count` characters of data: two digits, or, if it is
    /// longer, `00`, the number of characters of the length, `04`, and these (ANSI X9.143:2021,
    /// 6.2, table 1).
    private static func length(_ count: Int) -> String {
        // fits: at most 255 and 65535, checked by the caller
        count <= 251 ? UInt8(count + 4).hex : "0004" + UInt16(count + 10).hex
    }

    /// How many characters an extended length has whose field of the number says `announced`.
    ///
    /// TR-31 left open what that number counts, and writers before ANSI X9.143 counted bytes: their
    /// `02` announces four digits. Nobody needs two characters for it: a length that has them fits
    /// the short form.
    private static func extendedLengthCount(announced: Int) -> Int? {
        switch announced {
        case 2: 4
        case 3...8: announced
        default: nil
        }
    }

    /// The header as ASCII, with the length of the whole block in it.
    ///
    /// - Parameter options: The result of ``optionalText(blockSize:)``.
    func text(blockLength: Int, options: (text: String, count: Int)) throws(KeyBlockError) -> [UInt8] {
        guard blockLength <= Self.longest else { throw .length }
        guard usage.utf8.count == 2, keyVersionNumber.utf8.count == 2, options.count <= 99,
            let version = version.rawValue.asciiValue, let algorithm = algorithm.asciiValue,
            let modeOfUse = modeOfUse.asciiValue,
            let exportability = exportability.asciiValue
        else { throw .header }
        var text: [UInt8] = []
        text.reserveCapacity(Self.fixedCount + options.text.utf8.count)
        text.append(version)
        Self.append(blockLength, digits: 4, to: &text)
        text += usage.utf8
        text.append(algorithm)
        text.append(modeOfUse)
        text += keyVersionNumber.utf8
        text.append(exportability)
        Self.append(options.count, digits: 2, to: &text)
        text += [0x30, 0x30]
        text += options.text.utf8
        guard text.allSatisfy(Self.isPrintable) else { throw .header }
        return text
    }

    /// The header of `block`, and where it ends.
    static func parse(_ block: [UInt8]) throws(KeyBlockError) -> (header: KeyBlockHeader, end: Int) {
        guard block.count >= fixedCount, block.allSatisfy(isPrintable) else { throw .header }
        func text(_ range: Range<Int>) -> String { String(decoding: block[range], as: UTF8.self) }
        func character(_ index: Int) -> Character { Character(Unicode.Scalar(block[index])) }
        guard let length = number(block[1..<5], radix: 10), length == block.count,
            let count = number(block[12..<14], radix: 10)
        else {
            throw .header
        }
        guard block[0] != UInt8(ascii: "E") else { throw .version("E") }
        guard let version = Version(rawValue: character(0)) else { throw .header }
        var optionalBlocks: [OptionalBlock] = []
        var at = fixedCount
        for _ in 0..<count {
            guard at + 4 <= block.count, var length = number(block[at + 2..<at + 4], radix: 16) else { throw .header }
            var start = 4
            if length == 0 {
                guard at + 6 <= block.count, let announced = number(block[at + 4..<at + 6], radix: 16),
                    let digits = extendedLengthCount(announced: announced), at + 6 + digits <= block.count,
                    let long = number(block[at + 6..<at + 6 + digits], radix: 16)
                else { throw .header }
                (start, length) = (6 + digits, long)
            }
            guard length >= start, length <= block.count - at else { throw .header }
            let id = text(at..<at + 2)
            if id != padding { optionalBlocks.append(OptionalBlock(id: id, data: text(at + start..<at + length))) }
            at += length
        }
        let header = KeyBlockHeader(
            version: version, usage: text(5..<7), algorithm: character(7), modeOfUse: character(8),
            keyVersionNumber: text(9..<11), exportability: character(11), optionalBlocks: optionalBlocks)
        return (header, at)
    }

    private static func isPrintable(_ letter: UInt8) -> Bool { 0x20...0x7E ~= letter }

    /// Only digits, at most eight: no sign, no space.
    private static func number(_ digits: ArraySlice<UInt8>, radix: Int) -> Int? {
        var number = 0
        for digit in digits {
            guard let value = Character(Unicode.Scalar(digit)).hexDigitValue, value < radix else { return nil }
            number = number * radix + value
        }
        return number
    }

    private static func append(_ value: Int, digits: Int, to text: inout [UInt8]) {
        var divisor = 1
        for _ in 1..<digits { divisor *= 10 }
        for _ in 0..<digits {
            text.append(0x30 + UInt8(truncatingIfNeeded: value / divisor % 10))
            divisor /= 10
        }
    }
}
