public import Bytes
public import CardCryptography
public import PaymentTerminal

/// A merchant's account at the gateway, with the keys of both directions.
public struct IPGAccount: Sendable {
    /// The API version that requests name (`IPGVersion`).
    public let version: String
    public let generation: SignatureGeneration
    /// The merchant's number at the gateway (`Originator`).
    public let originator: Int
    public let merchantID: MerchantID
    /// The name that the payment page shows (`MIDName`).
    public let merchantName: String
    /// The currency of the virtual terminal: the gateway refuses others.
    public let currency: Currency
    /// The payment page's design (`BannerIndex`).
    public var bannerIndex = 1
    /// Which of the merchant's keys signs requests (`KeyIndex`).
    public let keyIndex: Int
    /// Which of the gateway's keys signs answers and notifications (`KeyIndexResp`).
    public let responseKeyIndex: Int
    let key: RSASignatureKey
    let gatewayKey: RSASignatureVerificationKey
    let gatewayEncryptionKey: RSAEncryptionKey

    /// - Parameters:
    ///   - version: `3.4`, `4.1`, `4.5`.
    ///   - generation: By default that of the version.
    ///   - key: The merchant's private key, without a password, in PEM or DER.
    ///   - gatewayKeys: The gateway's public keys by their index, in PEM or DER. Only that of
    ///     `responseKeyIndex` verifies.
    public init(
        version: String, generation: SignatureGeneration? = nil, originator: Int, merchantID: MerchantID,
        merchantName: String, currency: Currency, keyIndex: Int = 1, key: SecretBytes, responseKeyIndex: Int = 1,
        gatewayKeys: [Int: [UInt8]]
    ) throws(IPGAccountError) {
        guard let generation = generation ?? SignatureGeneration(version: version) else { throw .unknownVersion }
        guard let gatewayKey = gatewayKeys[responseKeyIndex] else { throw .noGatewayKey(index: responseKeyIndex) }
        do throws(RSASignatureKeyError) { self.key = try RSASignatureKey(key) } catch { throw .key(error) }
        do throws(RSASignatureKeyError) {
            self.gatewayKey = try RSASignatureVerificationKey(gatewayKey)
            gatewayEncryptionKey = try RSAEncryptionKey(gatewayKey)
        } catch { throw .gatewayKey(error, index: responseKeyIndex) }
        self.version = version
        self.generation = generation
        self.originator = originator
        self.merchantID = merchantID
        self.merchantName = merchantName
        self.currency = currency
        self.keyIndex = keyIndex
        self.responseKeyIndex = responseKeyIndex
    }
}

/// Why an account cannot be used. No case carries key bytes.
public enum IPGAccountError: Error, Equatable, Sendable {
    /// The rules of this version are not known: name the generation.
    case unknownVersion
    /// The merchant's key.
    case key(RSASignatureKeyError)
    case gatewayKey(RSASignatureKeyError, index: Int)
    case noGatewayKey(index: Int)
}

extension IPGAccountError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .unknownVersion: "the signature rules of this IPG version are not known: name the account's generation"
        case .key(let error): "the merchant's key: \(error)"
        case .gatewayKey(let error, let index): "the gateway's key \(index): \(error)"
        case .noGatewayKey(let index): "no key of the gateway has the index \(index)"
        }
    }
}
