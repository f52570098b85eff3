/// Why a key block cannot be wrapped or unwrapped. No case carries key material.
public enum KeyBlockError: Error, Equatable, Sendable {
    /// The text is not a key block, or a field of the header has an invalid value.
    case header
    /// The version of the block is not supported: `E`, AES in counter mode (ISO 20038).
    case version(Character)
    /// The protection key does not match the version: TDES of 16 or 24 bytes for A, B and C, AES
    /// for D.
    case protectionKey
    /// The authenticator is wrong: another protection key, or a changed block.
    case authentication
    /// The authenticator is correct, but the key has an invalid length; or the key to wrap is empty.
    case keyLength
    /// The key to wrap and its optional blocks need more than the 9,999 characters of a block.
    case length
}

extension KeyBlockError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .header: "the text is not a TR-31 key block: its header or a length in it is wrong"
        case .version(let version):
            "key blocks of version \(version) (AES in counter mode, ISO 20038) are not supported: ask for version D"
        case .protectionKey: "the key block protection key does not fit the block's version"
        case .authentication: "the key block does not authenticate: another protection key, or a changed block"
        case .keyLength: "the key in the block has an impossible length"
        case .length: "key and optional blocks need more than the 9,999 characters of a key block: shorten the optional blocks"
        }
    }
}
