import Bytes
import CardCryptography
import DeviceIO
import MagneticStripe
import SmartCard
import Testing

@testable import CardCapture
@testable import CardReaders

/// The swipe of the example in the SecureMag manual (80096504-001, "Security Level 3 Decryption -
/// Original Encryption Format"; the same stands in the manual of the Unitech MS246, 8.6.1). Its key
/// is the ANSI test key.
enum IDTechSample {
    static let ksn = "62994901190000000001"
    /// SHA-256 of the first two tracks as the manual prints them, without sentinels: the manual's
    /// card is not a test card, so its number does not stand here.
    static let digests: [TrackNumber: String] = [
        .one: "72BC6C014A4EA281389721E8BC333BBAB15402E43F0F6D6C7049E6DCAF1835F7",
        .two: "63D210700F0E2B17531D03ED5EFA5761B45842EA150D7472B19FDAFCF4983790",
    ]
    static let track3 =
        "33333333337676760707077676763333333333767676070707767676333333333376767607070776767633333333337676760707"

    static let original = """
        027D01003F48236B252A343236362A2A2A2A2A2A2A2A393939395E42555348204A522F47454F52474520572E4D525E2A2A2A2A2A2A2A2A2A2A2A2A2A2A2A2A2A2\
        A2A2A2A2A2A2A2A2A2A2A2A2A2A3F2A3B343236362A2A2A2A2A2A2A2A393939393D2A2A2A2A2A2A2A2A2A2A2A2A2A2A2A3F2A3B3333333333333333333337\
        363736373630373037303737363736373633333333333333333333373637363736303730373037373637363736333333333333333333333736373637363037303730\
        3737363736373633333333333333333333373637363736303730373F32863E9E3DA28E455B28F7736B77E47A64EDDA3BF03A06E44F31D1818C0BCD7A353FB1AD\
        70EFD30FFC3DA08A4FBC9372E57E8B40848BAEAA3FE724B3550E2F4B223E6BF264BEAE9E39142B648CDB51FB8DAF8EA5B63913D29419B67582FCCCE9B3726\
        60F03668CC453216D9449C6B67EF33418AC88F65E1DB7ED4D10973F99DFC8463FF6DF113B6226C4898A9D355057ECAF11A5598F02CA3162994901190000\
        000001399F03
        """

    /// Each track for itself, right-padded with zeros, under the data key of the same serial
    /// number: made with Python's cryptography package.
    static let tdes = [
        "863E9E3DA28E455B28F7736B77E47A64EDDA3BF03A06E44F31D1818C0BCD7A353FB1AD70EFD30FFC3DA08A4FBC9372E57E8B40848BAEAA3FE724B3550E2F4B223E6BF264BEAE9E39",
        "337D55FC3AA04D55E5632B7E96DE6442FB9AFFAF47943C6A7739EF3FB77A49DF68E5969F5D399892",
    ]
    static let aes = [
        "1040D2C3AC08EAA9AE59E6BD48094118B73F1556EFE5B0117816B8A16F593756C3A3906412F102B1337E6E25A3FE398CAFAB8D66234E3A8C280FC0230655E3AF2C29B2175E049CA01A5B22A7F0CE921A",
        "8C82A73323531EAD1A76E5A0C807900400AAAAA32402FA659D95AB89B74E6E631D5DBC6F1B1CE5795622846C64390B63",
    ]
    static let masked = [
        "%*4266********9999^BUSH JR/GEORGE W.MR^*******************************?*",
        ";4266********9999=***************?*",
    ]

    static func baseKey() throws -> TDESKey {
        try TDESKey(SecretBytes([UInt8](hex: "0123456789ABCDEFFEDCBA9876543210")))
    }

    /// The enhanced format (80000502-001): a payment card whose third track is in the clear.
    static func enhanced(
        _ ciphertexts: [String], shown: UInt8 = 0x07, protected: UInt8 = 0x83, status: UInt8 = 0x3F,
        options: [UInt8] = [],
        behindTracks: String = "", tail: String = ""
    ) throws -> [UInt8] {
        let clear = ";\(track3)?2"
        var data: [UInt8] = [0x80, status, 72, 35, UInt8(clear.utf8.count), shown, protected] + options
        data += Array((masked[0] + masked[1] + clear).utf8)
        for ciphertext in ciphertexts { data += try [UInt8](hex: ciphertext) }
        data += try [UInt8](hex: behindTracks + ksn + tail)
        return data
    }
}

