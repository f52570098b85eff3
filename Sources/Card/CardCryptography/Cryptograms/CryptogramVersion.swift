/// The meaning of a cryptogram version number: key derivation, authenticated data, response
/// cryptogram and protection of scripts.
///
/// Except for the Common Core Definitions (EMV 4.4 Book 2, part IV), EMV leaves all of it to the
/// payment systems, which number their variants. Their books are not public. The variants here are
/// those of open card tools, mainly pyemv, whose tests contain values from a host security module.
/// The comment of each version says whether cryptograms of published test cards verify it.
public struct CryptogramVersion: Sendable, Equatable {
    /// The part of the issuer application data (tag 9F10) at the end of the authenticated data.
    public enum IssuerPart: Sendable, Equatable {
        case whole
        /// Only the card verification results.
        case results(Range<Int>)
        /// The card verification results, then everything from `counters` on, 8 bytes at least.
        case resultsAndCounters(Range<Int>, counters: Int)
    }

    public enum ResponseMethod: Sendable, Equatable {
        case method1
        case method2
    }

    public enum ResponseKey: Sendable, Equatable {
        case cardMasterKey
        case sessionKey
    }

    public let masterKeyDerivation: MasterKeyDerivation
    public let sessionKeyDerivation: SessionKeyDerivation
    public let padding: BlockPadding
    public let issuerPart: IssuerPart
    public let responseMethod: ResponseMethod
    public let responseKey: ResponseKey
    /// How the issuer's commands are protected; nil if there is no public source.
    public let secureMessaging: SecureMessagingScheme?

    public init(
        masterKeyDerivation: MasterKeyDerivation, sessionKeyDerivation: SessionKeyDerivation,
        padding: BlockPadding = .method2,
        issuerPart: IssuerPart, responseMethod: ResponseMethod, responseKey: ResponseKey,
        secureMessaging: SecureMessagingScheme? = nil
    ) {
        self.masterKeyDerivation = masterKeyDerivation
        self.sessionKeyDerivation = sessionKeyDerivation
        self.padding = padding
        self.issuerPart = issuerPart
        self.responseMethod = responseMethod
        self.responseKey = responseKey
        self.secureMessaging = secureMessaging
    }

    /// The cipher of all keys.
    public var cipher: CardKey.Cipher { masterKeyDerivation.cipher }
}

extension CryptogramVersion {
    /// The authenticated data: terminal data ‖ AIP ‖ ATC ‖ the authenticated part of the issuer
    /// application data.
    ///
    /// - Parameters:
    ///   - terminalData: amount authorised (6), amount other (6), terminal country (2), TVR (5),
    ///     currency (2), date (3), type (1) and unpredictable number (4), concatenated: 29 bytes
    ///     (EMV 4.4 Book 2, table 28).
    ///   - applicationInterchangeProfile: tag 82, 2 bytes.
    ///   - atc: tag 9F36.
    ///   - issuerApplicationData: tag 9F10.
    public func input(
        terminalData: [UInt8], applicationInterchangeProfile: [UInt8], atc: UInt16, issuerApplicationData: [UInt8]
    ) throws(CryptogramError) -> [UInt8] {
        try CryptogramError.check(terminalData, count: 29)
        try CryptogramError.check(applicationInterchangeProfile, count: 2)
        return terminalData + applicationInterchangeProfile + [UInt8(truncatingIfNeeded: atc >> 8), UInt8(atc & 0xFF)]
            + (try issuerPart.bytes(of: issuerApplicationData))
    }
}

extension CryptogramVersion.IssuerPart {
    fileprivate func bytes(of data: [UInt8]) throws(CryptogramError) -> [UInt8] {
        switch self {
        case .whole: return data
        case .results(let results):
            guard data.count >= results.upperBound else { throw .issuerApplicationDataTooShort }
            return Array(data[results])
        case .resultsAndCounters(let results, let counters):
            guard data.count >= counters + 8 else { throw .issuerApplicationDataTooShort }
            return Array(data[results] + data[counters...])
        }
    }
}
