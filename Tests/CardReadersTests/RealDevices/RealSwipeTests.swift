import Bytes
import CardCapture
import CardReaders
import DeviceIO
import Foundation
import MagneticStripe
import Testing

/// The drivers of MagTek's readers on hidraw nodes of the emulated machine, which the scenario
/// `hid` of `tools/hil` sets up. Missing ones are failures.
@Suite(
    .serialized, .enabled(if: ProcessInfo.processInfo.environment["CARDPRESENT_REAL_DEVICES"] == "hid"),
    .timeLimit(.minutes(20)))
struct RealSwipeTests {
    private func path(_ models: [ReaderModel], product: UInt16) throws -> String {
        let model = try #require(models.first { $0.product == product })
        let node = try DeviceMonitor.devices().first {
            $0.kind == .hid && $0.vendor == model.vendor && $0.product == model.product
        }
        return try #require(node).node
    }

    /// Swipes until the reader's driver has one: what comes before it waits is not a swipe of this
    /// call.
    private func swiping(
        _ report: [UInt8], through device: String,
        _ swipe: @escaping @Sendable () async throws(CaptureError) -> CapturedSwipe
    ) async throws -> CapturedSwipe {
        let swiper = Task {
            while !Task.isCancelled {
                let pipe = try FileHandle(forWritingTo: URL(filePath: "/tmp/devices/\(device)"))
                try pipe.write(contentsOf: Data("swipe \(report.hex)\n".utf8))
                try pipe.close()
                try? await Task.sleep(for: .milliseconds(300))
            }
        }
        defer { swiper.cancel() }
        return try await swipe()
    }

    @Test("A SureSwipe reader on a real device node reads a swipe") func sureSwipe() async throws {
        let tracks = ["%B4761739001010119^DOE/JANE^4912201?", ";4761739001010119=4912201?", ""]
        var report: [UInt8] = [0, 0, 0] + tracks.map { UInt8($0.utf8.count) } + [0]
        for track in tracks { report += Array(track.utf8) + [UInt8](repeating: 0, count: 110 - track.utf8.count) }
        let reader = try SureSwipeReader(path: path(SureSwipe.models, product: 0x0002))
        let swipe = try await swiping(report, through: "hid-337") { () async throws(CaptureError) in
            try await reader.swipe()
        }
        #expect(text(swipe.tracks.track1) == "B4761739001010119^DOE/JANE^4912201")
        #expect(text(swipe.tracks.track2) == "4761739001010119=4912201")
        #expect(swipe.tracks.track3 == .blank)
    }

    @Test("A MagneSafe reader on a real device node reads a swipe") func magneSafe() async throws {
        let reader = try MagneSafeReader(path: path(MagneSafe.models, product: 0x0011))
        let report = try MagTekSample.report()
        let swipe = try await swiping(report, through: "hid-887") { () async throws(CaptureError) in
            try await reader.swipe()
        }
        #expect(swipe.encrypted?.ksn.hex == MagTekSample.ksn)
        #expect(swipe.encrypted?.ciphertexts.mapValues(\.hex) == MagTekSample.ciphertexts)
    }

    @Test("The device answers every command with \"V1.0\"") func magneSafeCommand() async throws {
        let reader = try MagneSafeReader(path: path(MagneSafe.models, product: 0x0011))
        #expect(
            try await reader.perform { source throws(DeviceError) in try source.property(.serialNumber) }
                == Array("V1.0".utf8))
    }
}
