private import Bytes
private import CardCryptography
public import CardReaders

/// The PIN pad of the bench: a program that enters one PIN.
public enum BenchPINPad {
    /// A pad that enters the PIN of the bench's cards, with a DUKPT key that the bench's issuer can derive.
    public static func make() throws -> VirtualPINPad {
        guard let pin = BenchIssuer.pin,
            let serial = KeySerialNumber([0xFF, 0xFF, 0x98, 0x76, 0x54, 0x32, 0x10, 0xE0, 0x00, 0x00])
        else { preconditionFailure("the bench's PIN or key serial number is invalid") }
        let key = try TDESDUKPT.initialKey(baseDerivationKey: BenchIssuer.baseDerivationKey(), serialNumber: serial)
        return VirtualPINPad(.enters(pin), initialKey: key, serialNumber: serial)
    }
}
