import Bytes

/// A track of mag-stripe mode, with the positions of a transaction's digits in its discretionary
/// data (EMV Contactless Book C-2, S13 and S14).
///
/// Positions are counted to the left from the last character of the discretionary data, which is 0;
/// bit n of a bit map is position n.
struct MagstripeTrack: Equatable {
    /// ASCII, without sentinels. The separator of track 2 is `=`.
    private(set) var characters: [UInt8]
    /// Where in ``characters`` the discretionary data begin.
    private let start: Int
    /// PCVC3: positions of digits of the code.
    private let codePositions: [Int]
    /// PUNATC: positions of digits of counter and unpredictable number.
    private let numberPositions: [Int]
    /// NATC: how many of ``numberPositions``, from the left, belong to the counter.
    private let counterDigits: Int

    /// How many digits of the unpredictable number the track takes: 0 to 8.
    var numberDigits: Int { numberPositions.count - counterDigits }
    /// ASCII.
    var discretionaryData: [UInt8] { Array(characters[start...]) }

    /// The value of tag `9F6B`: digits, `D` for the separator, `F` to whole bytes.
    var encodedTrack2: [UInt8] {
        let digits = characters.map { $0 == UInt8(ascii: "=") ? 0x0D : $0 & 0x0F }
        let whole = digits.count.isMultiple(of: 2) ? digits : digits + [0x0F]
        return stride(from: 0, to: whole.count, by: 2).map { whole[$0] << 4 | whole[$0 + 1] }
    }

    /// The bit maps of a track.
    struct Positions {
        /// PCVC3, tag `9F62` (6 bytes) or `9F65` (2 bytes).
        let code: [UInt8]
        /// PUNATC, tag `9F63` (6 bytes) or `9F66` (2 bytes).
        let number: [UInt8]
        /// NATC, tag `9F64` or `9F67`, 1 byte.
        let counterDigits: [UInt8]
    }

    /// Track 2; nil if `value`, tag `9F6B`, is not a PAN, a date, a service
    /// code and discretionary data, or if a position is outside the latter.
    init?(track2 value: [UInt8], _ positions: Positions) {
        guard value.count <= 19 else { return nil }
        var digits = value.flatMap { [$0 >> 4, $0 & 0x0F] }
        if digits.last == 0x0F { digits.removeLast() }
        guard let separator = digits.firstIndex(of: 0x0D), (8...19).contains(separator), digits.count > separator + 8,
            digits.indices.allSatisfy({ $0 == separator || digits[$0] < 10 })
        else { return nil }
        self.init(
            digits.map { $0 == 0x0D ? UInt8(ascii: "=") : $0 | 0x30 }, start: separator + 8, positions, mapLength: 2)
    }

    /// Track 1; nil if `value`, tag `56`, is not of format B with PAN, name, date,
    /// service code and discretionary data, or if a position is outside the latter.
    init?(track1 value: [UInt8], _ positions: Positions) {
        let separators = value.indices.filter { value[$0] == UInt8(ascii: "^") }
        guard value.count <= 76, value.first == UInt8(ascii: "B"), separators.count == 2,
            (9...20).contains(separators[0]),
            value[1..<separators[0]].allSatisfy(Self.isDigit), value.count > separators[1] + 8,
            value[(separators[1] + 1)..<(separators[1] + 8)].allSatisfy(Self.isDigit),
            value.allSatisfy({ (0x20..<0x60).contains($0) })
        else { return nil }
        self.init(value, start: separators[1] + 8, positions, mapLength: 6)
    }

    private init?(_ characters: [UInt8], start: Int, _ positions: Positions, mapLength: Int) {
        guard positions.code.count == mapLength, positions.number.count == mapLength, positions.counterDigits.count == 1
        else { return nil }
        self.characters = characters
        self.start = start
        codePositions = Self.positions(positions.code)
        numberPositions = Self.positions(positions.number)
        counterDigits = Int(positions.counterDigits[0])
        guard (0...8).contains(numberPositions.count - counterDigits),
            (codePositions + numberPositions).allSatisfy({ $0 < characters.count - start })
        else { return nil }
    }

    private static func isDigit(_ character: UInt8) -> Bool { (0x30...0x39).contains(character) }

    /// The positions of the bits that are 1, from the left.
    private static func positions(_ map: [UInt8]) -> [Int] {
        (0..<(map.count * 8)).reversed().filter { map[map.count - 1 - $0 / 8] & 1 << ($0 % 8) != 0 }
    }

    /// Inserts the digits of one transaction.
    ///
    /// - Parameters:
    ///   - number: Tag `9F6A`, 8 digits in format n.
    ///   - isVerifiedOnDevice: Whether the cardholder was verified on the device, which the last
    ///     digit reports to the issuer.
    mutating func fill(code: UInt16, counter: UInt16, number: [UInt8], isVerifiedOnDevice: Bool) {
        put(Self.digits(UInt64(code)), at: codePositions[...])
        put(Self.digits(UInt64(counter)), at: numberPositions.prefix(counterDigits))
        put(number.flatMap { [$0 >> 4, $0 & 0x0F] }, at: numberPositions.dropFirst(counterDigits))
        let last = (numberDigits + (isVerifiedOnDevice ? 5 : 0)) % 10
        characters[characters.count - 1] = UInt8(truncatingIfNeeded: last) | 0x30
    }

    /// Inserts the last of `digits`, as many as there are positions.
    private mutating func put(_ digits: [UInt8], at positions: ArraySlice<Int>) {
        for (position, digit) in zip(positions.reversed(), digits.reversed()) {
            characters[characters.count - 1 - position] = digit | 0x30
        }
    }

    /// 8 digits, the maximum for a track.
    private static func digits(_ number: UInt64) -> [UInt8] {
        (BCD.encode(number, count: 4) ?? []).flatMap { [$0 >> 4, $0 & 0x0F] }
    }
}
