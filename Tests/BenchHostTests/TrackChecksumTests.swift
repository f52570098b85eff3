import Bytes
import CardCryptography
import Testing
import VirtualCard

@testable import BenchHost

/// The issuer's side of mag-stripe mode, with the published personalisation of
/// `Vectors/contactless/mastercard-cvc3.json`: counter 0001, unpredictable number 899, code 50718.
@Suite struct TrackChecksumTests {
    private func checksum(
        _ track: String = "5413123456784800=09061019001998997183", key: String = "01234567899876543210012345678998",
        positions: ChecksumPositions = ChecksumPositions()
    ) throws -> TrackChecksum? {
        TrackChecksum(
            track: SecretBytes(track.utf8), panSequenceNumber: 0, positions: positions,
            masterKey: try CardKey(SecretBytes([UInt8](hex: key)), .tdes))
    }

    @Test func thePublishedCode() throws {
        #expect(try checksum()?.counter(after: nil) == 1)
        #expect(try checksum()?.counter(after: 0) == 1)
        // The next counter that ends with 001 is 1001, for which the card gives another code.
        #expect(try checksum()?.counter(after: 1) == nil)
    }

    @Test("One digit of code, counter, number or account makes it another's") func everyDigitCounts() throws {
        for track in [
            "5413123456784800=09061019001998997193", "5413123456784800=09061019002998997183",
            "5413123456784800=09061019001998987183",
            "5413123456784818=09061019001998997183",
        ] { #expect(try checksum(track)?.counter(after: nil) == nil) }
        #expect(try checksum(key: "11234567899876543210012345678998")?.counter(after: nil) == nil)
    }

    @Test func tracksWithoutRoom() throws {
        #expect(
            try checksum("5413123456784800=09061019001998997187") == nil, "the last digit is not the number of digits")
        #expect(try checksum("5413123456784800=09061013") == nil)
        #expect(try checksum("5413123456784800") == nil)
        #expect(try checksum("5413123456784800=0906101900199899718A") == nil)
        #expect(try checksum(positions: ChecksumPositions(code: 0x800E)) == nil)
    }
}
