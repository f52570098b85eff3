import MagneticStripe
import SeededNumbers
import Testing

@Suite struct CharacterCodeTests {
    /// The raw data that the MSR605 programmer's manual gives for two tracks, one character a byte:
    /// `%ABC123?` and `;12345?`, each with its redundancy check.
    @Test(arguments: [
        (CharacterCode.alphanumeric, "%ABC123?", [0x45, 0x61, 0x62, 0x23, 0x51, 0x52, 0x13, 0x1F, 0x2A] as [UInt8]),
        (.numeric, ";12345?", [0x0B, 0x01, 0x02, 0x13, 0x04, 0x15, 0x1F, 0x15]),
    ])
    func publishedRawData(_ code: CharacterCode, _ characters: String, _ codes: [UInt8]) {
        #expect(characters.utf8.map { code.code(for: $0) } == codes.dropLast())
        #expect(codes.dropLast().map { code.character(for: $0) } == Array(characters.utf8))
        #expect(code.redundancyCheck(codes.dropLast()) == codes.last)
    }

    @Test(
        "ISO/IEC 7811-2: 64 and 16 characters in the order of ASCII, odd parity",
        arguments: [(CharacterCode.alphanumeric, UInt8(0x20), 64, 7), (.numeric, 0x30, 16, 5)])
    func wholeSet(_ code: CharacterCode, first: UInt8, count: Int, width: Int) {
        #expect(code.bitsPerCharacter == width)
        for character in UInt8.min...UInt8.max {
            let value = code.code(for: character)
            guard character >= first, Int(character) < Int(first) + count else {
                #expect(value == nil)
                continue
            }
            #expect(value.map { $0 & UInt8(count - 1) } == character - first)
            #expect(value.map { !$0.nonzeroBitCount.isMultiple(of: 2) } == true)
        }
        for value in UInt8.min...UInt8.max where value.nonzeroBitCount.isMultiple(of: 2) || Int(value) >= count * 2 {
            #expect(code.character(for: value) == nil)
        }
    }
}

@Suite struct TrackBitsTests {
    /// `;12345?` of the manual above, least significant bit first.
    @Test func readersGiveCharactersOrPackedBits() {
        let written = bits("1101010000010001100100100101011111110101")
        #expect(TrackBits(codes: [0x0B, 0x01, 0x02, 0x13, 0x04, 0x15, 0x1F, 0x15], bitsPerCharacter: 5) == written)
        #expect(TrackBits(packed: [0b1101_0100, 0b0001_0001, 0b1001_0010, 0b0101_0111, 0b1111_0101]) == written)
        #expect(TrackDecoder(.two).read(written) == .read(text("12345", .numeric), .forward))
    }

    @Test func writesWhatThePeerWrites() throws {
        var random = SplitMix(seed: 0x7811)
        for code in CharacterCode.allCases {
            let texts = (0..<200).map { _ in randomText(code == .numeric ? .two : .one, using: &random) }
            let expected = try peer(["encode", code == .numeric ? "5" : "7"] + texts.map { shown($0.characters) })
            for (text, expected) in zip(texts, expected) {
                let zeros = String(repeating: "0", count: 24)
                #expect(
                    try TrackBits(writing: text, on: code == .numeric ? .two : .one) == bits(zeros + expected + zeros))
            }
        }
    }

    @Test func refusesWhatCannotBeWritten() {
        #expect(throws: TrackWritingError.code) { try TrackBits(writing: text("A", .alphanumeric), on: .two) }
        #expect(throws: TrackWritingError.character(position: 1)) {
            try TrackBits(writing: text("1A", .numeric), on: .two)
        }
        #expect(throws: TrackWritingError.character(position: 2)) {
            try TrackBits(writing: text("12?", .numeric), on: .two)
        }
        #expect(throws: TrackWritingError.character(position: 0)) {
            try TrackBits(writing: text("%", .alphanumeric), on: .one)
        }
        // ISO/IEC 7811-2: 79, 40 and 107 characters, three of which are sentinels and redundancy
        // check.
        for (track, most) in [(TrackNumber.one, 76), (.two, 37), (.three, 104)] {
            let code = track.codes[0]
            #expect(throws: Never.self) {
                try TrackBits(writing: text(String(repeating: "1", count: most), code), on: track)
            }
            #expect(throws: TrackWritingError.tooLong(maximum: most)) {
                try TrackBits(writing: text(String(repeating: "1", count: most + 1), code), on: track)
            }
        }
    }

    @Test func isBoundedAndSilent() {
        #expect(TrackBits(repeatElement(true, count: 100_000)).count == TrackBits.maximumCount)
        var dumped = ""
        dump(bits("1101"), to: &dumped)
        #expect(!dumped.contains("1101"))
        #expect(!"\(bits("1101"))".contains("1101"))
    }
}
