public import Bytes

extension SecureMessagingScheme {
    /// The data of PIN CHANGE/UNBLOCK before protection, 8 bytes.
    ///
    /// - Parameters:
    ///   - current: The PIN that is replaced, for P2 01; nil for P2 02.
    ///   - cardKeys: The card's master keys.
    /// - Throws: ``PINBlockError/form`` if the scheme has no form with the current PIN.
    public func encode(newPIN pin: PIN, replacing current: PIN? = nil, cardKeys: MasterKeySet) throws(PINBlockError) -> SecretBytes {
        guard let key = try visaKey(current, cardKeys) else { return try PINBlock.format2.encode(pin) }
        return VisaPINBlock.encode(pin, replacing: current, cardKey: key)
    }

    /// The new PIN in `block`, on the card's side.
    public func decode(newPIN block: SecretBytes, replacing current: PIN? = nil, cardKeys: MasterKeySet) throws(PINBlockError) -> PIN {
        guard let key = try visaKey(current, cardKeys) else { return try PINBlock.format2.decode(block) }
        return try VisaPINBlock.decode(block, replacing: current, cardKey: key)
    }

    /// The key for Visa's form; nil if the form is ISO 9564-1 format 2.
    private func visaKey(_ current: PIN?, _ cardKeys: MasterKeySet) throws(PINBlockError) -> TDESKey? {
        switch (pinForm, current) {
        case (.format2, nil), (.format2OrVisa, nil): return nil
        case (.format2, .some): throw .form
        case (.format2OrVisa, .some), (.visa, _):
            guard case .tdes(let key) = cardKeys.applicationCryptogram else { throw .form }
            return key
        }
    }
}