@Suite(.serialized) struct IDTechSwipeTests {
    private func decrypted(_ swipe: IDTechSwipe) throws -> Swipe {
        try SwipeDecryption([.tdesBase(IDTechSample.baseKey())]).open(
            CapturedSwipe(tracks: swipe.tracks, encrypted: swipe.encrypted)
        )
        .tracks
    }

    private func expectTracks(_ tracks: Swipe, sourceLocation: SourceLocation = #_sourceLocation) {
        #expect(digest(tracks.track1) == IDTechSample.digests[.one], sourceLocation: sourceLocation)
        #expect(digest(tracks.track2) == IDTechSample.digests[.two], sourceLocation: sourceLocation)
        #expect(text(tracks.track3) == IDTechSample.track3, sourceLocation: sourceLocation)
    }

    @Test func publishedOriginalFormat() throws {
        let data = try #require(try SwipeEnvelope.unwrap([UInt8](hex: IDTechSample.original)))
        #expect(data.count == 0x17D)
        let swipe = try IDTechSwipe(parsing: data)
        let encrypted = try #require(swipe.encrypted)
        #expect(encrypted.ksn.hex == IDTechSample.ksn)
        #expect(encrypted.lengths == [.one: 72, .two: 35])
        #expect(encrypted.joined?.tracks == [.one, .two])
        #expect(encrypted.joined?.ciphertext.count == 112)
        #expect(encrypted.maskedPAN == "4266********9999")
        #expect(encrypted.cardholderName == "BUSH JR/GEORGE W.MR")
        #expect(encrypted.expiry == nil)
        #expect(swipe.hashes.mapValues(\.count) == [.one: 20, .two: 20])
        #expect(swipe.sessionID == nil)
        #expect(!swipe.tracks.track1.isRead)
        #expect(!swipe.tracks.track2.isRead)
        expectTracks(try decrypted(swipe))
    }

    @Test func enhancedFormatWithTDES() throws {
        let swipe = try IDTechSwipe(parsing: IDTechSample.enhanced(IDTechSample.tdes))
        #expect(swipe.encrypted?.cipher == .tdes)
        #expect(swipe.encrypted?.keyUse == .dataVariant)
        #expect(swipe.encrypted?.ciphertexts.keys.sorted { $0.rawValue < $1.rawValue } == [.one, .two])
        #expect(swipe.encrypted?.maskedPAN == "4266********9999")
        expectTracks(try decrypted(swipe))
    }

    @Test func enhancedFormatWithAES() throws {
        let swipe = try IDTechSwipe(parsing: IDTechSample.enhanced(IDTechSample.aes, shown: 0x17))
        #expect(swipe.encrypted?.cipher == .aes)
        expectTracks(try decrypted(swipe))
    }

    /// Session identifier, hashes, serial number and MAC lie around the key serial number in the
    /// order of 80000502-001, fields 18 to 26.
    @Test func everythingAroundTheTracks() throws {
        let (session, hash1, hash2) = (
            "0102030405060708", String(repeating: "A1", count: 32), String(repeating: "B2", count: 32)
        )
        let serial = Array("T123456789".utf8).hex
        let data = try IDTechSample.enhanced(
            IDTechSample.tdes, shown: 0x87, protected: 0xDB, status: 0x7F, options: [1, 0x21],
            behindTracks: session + hash1 + hash2 + serial,
            tail: "0010" + String(repeating: "CC", count: 26))
        let swipe = try IDTechSwipe(parsing: data)
        #expect(swipe.sessionID?.hex == session)
        #expect(swipe.hashes.mapValues(\.hex) == [.one: hash1, .two: hash2])
        #expect(swipe.encrypted?.serialNumber == "T123456789")
        #expect(swipe.encrypted?.ksn.hex == IDTechSample.ksn)
        expectTracks(try decrypted(swipe))
    }

