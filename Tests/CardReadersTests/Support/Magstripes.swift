import Bytes
import CardCapture
import CardCryptography
import CardReaders
import MagneticStripe
import Testing

/// A swipe in a slot, or why there is none; one a call.
actor QueueSlot: MagstripeSlot {
    nonisolated let name = "Queue"
    nonisolated let capabilities: ReaderCapabilities = .magneticStripe
    nonisolated let events = ReaderEvents()
    private var swipes: [Result<CapturedSwipe, CaptureError>]

    init(_ swipes: Result<CapturedSwipe, CaptureError>...) { self.swipes = swipes }

    func swipe() async throws(CaptureError) -> CapturedSwipe {
        guard !swipes.isEmpty else { throw .noCardPresented }
        return try swipes.removeFirst().get()
    }
}

/// SHA-256 in hexadecimal, for cards whose numbers are not to stand in the tests.
func digest(_ bytes: [UInt8]) -> String { SHA256.hash(bytes).hex }
func digest(_ reading: TrackReading) -> String? { reading.text.map { digest($0.characters.revealed()) } }

func text(_ reading: TrackReading) -> String? {
    reading.text.map { String(decoding: $0.characters.revealed(), as: UTF8.self) }
}
