import Bytes
import DeviceIO
import MagneticStripe
import Testing

@testable import CardCapture
@testable import CardReaders

@Suite(.serialized) struct MSR605SwipeTests {
    /// MSR605 programmer's manual, section 7: `%ABC123?` and `;12345?` as codes with their
    /// redundancy checks.
    static let raw = "1B731B0109456162235152131F2A1B02080B01021304151F151B0300" + "3F1C1B30"
    static let characters = Array("\u{1B}s\u{1B}\u{1}%ABC123?\u{1B}\u{2};12345?\u{1B}\u{3}\u{1B}+?\u{1C}\u{1B}0".utf8)

    @Test("The example of the manual is decoded") func publishedCodes() throws {
        let swipe = try #require(try MSR605Swipe.parse([UInt8](hex: Self.raw), raw: true))
        #expect(text(swipe.tracks.track1) == "ABC123")
        #expect(text(swipe.tracks.track2) == "12345")
        #expect(swipe.tracks.track3 == .blank)
        #expect(swipe.status == .done)
    }

    @Test func charactersOfTheReader() throws {
        let swipe = try #require(try MSR605Swipe.parse(Self.characters, raw: false))
        #expect(text(swipe.tracks.track1) == "ABC123")
        #expect(text(swipe.tracks.track2) == "12345")
        #expect(swipe.tracks.track3 == .blank)
    }

    /// Section 7: a card with track 2 only; tracks without data have nothing behind their number,
    /// and may not be there at all.
    @Test func trackTwoOnly() throws {
        let absent = Array("\u{1B}s\u{1B}\u{1}\u{1B}\u{2};12345??\u{1C}\u{1B}1".utf8)
        let swipe = try #require(try MSR605Swipe.parse(absent, raw: false))
        #expect(swipe.tracks.track1 == .blank)
        #expect(swipe.tracks.track3 == .blank)
        #expect(text(swipe.tracks.track2) == "12345")
        #expect(swipe.status == .readWriteError)
        let unreadable = Array("\u{1B}s\u{1B}\u{1}\u{1B}*\u{1B}\u{3}?\u{1C}\u{1B}0".utf8)
        #expect(try MSR605Swipe.parse(unreadable, raw: false)?.tracks.track1 == .failed(.saidByReader))
    }

    @Test("However the bytes come in, the answer is the same, and is there with the last of them only")
    func byteByByte() throws {
        for (bytes, raw) in [(try [UInt8](hex: Self.raw), true), (Self.characters, false)] {
            for count in 0..<bytes.count {
                #expect(try MSR605Swipe.parse(Array(bytes.prefix(count)), raw: raw) == nil)
            }
            #expect(try MSR605Swipe.parse(bytes, raw: raw) != nil)
        }
    }

    @Test("A flipped bit costs its track") func wrongParity() throws {
        var bytes = try [UInt8](hex: Self.raw)
        bytes[7] ^= 0x01
        let swipe = try #require(try MSR605Swipe.parse(bytes, raw: true))
        #expect(swipe.tracks.track1.error == .unreadable(position: 2, count: 1))
        #expect(text(swipe.tracks.track2) == "12345")
    }

    @Test(
        "Bytes that are not an answer are refused",
        arguments: ["00", "1B72", "1B731B04", "1B731B02001B0100", "1B7330", "1B731B01003F1D", "1B733F1C1B00"])
    func noAnswers(_ hex: String) throws {
        let bytes = try [UInt8](hex: hex)
        #expect(throws: DeviceError.self) { try MSR605Swipe.parse(bytes, raw: true) }
    }

    @Test("an answer that is too long is refused") func endless() {
        let bytes = Array("\u{1B}s\u{1B}\u{1}%".utf8) + [UInt8](repeating: 0x41, count: 2000)
        #expect(throws: DeviceError.malformed(.msr605Answer, .tooLong(bytes.count))) {
            try MSR605Swipe.parse(bytes, raw: false)
        }
    }

    @Test func whatMayBeShown() throws {
        let bytes = try [UInt8](hex: Self.raw)
        for cut in 1..<bytes.count {
            for part in [Array(bytes[..<cut]), Array(bytes[cut...])] {
                #expect(MSR605Swipe.redaction(.received, .stream, part) == [0..<part.count])
            }
        }
        let (read, write) = (try MSR605Command.readRaw.bytes, try MSR605Command.writeRaw([[0x45]]).bytes)
        #expect(MSR605Swipe.redaction(.sent, .stream, read) == [2..<2])
        #expect(MSR605Swipe.redaction(.sent, .stream, write) == [2..<write.count])
        // The reports of an MSR605X cut what is to be written.
        for report in MSR605XPacking.reports(try MSR605Command.writeRaw([[UInt8](repeating: 0x1B, count: 70)]).bytes) {
            let packet = report.revealed()
            #expect(MSR605Swipe.redaction(.sent, .report(0), packet) == [0..<packet.count])
        }
    }
}

@Suite(.serialized) struct MSR605CommandTests {
    @Test("MSR605 programmer's manual, section 6") func letters() throws {
        #expect(try MSR605Command.reset.bytes.hex == "1B61")
        #expect(try MSR605Command.communicationTest.bytes.hex == "1B65")
        #expect(try MSR605Command.read.bytes.hex == "1B72")
        #expect(try MSR605Command.readRaw.bytes.hex == "1B6D")
        #expect(try MSR605Command.lights(.green).bytes.hex == "1B83")
        #expect(
            try MSR605Command.writeRaw([[0x0B, 0x1F], [], [0x15]]).bytes.hex == "1B6E1B731B01020B1F1B02001B0301153F1C")
    }

    @Test("The length of a track is one byte") func longTracks() throws {
        let most = [UInt8](repeating: 1, count: 255)
        #expect(try MSR605Command.writeRaw([most]).bytes.count == 4 + 3 + 255 + 2)
        #expect(throws: DeviceError.rejected(.trackTooLong(256))) {
            try MSR605Command.writeRaw([most + [1]]).bytes
        }
    }
}

@Suite(.serialized) struct MSR605XStreamTests {
    @Test("reports are packed and unpacked") func packets() {
        let one = MSR605XPacking.reports([0x1B, 0x61]).map { $0.revealed() }
        #expect(one.count == 1 && one[0].count == 64)
        #expect(Array(one[0].prefix(4)) == [0xC2, 0x1B, 0x61, 0x00])
        let three = MSR605XPacking.reports([UInt8](repeating: 7, count: 130)).map { $0.revealed() }
        let headers: [UInt8] = three.map { $0[0] }
        #expect(headers == [0x80 | 63, 63, 0x40 | 4])
        #expect(MSR605XPacking.reports([UInt8](repeating: 7, count: 63)).map { $0.revealed()[0] } == [0xC0 | 63])
    }

    @Test("Reports of a wrong length are refused") func hostileReports() {
        for bytes: [UInt8] in [[], [0xC1], [0xFF, 1, 2]] {
            var packing = MSR605XPacking()
            #expect(throws: DeviceError.malformed(.msr605Report, .wrongLength(bytes.count))) {
                try packing.bytes(of: HIDReport(bytes))
            }
        }
    }
}
