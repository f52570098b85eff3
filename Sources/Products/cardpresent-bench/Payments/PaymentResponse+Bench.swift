import Bytes
import PaymentTerminal
import TLV

extension PaymentResponse {
    /// Whether the shop may hand over the goods: the whole amount was approved, or is stored until
    /// the host can be reached.
    var isAccepted: Bool { outcome == .approved || outcome == .storedOffline }

    /// The results of data storage, in hexadecimal digits with card numbers masked; empty for a
    /// terminal without it.
    var storedOnCard: [(tag: Tag, value: String)] {
        guard let emvTags, let bytes = try? [UInt8](hex: emvTags), let elements = try? DataElements(parsing: bytes)
        else { return [] }
        return elements.storageResultTags.compactMap { tag in
            elements[tag].map { (tag, CardNumberScan.maskedHex($0)) }
        }
    }
}
