public import Bytes
public import EMVKernel
public import SmartCard

/// The PIN pad of a reader behind PC/SC, for plaintext offline PINs (PC/SC part 10): it accepts the
/// PIN and sends VERIFY itself, so that this computer never has the PIN. Once an entry has begun,
/// only the reader's keys or its timeout end it: PC/SC cannot cancel it.
public struct PCSCPINPad: PINPad {
    private let reader: PCSCReader

    /// - Parameter reader: The reader, whose card must be powered when the PIN is requested.
    public init(_ reader: PCSCReader) { self.reader = reader }

    public func enterOnlinePIN(pan: SecretBytes, amount: UInt64, currencyCode: UInt16) async -> OnlinePINEntry {
        .failed
    }

    public func verifyOfflinePIN(
        _ form: OfflinePINForm, triesLeft: UInt8?, card: any CardChannel
    ) async throws(CardChannelError) -> OfflinePINEntry {
        guard case .plaintext = form else { return .failed }
        return OfflinePINEntry(ofPad: try await reader.enterPIN(PINPadEntry(operation: .verify(qualifier: 0x80))))
    }

    /// Lets the cardholder change the PIN that `qualifier` names.
    ///
    /// - Returns: The card's answer to CHANGE REFERENCE DATA, 6400 if no PIN was entered in time,
    ///   6401 if the cardholder cancelled; nil if the PIN pad does not support it.
    public func changePIN(qualifier: UInt8 = 0x80) async throws(CardChannelError) -> StatusWord? {
        try await reader.enterPIN(PINPadEntry(operation: .change(qualifier: qualifier, confirms: true)))
    }
}