    @Test func thePINVariantIsSaid() throws {
        #expect(
            try IDTechSwipe(parsing: IDTechSample.enhanced(IDTechSample.tdes, shown: 0x47)).encrypted?.keyUse
                == .pinVariant)
    }

    @Test func otherSchemesAreRefused() throws {
        for data in [
            try IDTechSample.enhanced(IDTechSample.tdes, status: 0x7F, options: [1, 0x02]),
            // Fixed key management: bit 3 of field 8.
            try IDTechSample.enhanced(IDTechSample.tdes, shown: 0x0F),
        ] {
            #expect(throws: DeviceError.rejected(.keyManagementNotDUKPT)) {
                try IDTechSwipe(parsing: data)
            }
        }
    }

    /// Cards that are not payment cards come in the clear in the original format; a track that was
    /// not decoded is said to be bad.
    @Test func clearTracks() throws {
        let swipe = try IDTechSwipe(parsing: [0x03, 0x3A, 0, 8, 0] + Array(";12345?4".utf8))
        #expect(text(swipe.tracks.track2) == "12345")
        #expect(swipe.tracks.track1 == .failed(.saidByReader))
        #expect(swipe.tracks.track3 == .failed(.saidByReader))
        #expect(swipe.encrypted == nil)
    }

    @Test("Every shorter and every longer swipe is refused, and none reads past its end") func cutAndLengthened() throws
    {
        for data in [
            try IDTechSample.enhanced(IDTechSample.tdes),
            try #require(try SwipeEnvelope.unwrap([UInt8](hex: IDTechSample.original))),
        ] {
            for count in 0..<data.count {
                let part = Array(data.prefix(count))
                #expect(throws: DeviceError.self) { try IDTechSwipe(parsing: part) }
            }
            #expect(throws: DeviceError.malformed(.idTechSwipe, .excessBytes)) { try IDTechSwipe(parsing: data + [0]) }
        }
    }
}

extension TrackReading {
    fileprivate var isRead: Bool { text != nil }
}

@Suite(.serialized) struct SwipeEnvelopeTests {
    @Test("80096504: exclusive or 39 and sum 9F close the example") func publishedChecks() throws {
        let bytes = try [UInt8](hex: IDTechSample.original)
        let data = try #require(try SwipeEnvelope.unwrap(bytes))
        #expect(SwipeEnvelope.wrap(data) == bytes)
        #expect(try SwipeEnvelope.unwrap(bytes + [1, 2, 3]) == data)
        for count in 0..<bytes.count { #expect(try SwipeEnvelope.unwrap(Array(bytes.prefix(count))) == nil) }
    }

    @Test("Each changed byte of a swipe is noticed") func changedBytes() throws {
        let bytes = SwipeEnvelope.wrap(Array("data".utf8))
        for index in bytes.indices where index != 1 && index != 2 {
            var changed = bytes
            changed[index] ^= 0x10
            #expect(throws: DeviceError.self) { try SwipeEnvelope.unwrap(changed) }
        }
        #expect(throws: DeviceError.malformed(.idTechSwipe, .tooLong(65535))) {
            try SwipeEnvelope.unwrap([2, 0xFF, 0xFF])
        }
    }

    @Test func whatMayBeShown() throws {
        let bytes = try [UInt8](hex: IDTechSample.original)
        for cut in 1..<bytes.count {
            for part in [Array(bytes[..<cut]), Array(bytes[cut...])] {
                #expect(SwipeEnvelope.redaction(.received, .stream, part) == [0..<part.count])
            }
        }
        #expect(SwipeEnvelope.redaction(.sent, .stream, [2, 3]).isEmpty)
    }
}

@Suite(.serialized) struct SecureSwipeReaderTests {
    private static func descriptor() throws -> HIDReportDescriptor {
        try HIDReportDescriptor(parsing: [UInt8](hex: "0600FF0901A101750895400920810209209540B102C0"))
    }

    private func overHID(_ device: EmulatedDevice) throws -> SecureSwipeReader {
        let reports = try Self.descriptor()
        return try SecureSwipeReader(name: "SecureMag", capabilities: .magneticStripe) { cancel throws(DeviceError) in
            SecureSwipe(EmulatedReports(device, cancel, reports: reports))
        }
    }

