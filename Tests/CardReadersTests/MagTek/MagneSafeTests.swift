import Bytes
import CardCapture
import CardCryptography
import CardReaders
import DeviceIO
import MagneticStripe
import SmartCard
import Synchronization
import Testing

@Suite(.serialized) struct MagneSafeTests {
    @Test("D99875475, appendix D: an HID swipe at security level 3 under the ANSI test key") func encipheredSwipe()
        throws
    {
        let report = try MagneSafeReport(parsing: MagTekSample.report())
        #expect(report.status == [.hasKey, .enciphers])
        #expect(report.ksn.hex == MagTekSample.ksn)
        #expect(report.serialNumber == "B000795")
        #expect(report.sessionID.hex == "21685F158B5C6BE0")
        #expect(!report.tracks.isReadable)
        let encrypted = try #require(report.encrypted)
        #expect(encrypted.ciphertexts.mapValues(\.hex) == MagTekSample.ciphertexts)
        #expect(encrypted.lengths == [.one: 60, .two: 37, .three: 31])
        #expect(encrypted.cipher == .tdes)
        #expect(encrypted.keyUse == .pinVariant)

        let opened = try SwipeDecryption([.tdesBase(MagTekSample.baseKey())]).open(CapturedSwipe(encrypted: encrypted))
        #expect(digest(opened.tracks.track1) == MagTekSample.digests[.one])
        #expect(digest(opened.tracks.track2) == MagTekSample.digests[.two])
        #expect(digest(opened.tracks.track3) == MagTekSample.digests[.three])
    }

    /// The zeros that the reader puts in the place of digits are not shown as the card's digits.
    @Test func whatTheMaskedTracksShow() throws {
        let encrypted = try #require(MagneSafeReport(parsing: MagTekSample.report()).encrypted)
        #expect(encrypted.masked[.two] == ";5452********7189=0804**************?")
        #expect(encrypted.masked[.one]?.hasPrefix("%B5452********7189^HOGAN/PAUL      ^0804*") == true)
        #expect(encrypted.maskedPAN == "5452********7189")
        #expect(encrypted.expiry == "0804")
        #expect(encrypted.cardholderName == "HOGAN/PAUL")
    }

    @Test(
        "D99875475, appendix D: the same card at security level 2, where the fields of the ciphertext hold the tracks")
    func clearSwipe()
        throws
    {
        let report = try MagneSafeReport(parsing: MagTekSample.report(status: 0, clear: true))
        #expect(report.encrypted == nil)
        #expect(text(report.tracks.track1) == MagTekSample.clearTracks[.one])
        #expect(text(report.tracks.track2) == MagTekSample.clearTracks[.two])
        #expect(text(report.tracks.track3) == MagTekSample.clearTracks[.three])
    }

    @Test func aTrackThatCouldNotBeDecoded() throws {
        let report = try MagneSafeReport(parsing: MagTekSample.report(failedTracks: [.one]))
        #expect(report.tracks.track1 == .failed(.saidByReader))
        #expect(report.encrypted?.ciphertexts.count == 2)
    }

    @Test func olderFirmwareSendsLess() throws {
        let whole = try MagTekSample.report()
        #expect(try MagneSafeReport(parsing: Array(whole.prefix(856))).encryptionCounter == nil)
        #expect(try MagneSafeReport(parsing: whole).encryptionCounter == 0)
        #expect(throws: DeviceError.malformed(.magneSafeReport, .tooShort(855))) {
            try MagneSafeReport(parsing: Array(whole.prefix(855)))
        }
        #expect(throws: DeviceError.malformed(.magneSafeReport, .tooShort(0))) { try MagneSafeReport(parsing: []) }
    }

    @Test func tracksLongerThanTheirPlaces() throws {
        for offset in [3, 5, 505, 507] {
            var bytes = try MagTekSample.report()
            bytes[offset] = 113
            #expect(throws: DeviceError.malformed(.magneSafeTrack, .tooLong(113))) {
                try MagneSafeReport(parsing: bytes)
            }
        }
    }

    @Test func whatMayBeShown() throws {
        let bytes = try MagTekSample.report()
        let event = WireEvent(
            .received, .report(0), bytes: bytes, hidden: MagneSafeReport.redaction(.received, .report(0), bytes))
        let line = "\(event)"
        #expect(line.contains(MagTekSample.ksn))
        for secret in Array(MagTekSample.ciphertexts.values) + MagTekSample.masked.values.map({ Array($0.utf8).hex }) {
            #expect(!line.contains(secret))
        }
        #expect(
            MagneSafeReport.redaction(.received, .report(0), [UInt8](repeating: 0, count: 400)) == [7..<343, 349..<400])
    }
}

