private import Bytes
private import CardCryptography
public import CardReaders

/// The PIN pad of the bench: a program that enters PINs.
public enum BenchPINPad {
    /// A pad that enters the PIN of the bench's cards.
    public static func make() throws -> VirtualPINPad {
        guard let pin = BenchIssuer.pin else { preconditionFailure("the bench's PIN is invalid") }
        return try make([.enters(pin)])
    }

    /// A pad with a DUKPT key that the bench's issuer can derive.
    ///
    /// - Parameter behaviors: What the cardholder does at each entry, the last of them from then
    ///   on.
    public static func make(_ behaviors: [VirtualPINPad.Behavior]) throws -> VirtualPINPad {
        guard let serial = KeySerialNumber([0xFF, 0xFF, 0x98, 0x76, 0x54, 0x32, 0x10, 0xE0, 0x00, 0x00]) else {
            preconditionFailure("the bench's key serial number is invalid")
        }
        let key = try TDESDUKPT.initialKey(baseDerivationKey: BenchIssuer.baseDerivationKey(), serialNumber: serial)
        return VirtualPINPad(behaviors, initialKey: key, serialNumber: serial)
    }
}
