public import Bytes
internal import DeviceIO
public import EMVKernel
public import SmartCard

/// The PIN pad of a chip card reader, for plaintext offline PINs: it accepts the PIN and sends
/// VERIFY itself, so that this computer never has the PIN. Such readers cannot encipher PINs for
/// the card or for a host.
public struct CCIDPINPad: PINPad {
    private let reader: CCIDReader
    private let slot: Int

    init(reader: CCIDReader, slot: Int) {
        self.reader = reader
        self.slot = slot
    }

    public func enterOnlinePIN(pan: SecretBytes, amount: UInt64, currencyCode: UInt16) async -> OnlinePINEntry {
        .failed
    }

    /// Applies to the powered card in the slot. An entry that times out counts as no entry.
    public func verifyOfflinePIN(
        _ form: OfflinePINForm, triesLeft: UInt8?, card: any CardChannel
    ) async throws(CardChannelError) -> OfflinePINEntry {
        guard case .plaintext = form else { return .failed }
        return OfflinePINEntry(ofPad: try await perform(PINPadEntry(operation: .verify(qualifier: 0x80))))
    }

    /// Lets the cardholder change the PIN that `qualifier` names.
    ///
    /// - Returns: The card's answer to CHANGE REFERENCE DATA, or ``timedOut`` or ``cancelled``; nil
    ///   if the pad cannot do it.
    public func changePIN(qualifier: UInt8 = 0x80) async throws(CardChannelError) -> StatusWord? {
        try await perform(PINPadEntry(operation: .change(qualifier: qualifier, confirms: true)))
    }

    /// 6400: no PIN was entered in time (PC/SC part 10, 2.5).
    public static let timedOut = PINPadEntry.timedOut
    /// 6401: the cardholder cancelled.
    public static let cancelled = PINPadEntry.cancelled

    private func perform(_ entry: PINPadEntry) async throws(CardChannelError) -> StatusWord? {
        try await DeviceThread.cancellable { cancellation async throws(CardChannelError) in
            try await reader.enterPIN(entry, slot: slot, cancellation)
        }
    }
}
