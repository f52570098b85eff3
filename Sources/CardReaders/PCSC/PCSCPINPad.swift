public import Bytes
public import EMVKernel
public import SmartCard

/// The PIN pad of a reader behind PC/SC, for plaintext offline PINs (PC/SC part 10): it takes the PIN and sends VERIFY itself, so that this machine never has it.
/// An entry that has begun ends at the reader only, by its keys or its time out: PC/SC cannot cancel it.
public struct PCSCPINPad: PINPad {
    private let reader: PCSCReader

    /// - Parameter reader: Whose card is under power when the PIN is asked for.
    public init(_ reader: PCSCReader) { self.reader = reader }

    public func enterOnlinePIN(pan: SecretBytes, amount: UInt64, currencyCode: UInt16) async -> OnlinePINEntry { .failed }

    public func verifyOfflinePIN(
        _ form: OfflinePINForm, triesLeft: UInt8?, card: any CardChannel
    ) async throws(CardChannelError) -> OfflinePINEntry {
        guard case .plaintext = form else { return .failed }
        return OfflinePINEntry(ofPad: try await reader.enterPIN(PINPadEntry(operation: .verify(qualifier: 0x80))))
    }

    /// Lets the cardholder change the PIN that `qualifier` names.
    ///
    /// - Returns: The card's answer to CHANGE REFERENCE DATA, 6400 where no PIN was entered in time, 6401 where the cardholder cancelled; nil if the pad cannot do it.
    public func changePIN(qualifier: UInt8 = 0x80) async throws(CardChannelError) -> StatusWord? {
        try await reader.enterPIN(PINPadEntry(operation: .change(qualifier: qualifier, confirms: true)))
    }
}
