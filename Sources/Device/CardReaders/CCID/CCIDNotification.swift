/// A notification from a reader's interrupt endpoint (USB CCID 1.1, 6.3).
enum CCIDNotification: Equatable {
    /// The slots whose state changed, and whether there is a card in them.
    case slots([Int: Bool])
    case hardwareError(slot: Int)

    func isRemoval(slot: Int) -> Bool {
        if case .slots(let changed) = self { changed[slot] == false } else { false }
    }

    /// Nil for other notifications, and if the bytes are too short.
    init?(_ bytes: [UInt8], slotCount: Int) {
        switch bytes.first {
        case 0x50:
            var changed: [Int: Bool] = [:]
            for slot in 0..<slotCount where 1 + slot / 4 < bytes.count {
                let bits = bytes[1 + slot / 4] >> (2 * (slot % 4))
                if bits & 0x02 != 0 { changed[slot] = bits & 0x01 != 0 }
            }
            self = .slots(changed)
        case 0x51 where bytes.count >= 2: self = .hardwareError(slot: Int(bytes[1]))
        default: return nil
        }
    }
}
