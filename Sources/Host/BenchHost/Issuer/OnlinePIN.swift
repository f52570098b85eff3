import Bytes
import CardCapture
import CardCryptography

/// Verifies a PIN in a block under a DUKPT key (ANSI X9.24-1:2009; ISO 9564-1).
enum OnlinePIN {
    /// The response code for a wrong PIN; nil if it is the card's PIN.
    ///
    /// - Parameters:
    ///   - baseDerivationKey: the key of the PIN pads, 16 bytes; nil if the issuer shares no key
    ///     with them.
    ///   - expected: nil for a card without PIN.
    static func fault(
        _ block: EncipheredPINBlock, pan: SecretBytes, baseDerivationKey: TDESKey?, expected: PIN?
    ) -> ResponseCode? {
        guard let baseDerivationKey, let serialNumber = KeySerialNumber(block.ksn),
            let account = pan.withBytes({ bytes in AccountNumber(ascii: bytes.indices.map { bytes[$0] }) }),
            let format = format(block.format, account)
        else { return .pinCryptographicError }
        do {
            let transactionKey = try TDESDUKPT.transactionKey(
                baseDerivationKey: baseDerivationKey, serialNumber: serialNumber)
            var clear = try TDESDUKPT.key(for: .pinEncryption, transactionKey: transactionKey).decryptECB(block.block)
            return try format.decode(SecretBytes(wiping: &clear)) == expected ? nil : .incorrectPIN
        } catch {
            return .pinCryptographicError
        }
    }

    private static func format(_ format: EncipheredPINBlock.Format, _ account: AccountNumber) -> PINBlock? {
        switch format {
        case .iso0: .format0(account)
        case .iso3: .format3(account)
        case .iso4: nil
        }
    }
}
