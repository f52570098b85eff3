import Bytes
import CardReaders
import MagneticStripe
import Testing

/// A swipe in a slot, or why there is none; one a call.
actor QueueSlot: StripeSlot {
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

func text(_ reading: TrackReading) -> String? { reading.text.map { String(decoding: $0.characters.revealed(), as: UTF8.self) } }