@Suite(.serialized) struct MagneSafeCommandTests {
    /// D99875475, examples of the commands: property 10 asked for, level asked for, level 3
    /// answered, key serial number answered.
    @Test("Commands are encoded as in the examples of the manual") func publishedExamples() throws {
        #expect(try MagneSafeCommand.property(.interface).encoded(length: 24).prefix(4).hex == "00011000")
        #expect(try MagneSafeCommand.setProperty(.interface, [0]).encoded(length: 24).prefix(4).hex == "01021000")
        #expect(
            try MagneSafeCommand.setProperty(.usbSerialNumber, Array("1234".utf8)).encoded(length: 24).prefix(7).hex
                == "01050131323334")
        #expect(try MagneSafeCommand.reset.encoded(length: 24).prefix(2).hex == "0200")
        #expect(try MagneSafeCommand.securityLevel.encoded(length: 60) == [0x15] + [UInt8](repeating: 0, count: 59))
        #expect(try MagneSafeResponse(parsing: [UInt8](hex: "000103")).data == [3])
        #expect(
            try MagneSafeResponse(parsing: [UInt8](hex: "000AFFFF9876543210E00002")).data.hex == "FFFF9876543210E00002")
        #expect(try MagneSafeResponse(parsing: [UInt8](hex: "0700")).result == .unauthorized)
    }

    @Test func dataThatDoNotFit() {
        #expect(throws: DeviceError.rejected(.dataTooLong(maximum: 22))) {
            try MagneSafeCommand(0x01, [UInt8](repeating: 0, count: 23)).encoded(length: 24)
        }
        #expect(throws: DeviceError.rejected(.dataTooLong(maximum: 0))) {
            try MagneSafeCommand(0x01, [0]).encoded(length: 0)
        }
    }

    @Test("Truncated answers are refused") func shortAnswers() {
        for bytes: [UInt8] in [[], [0], [0, 1], [0, 0xFF, 1, 2]] {
            #expect(throws: DeviceError.malformed(.magneSafeAnswer, .truncated)) {
                try MagneSafeResponse(parsing: bytes)
            }
        }
    }
}

/// The driver against a reader that answers feature reports as the test says.
@Suite(.serialized) struct MagneSafeReaderTests {
    /// Usage page FF00, an input report of 887 bytes and a feature report of 24.
    private static let descriptor: [UInt8] = [
        0x06, 0x00, 0xFF, 0x09, 0x01, 0xA1, 0x01, 0x75, 0x08, 0x96, 0x77, 0x03, 0x09, 0x20, 0x81, 0x02, 0x95, 0x18,
        0x09, 0x20, 0xB1, 0x02,
        0xC0,
    ]
    private static let keyboard: [UInt8] = [
        0x05, 0x01, 0x09, 0x06, 0xA1, 0x01, 0x75, 0x08, 0x95, 0x08, 0x05, 0x07, 0x09, 0x01, 0x81, 0x02, 0x06, 0x00,
        0xFF, 0x95, 0x18, 0x09,
        0x20, 0xB1, 0x02,
        0xC0,
    ]

    /// What was set, and the answers that are due.
    private final class Features: Sendable {
        let state: Mutex<(set: [[UInt8]], answers: [[UInt8]])>
        init(_ answers: [[UInt8]]) { state = Mutex(([], answers)) }

        func handle(_ feature: EmulatedFeature) throws(DeviceError) -> [UInt8] {
            let answer: [UInt8]? = state.withLock { state in
                switch feature {
                case .set(let bytes):
                    state.set.append(bytes)
                    return []
                case .get: return state.answers.isEmpty ? nil : state.answers.removeFirst()
                }
            }
            guard let answer else { throw .stalled }
            return answer
        }

        var set: [[UInt8]] { state.withLock { $0.set } }
    }

    private func reader(
        _ device: EmulatedDevice, answers: [String] = [], descriptor: [UInt8] = Self.descriptor
    ) throws -> (MagneSafeReader, Features) {
        let features = Features(try answers.map { try [UInt8](hex: $0) })
        let reports = try HIDReportDescriptor(parsing: descriptor)
        let reader = try MagneSafeReader(name: "MagneSafe", capabilities: MagneSafe.capabilities) {
            cancel throws(DeviceError) in
            let transport = EmulatedReports(device, cancel, reports: reports) { feature throws(DeviceError) in
                try features.handle(feature)
            }
            return MagneSafe(transport, cancel: cancel)
        }
        return (reader, features)
    }

