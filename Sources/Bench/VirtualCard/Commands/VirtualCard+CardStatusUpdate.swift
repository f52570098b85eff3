/// The orders in a card status update, executed after the issuer is authenticated by ARPC method 2
/// (EMV 4.4 Book 3, C10 and 10.11.1 of the Common Core Definitions, whose coding the payment
/// systems share).
extension VirtualCard {
    /// - Parameter update: CSU, 4 bytes. Of byte 2, bit 7 blocks the card, bit 6 the application,
    ///   bit 5 sets the PIN try counter to the low half of byte 1, limited to the maximum. The bits
    ///   for offline counters are ignored, because this card has none.
    func obey(_ update: [UInt8]) {
        if update[1] & 0x40 != 0 { state.isCardBlocked = true }
        if update[1] & 0x20 != 0, case .application(let index) = session.selection {
            state.blockedApplications.insert(index)
        }
        if update[1] & 0x10 != 0, profile.pin != nil { pinTriesLeft = min(update[0] & 0x0F, profile.pinTryLimit) }
    }

    /// The proprietary authentication data that the ARPC covers: for the Common Core Definitions
    /// none unless byte 1, bit 8 says so (EMV 4.4 Book 2, part IV, 8.2.2).
    func coveredProprietaryData(_ data: [UInt8], _ update: [UInt8]) -> [UInt8] {
        profile.cryptograms.layout == .commonCore && update[0] & 0x80 == 0 ? [] : data
    }
}
