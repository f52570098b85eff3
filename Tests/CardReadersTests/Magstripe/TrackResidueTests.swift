import Bytes
import DeviceIO
import MagneticStripe
import ProcessMemory
import Testing

@testable import CardCapture
@testable import CardReaders

@Suite(.serialized) struct TrackResidueTests {
    @Test("No track data stay in memory (`MemoryTests`, in a process of its own)") func nothingStays() async throws {
        let (status, said) = try await OwnProcess.run("CardReadersTests\\.MemoryTests")
        #expect(status == 0, "\(said)")
        #expect(said.contains("Test run with 1 test"), "\(said)")
    }
}

/// What a reader sends in reports is in memory as long as its swipe is there, and nowhere any more
/// when that has gone.
///
/// Looked for are digits of chance in the discretionary data of track 2.
@Suite(.serialized, .enabled(if: OwnProcess.isThis), .timeLimit(.minutes(20))) struct MemoryTests {
    enum Family: CaseIterable {
        case sureSwipe
        case magneSafe
        case hidMagstripe
        case secureSwipe
        case msr605X

        func report(_ digits: SecretDigits) -> [UInt8] {
            let track = Array(";4761739001010119=4912201".utf8) + digits.placeholder + Array("?".utf8)
            func padded(_ bytes: [UInt8], _ count: Int) -> [UInt8] {
                bytes + [UInt8](repeating: 0, count: count - bytes.count)
            }
            switch self {
            // 99875191: status and length of each track, encode type, three tracks of 110 bytes.
            case .sureSwipe:
                return [0, 0, 0, 0, UInt8(track.count), 0, 0] + padded([], 110) + padded(track, 110) + padded([], 110)
            // D99875475: the same with tracks of 112 bytes; without the enciphering bit at 494 they
            // are clear.
            case .magneSafe: return padded([0, 0, 0, 0, UInt8(track.count), 0, 0] + padded([], 112) + track, 887)
            // One field of 64 characters for all tracks.
            case .hidMagstripe: return padded(track, 64)
            case .secureSwipe: return padded(track, 64)
            // One message in one report: tracks 1 and 3 blank, status 30.
            case .msr605X:
                let answer =
                    [0x1B, 0x73, 0x1B, 1, 0x1B, 0x2B, 0x1B, 2] + track + [0x1B, 3, 0x1B, 0x2B, 0x3F, 0x1C, 0x1B, 0x30]
                return padded([0xC0 | UInt8(answer.count)] + answer, 64)
            }
        }

        /// Page 8E with usage 20 for the one that goes by it; the others know their reports.
        private var descriptor: String {
            self == .hidMagstripe
                ? "058E0901A10109207508954015002600FF8102C0" : "0600FF0901A101750895400920810209209540B102C0"
        }

        func reader(_ device: EmulatedDevice) throws -> any MagstripeSlot {
            let descriptor = try HIDReportDescriptor(parsing: [UInt8](hex: descriptor))
            switch self {
            case .sureSwipe:
                return try SureSwipeReader(name: "test", capabilities: .magneticStripe) { cancel throws(DeviceError) in
                    SureSwipe(EmulatedReports(device, cancel, reports: descriptor))
                }
            case .magneSafe:
                return try MagneSafeReader(name: "test", capabilities: .magneticStripe) { cancel throws(DeviceError) in
                    MagneSafe(EmulatedReports(device, cancel, reports: descriptor), cancel: cancel)
                }
            case .hidMagstripe:
                return try HIDMagstripeReader(name: "test", capabilities: .magneticStripe) {
                    cancel throws(DeviceError) in
                    try HIDMagstripe(EmulatedReports(device, cancel, reports: descriptor))
                }
            case .secureSwipe:
                return try SecureSwipeReader(name: "test", capabilities: .magneticStripe) {
                    cancel throws(DeviceError) in
                    SecureSwipe(EmulatedReports(device, cancel, reports: descriptor))
                }
            case .msr605X:
                return try MSR605Reader(name: "test", capabilities: .magneticStripe) { cancel throws(DeviceError) in
                    let reports = EmulatedReports(device, cancel, reports: descriptor) { feature throws(DeviceError) in
                        // The communication test is answered with escape y.
                        if case .set(let bytes) = feature, bytes[2] == 0x65 { device.send([0xC2, 0x1B, 0x79]) }
                        return []
                    }
                    return MSR605(MSR605XStream(reports), options: MSR605.Options(readsRaw: false))
                }
            }
        }
    }

    @Test(arguments: Family.allCases) func nothingStays(_ family: Family) async throws {
        let digits = SecretDigits()
        try await swipe(family, digits)
        // The driver's thread may not have come to the end of its call.
        let limit = Deadline.after(.seconds(30))
        while digits.copies() > 0, !limit.hasPassed { try await Task.sleep(for: .milliseconds(20)) }
        #expect(digits.copies() == 0)
    }

    private func swipe(_ family: Family, _ digits: SecretDigits) async throws {
        let device = try EmulatedDevice(.packets)
        let reader = try family.reader(device)
        let task = Task { try await reader.swipe() }
        await device.awaitDriver()
        digits.fill(family.report(digits)) { device.send($0) }
        let track = try #require(try await task.value.tracks.track2.text)
        #expect(track.characters.withBytes { digits.isAtEnd(of: $0) })
        #expect(digits.copies() > 0, "the look finds what is there")
    }
}