    @Test("Text that never ends is not collected for ever") func endless() async throws {
        let device = try EmulatedDevice(.stream)
        let reader = try serial(device)
        let text = [UInt8(ascii: "%")] + [UInt8](repeating: 0x41, count: 8000)
        let error = await #expect(throws: CaptureError.self) { _ = try await swipe(reader, device, [text]) }
        guard case .readerFailed(.driver(let failure)) = error,
            case .malformed(.idTechSwipe, .tooLong) = failure.cause as? DeviceError
        else {
            return #expect(Bool(false), "\(String(describing: error))")
        }
    }

    private func serial(_ device: EmulatedDevice) throws -> SecureSwipeReader {
        try SecureSwipeReader(name: "SecureMag", capabilities: .magneticStripe) { cancel throws(DeviceError) in
            SecureSwipe(EmulatedLine(device, cancel))
        }
    }

    private func swipe(_ reader: SecureSwipeReader, _ device: EmulatedDevice, _ parts: [[UInt8]]) async throws
        -> CapturedSwipe
    {
        let swipe = Task { try await reader.swipe() }
        await device.awaitDriver()
        for part in parts { device.send(part) }
        return try await swipe.value
    }

    private func parts(_ bytes: [UInt8], _ size: Int) -> [[UInt8]] {
        stride(from: 0, to: bytes.count, by: size).map { Array(bytes[$0..<min($0 + size, bytes.count)]) }
    }

    @Test func reportsAndPieces() async throws {
        let bytes = try [UInt8](hex: IDTechSample.original)
        let reported = try EmulatedDevice(.packets)
        #expect(try await swipe(overHID(reported), reported, [bytes]).encrypted?.ksn.hex == IDTechSample.ksn)
        let split = try EmulatedDevice(.packets)
        #expect(try await swipe(overHID(split), split, parts(bytes, 64)).encrypted?.ksn.hex == IDTechSample.ksn)
        let line = try EmulatedDevice(.stream)
        #expect(try await swipe(serial(line), line, parts(bytes, 7)).encrypted?.ksn.hex == IDTechSample.ksn)
    }

    @Test func textOfAReaderThatDoesNotEncipher() async throws {
        let line = try EmulatedDevice(.stream)
        let taken = try await swipe(serial(line), line, [Array(";4761739001010119=49".utf8), Array("12201?\r".utf8)])
        #expect(text(taken.tracks.track2) == "4761739001010119=4912201")
    }

    @Test("A swipe with a wrong check is refused") func wrongChecks() async throws {
        let device = try EmulatedDevice(.packets)
        var bytes = try [UInt8](hex: IDTechSample.original)
        bytes[100] ^= 1
        let (reader, broken) = (try overHID(device), bytes)
        let error = await #expect(throws: CaptureError.self) { try await swipe(reader, device, [broken]) }
        #expect(error == .readerFailed(.driver(DeviceError.malformed(.idTechSwipe, .wrongChecksum))))
    }

    @Test("The line loses bytes: the swipe never ends, and the next one is whole again") func lostBytes() async throws {
        let line = try EmulatedDevice(.stream)
        let reader = try serial(line)
        let bytes = try [UInt8](hex: IDTechSample.original)
        let error = await #expect(throws: CaptureError.self) {
            try await swipe(reader, line, [Array(bytes.dropLast(20))])
        }
        #expect(error == .readerFailed(.driver(DeviceError.timedOut)))
        #expect(try await swipe(reader, line, [bytes]).encrypted?.ksn.hex == IDTechSample.ksn)
    }

    @Test func unpluggedHalfWay() async throws {
        let line = try EmulatedDevice(.stream)
        let reader = try serial(line)
        var events = reader.events.stream().makeAsyncIterator()
        let swipe = Task { try await reader.swipe() }
        #expect(await events.next() == .connected)
        line.send(Array(try [UInt8](hex: IDTechSample.original).prefix(50)))
        line.unplug()
        await #expect(throws: CaptureError.readerFailed(.driver(DeviceError.disconnected))) {
            _ = try await swipe.value
        }
        #expect(await events.next() == .disconnected(.unplugged))
    }
}