    @Test("commands are encoded as feature reports") func commands() async throws {
        let (reader, features) = try reader(
            EmulatedDevice(.packets), answers: ["000103", "000AFFFF9876543210E00002", "000742303030373935"])
        #expect(try await reader.perform { source throws(DeviceError) in try source.securityLevel() } == .enciphered)
        #expect(
            try await reader.perform { source throws(DeviceError) in try source.keySerialNumber() }.hex
                == "FFFF9876543210E00002")
        #expect(
            try await reader.perform { source throws(DeviceError) in try source.property(.serialNumber) }
                == Array("B000795".utf8))
        #expect(features.set.map { Array($0.prefix(3)).hex } == ["150000", "090000", "000103"])
        #expect(features.set.allSatisfy { $0.count == 24 })
    }

    @Test(
        "Each status of the reader is its refusal",
        arguments: [
            ("0200", DeviceError.Refusal.propertyNotSupported),
            ("0500", .authenticationDelay),
            ("0700", .notAuthenticated),
            ("4200", .status("66")),
        ])
    func refusedCommands(_ answer: String, _ refusal: DeviceError.Refusal) async throws {
        let (reader, _) = try reader(EmulatedDevice(.packets), answers: [answer])
        await #expect(throws: CaptureError.readerFailed(.driver(DeviceError.rejected(refusal)))) {
            _ = try await reader.perform { source throws(DeviceError) in try source.property(.trackEnable) }
        }
    }

    @Test func levelsAndSerialNumbersThatAreNone() async throws {
        let (reader, _) = try reader(EmulatedDevice(.packets), answers: ["000109", "0000", "0003FFFFFF"])
        for _ in 0..<2 {
            await #expect(
                throws: CaptureError.readerFailed(.driver(DeviceError.malformed(.magneSafeSecurityLevel, .invalid)))
            ) {
                _ = try await reader.perform { source throws(DeviceError) in try source.securityLevel() }
            }
        }
        await #expect(
            throws: CaptureError.readerFailed(.driver(DeviceError.malformed(.magneSafeKeySerialNumber, .tooShort(3))))
        ) {
            _ = try await reader.perform { source throws(DeviceError) in try source.keySerialNumber() }
        }
    }

    @Test("A swipe has ciphertexts and key serial number") func aSwipe() async throws {
        let device = try EmulatedDevice(.packets)
        let (reader, _) = try reader(device)
        let swipe = try await sending(MagTekSample.report(), from: device) { try await reader.swipe() }
        #expect(swipe.encrypted?.ksn.hex == MagTekSample.ksn)
        #expect(swipe.isReadable)
    }

    @Test(
        "Nothing enciphered comes at level 4 without authentication, or when the keys are at their end: the reader says why",
        arguments: [
            (UInt16(0x0007), DeviceError.Refusal.keysExhausted),
            (UInt16(0x0106), .keysExhausted),
            (UInt16(0x000E), .securityLevel4),
        ])
    func nothingEnciphered(_ status: UInt16, _ refusal: DeviceError.Refusal) async throws {
        let device = try EmulatedDevice(.packets)
        let (reader, _) = try reader(device)
        let report =
            [UInt8](repeating: 0, count: 493) + [UInt8(status >> 8), UInt8(status & 0xFF)]
            + [UInt8](repeating: 0, count: 392)
        let error = await #expect(throws: CaptureError.self) {
            try await sending(report, from: device) { try await reader.swipe() }
        }
        #expect(error == .readerFailed(.driver(DeviceError.rejected(refusal))))
    }

    @Test("A reader in keyboard mode is refused, and can be set to HID mode") func keyboardMode() async throws {
        let device = try EmulatedDevice(.packets)
        let (reader, features) = try reader(device, answers: ["0000"], descriptor: Self.keyboard)
        await #expect(throws: CaptureError.readerFailed(.driver(DeviceError.rejected(.keyboardMode)))) {
            _ = try await reader.swipe()
        }
        try await reader.perform { source throws(DeviceError) in try source.leaveKeyboardMode() }
        #expect(features.set.map { Array($0.prefix(4)).hex } == ["01021000", "02000000"])
    }

    @Test("Cancelled before it begins, a command is not sent; the next one is") func cancelling() async throws {
        let (reader, features) = try reader(EmulatedDevice(.packets), answers: ["000103"])
        let task = Task {
            unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
            return try await reader.perform { source throws(DeviceError) in try source.securityLevel() }
        }
        await #expect(throws: CaptureError.cancelled) { _ = try await task.value }
        #expect(features.set.isEmpty)
        #expect(try await reader.perform { source throws(DeviceError) in try source.securityLevel() } == .enciphered)
    }

    @Test func unpluggedDuringACommand() async throws {
        let device = try EmulatedDevice(.packets)
        let (reader, _) = try reader(device)
        await #expect(throws: CaptureError.readerFailed(.driver(DeviceError.stalled))) {
            _ = try await reader.perform { source throws(DeviceError) in try source.securityLevel() }
        }
    }
}
