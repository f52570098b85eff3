import CardCapture
import DeviceIO

extension ReaderFamily {
    /// Chip card readers on USB, CCID and ICCD. With several slots, the first is opened.
    public static let ccid = ReaderFamily("CCID", models: CCIDReader.models, capabilities: [.contactChip, .cardEvents]) {
        opening throws(DeviceError) in
        guard let slot = try await CCIDReader(opening.node, interface: opening.interface).open().first else {
            throw .malformed(.chipCardSlot, .missing)
        }
        return .chip(slot)
    }
}
