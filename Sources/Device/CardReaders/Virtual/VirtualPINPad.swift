public import Bytes
public import CardCryptography
public import EMVKernel
public import SmartCard

/// A PIN pad in software that knows the PIN beforehand. It is the only one that has a clear PIN
/// outside a secure device. Use it only with test cards.
public actor VirtualPINPad: PINPad {
    /// The cardholder's reaction.
    public enum Behavior: Sendable {
        /// Enters this PIN and confirms it.
        case enters(PIN)
        /// Confirms without a PIN: the next rule of the CVM list may apply.
        case bypasses
        /// Presses cancel: the transaction ends.
        case cancels
        /// The pad does not work.
        case fails
    }

    /// For the next entries; the last one is repeated.
    private var behaviors: [Behavior]
    private var device: TDESDUKPTDevice?

    /// - Parameters:
    ///   - behaviors: The cardholder's reaction at each entry; the last one is repeated. If the
    ///     array is empty, every entry fails.
    ///   - initialKey: The DUKPT initial key of the pad, double length (ANSI X9.24-1:2009); with
    ///     another key, every entry fails. The key is not stored.
    ///   - serialNumber: The key serial number that was last used; the first PIN uses the next one.
    public init(_ behaviors: [Behavior], initialKey: TDESKey, serialNumber: KeySerialNumber) {
        self.behaviors = behaviors
        device = try? TDESDUKPTDevice(initialKey: initialKey, serialNumber: serialNumber)
    }

    /// A PIN pad with the same reaction at each entry.
    public init(_ behavior: Behavior, initialKey: TDESKey, serialNumber: KeySerialNumber) {
        self.init([behavior], initialKey: initialKey, serialNumber: serialNumber)
    }

    private func nextBehavior() -> Behavior {
        behaviors.count > 1 ? behaviors.removeFirst() : behaviors.first ?? .fails
    }

    public nonisolated var testOnlyReason: String? { "the PIN pad is virtual" }

    /// ISO 9564-1 format 0 under the PIN variant of the next transaction key.
    public func enterOnlinePIN(pan: SecretBytes, amount: UInt64, currencyCode: UInt16) async -> OnlinePINEntry {
        switch nextBehavior() {
        case .bypasses: return .bypassed
        case .cancels: return .cancelled
        case .fails: return .failed
        case .enters(let pin):
            guard let number = AccountNumber(ascii: pan.revealed()),
                let block = try? PINBlock.format0(number).encode(pin),
                let transactionKey = device?.nextTransactionKey(), let ksn = device?.serialNumber.bytes,
                let key = try? TDESDUKPT.key(for: .pinEncryption, transactionKey: transactionKey),
                let enciphered = try? key.encryptECB(block.revealed())
            else { return .failed }
            return .entered(format: .iso0, pinBlock: enciphered, ksn: ksn)
        }
    }

    /// VERIFY with a PIN block of format 2 (EMV 4.4 Book 3, 6.5.12), enciphered over the card's
    /// challenge if `form` says so (Book 2, 7.2).
    public func verifyOfflinePIN(
        _ form: OfflinePINForm, triesLeft: UInt8?, card: any CardChannel
    ) async throws(CardChannelError) -> OfflinePINEntry {
        switch nextBehavior() {
        case .bypasses: return .bypassed
        case .cancels: return .cancelled
        case .fails: return .failed
        case .enters(let pin):
            switch form {
            case .plaintext:
                guard let block = try? PINBlock.format2.encode(pin) else { return .failed }
                return .answered(try await card.transmit(.verify(qualifier: 0x80, block.revealed())).status)
            case .enciphered(let key):
                return try await verifyEnciphered(0x88, card) { challenge in
                    try? OfflinePINEncipherment.encipher(pin, unpredictableNumber: challenge, key: key)
                }
            case .encipheredByECC(let encipherment):
                return try await verifyEnciphered(0x8A, card) { challenge in
                    try? encipherment.encipher(pin, unpredictableNumber: challenge)
                }
            }
        }
    }

    /// GET CHALLENGE, then VERIFY with the result of `encipher` for the PIN and the challenge.
    private func verifyEnciphered(
        _ qualifier: UInt8, _ card: any CardChannel, _ encipher: ([UInt8]) -> [UInt8]?
    ) async throws(CardChannelError) -> OfflinePINEntry {
        let challenge = try await card.transmit(.getChallenge)
        guard challenge.status == .success, challenge.data.count == 8 else { return .noChallenge }
        guard let data = encipher(challenge.data) else { return .failed }
        return .answered(try await card.transmit(.verify(qualifier: qualifier, data)).status)
    }
}
