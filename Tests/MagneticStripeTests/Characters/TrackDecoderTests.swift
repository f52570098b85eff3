import Bytes
import MagneticStripe
import SeededNumbers
import Testing

@Suite struct TrackDecoderTests {
    private let pan = "4761739001010119=49122010000000000"

    private func digits(_ text: String, _ width: Int = 5) throws -> String {
        try #require(try peer(["encode", "\(width)", text]).first)
    }

    private let zeros = String(repeating: "0", count: 20)

    @Test func readsBothWays() throws {
        let written = zeros + (try digits(pan)) + zeros
        #expect(TrackDecoder(.two).read(bits(written)) == .read(text(pan, .numeric), .forward))
        #expect(TrackDecoder(.two).read(bits(String(written.reversed()))) == .read(text(pan, .numeric), .backward))
    }

    /// AAMVA writes track 3 with seven bits, ISO/IEC 4909 with five.
    @Test func tellsTheCodeOfTrack3() throws {
        let numeric = zeros + (try digits("011234567890123445=")) + zeros
        #expect(TrackDecoder(.three).read(bits(numeric)) == .read(text("011234567890123445=", .numeric), .forward))
        let alphanumeric = zeros + (try digits(" 1 78729      C ", 7)) + zeros
        #expect(
            TrackDecoder(.three).read(bits(alphanumeric)) == .read(text(" 1 78729      C ", .alphanumeric), .forward))
        #expect(
            TrackDecoder(.three).read(bits(String(alphanumeric.reversed())))
                == .read(text(" 1 78729      C ", .alphanumeric), .backward))
    }

    @Test func blankAndStrangeTracks() {
        #expect(TrackDecoder(.two).read(bits("")) == .blank)
        #expect(TrackDecoder(.two).read(bits(zeros)) == .blank)
        #expect(TrackDecoder(.two).read(bits(zeros + "111111" + zeros)) == .failed(.noStartSentinel))
    }

    @Test("Character 6 of the track, the start sentinel being 0, loses a bit: bits 30 to 34") func parityErrors() throws
    {
        var damaged = Array(try digits(pan))
        damaged[31] = damaged[31] == "1" ? "0" : "1"
        #expect(
            TrackDecoder(.two).read(bits(zeros + String(damaged) + zeros))
                == .failed(.unreadable(position: 6, count: 1)))
        damaged[52] = damaged[52] == "1" ? "0" : "1"
        #expect(
            TrackDecoder(.two).read(bits(zeros + String(damaged) + zeros))
                == .failed(.unreadable(position: 6, count: 2)))
        #expect(
            TrackDecoder(.two).read(bits(String((zeros + String(damaged) + zeros).reversed())))
                == .failed(.unreadable(position: 6, count: 2)))
    }

    @Test("Two bits of one character leave its parity odd; only the redundancy check tells")
    func redundancyCheckErrors() throws {
        var damaged = Array(try digits(pan))
        for place in [30, 31] { damaged[place] = damaged[place] == "1" ? "0" : "1" }
        #expect(TrackDecoder(.two).read(bits(zeros + String(damaged) + zeros)) == .failed(.redundancyCheck))
        var check = Array(try digits(pan))
        check[check.count - 1] = check[check.count - 1] == "1" ? "0" : "1"
        #expect(TrackDecoder(.two).read(bits(zeros + String(check) + zeros)) == .failed(.redundancyCheck))
    }

    @Test("A track that ends early has no end sentinel") func partialReads() throws {
        let whole = zeros + (try digits(pan))
        // The sentinel and nine characters, then nothing, or the clock alone.
        let part = String(whole.prefix(20 + 50))
        #expect(TrackDecoder(.two).read(bits(part)) == .failed(.noEndSentinel(characters: 10)))
        #expect(TrackDecoder(.two).read(bits(part + zeros)) == .failed(.noEndSentinel(characters: 10)))
        #expect(TrackDecoder(.two).read(bits(String(whole.dropLast(5)))) == .failed(.noRedundancyCheck))
        #expect(TrackDecoder(.two).read(bits(String(whole.dropLast(5)) + zeros)) == .failed(.noRedundancyCheck))
        // The head came down behind the start sentinel; the rest has none.
        #expect(TrackDecoder(.two).read(bits(String(whole.dropFirst(30)) + zeros)).text == nil)
    }

    /// Whichever single bit is wrong, a track is never read as something else, and the clock before
    /// and after it does not matter.
    @Test func noSingleBitPassesUnnoticed() throws {
        let written = Array(zeros + (try digits(pan)) + zeros)
        for place in written.indices {
            var damaged = written
            damaged[place] = damaged[place] == "1" ? "0" : "1"
            let reading = TrackDecoder(.two).read(bits(String(damaged)))
            #expect(reading.text == nil || reading == .read(text(pan, .numeric), .forward), "bit \(place)")
            if place < 12 || place >= written.count - 12 { #expect(reading.text != nil, "bit \(place)") }
        }
    }

    @Test("Bits that never end are looked at up to the limit") func endlessBits() {
        var taken = 0
        let endless = sequence(state: 0) { (_: inout Int) -> Bool? in
            taken += 1
            return taken % 3 == 0
        }
        #expect(TrackBits(endless).count == 2048)
        #expect(taken == 2049)
    }

    @Test("Random bits, and a start sentinel after every run of zeros, end with a reading that has no card number")
    func randomBits() {
        var random = SplitMix(seed: 0xB175)
        for track in TrackNumber.allCases {
            for _ in 0..<300 {
                let count = Int.random(in: 0...3000, using: &random)
                let reading = TrackDecoder(track).read(TrackBits((0..<count).map { _ in Bool.random(using: &random) }))
                #expect((reading.text?.characters.count ?? 0) < 8)
            }
            // A start sentinel after every run of zeros.
            #expect(TrackDecoder(track).read(bits(String(repeating: "000000011010", count: 200))).text == nil)
        }
    }

    @Test func errorsHoldNoCardData() throws {
        var damaged = Array(try digits(pan))
        damaged[31] = damaged[31] == "1" ? "0" : "1"
        let failed = TrackDecoder(.two).read(bits(zeros + String(damaged) + zeros))
        let good = TrackDecoder(.two).read(bits(zeros + (try digits(pan)) + zeros))
        for shown in ["\(failed)", "\(good)", "\(Swipe(track1: failed, track2: good))"] {
            #expect(!shown.contains("4761"))
            #expect(!shown.contains("0119"))
        }
        #expect(Swipe(track1: failed, track2: good).description.contains("character 7"))
    }
}
