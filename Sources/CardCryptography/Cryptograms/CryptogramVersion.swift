/// What a cryptogram version number stands for: how keys are derived, what is authenticated, how the issuer answers.
///
/// EMV leaves all of it to the issuer but for the Common Core Definitions (EMV 4.4 Book 3, annex C of part V and C9.2); the
/// payment systems number their choices. The choices here are those of Visa's VIS and Mastercard's M/Chip as published by card
/// test tools; the books themselves are not public. Only Visa 10 and Mastercard 10 are proved here by cryptograms of real
/// test cards.
public struct CryptogramVersion: Sendable, Equatable {
    /// Which bytes of the issuer application data (tag 9F10) end the authenticated data.
    public enum IssuerPart: Sendable, Equatable {
        case whole
        /// The ranges given, joined.
        case ranges([Range<Int>])
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

    public init(
        masterKeyDerivation: MasterKeyDerivation, sessionKeyDerivation: SessionKeyDerivation, padding: BlockPadding,
        issuerPart: IssuerPart, responseMethod: ResponseMethod, responseKey: ResponseKey
    ) {
        self.masterKeyDerivation = masterKeyDerivation
        self.sessionKeyDerivation = sessionKeyDerivation
        self.padding = padding
        self.issuerPart = issuerPart
        self.responseMethod = responseMethod
        self.responseKey = responseKey
    }
}

extension CryptogramVersion {
    /// The data authenticated: terminal data ‖ AIP ‖ ATC ‖ the part of the issuer application data that counts.
    ///
    /// - Parameters:
    ///   - terminalData: amount authorised (6), amount other (6), terminal country (2), TVR (5), currency (2), date (3), type (1)
    ///     and unpredictable number (4), joined: 29 bytes (EMV 4.4 Book 2, table 26).
    ///   - applicationInterchangeProfile: tag 82, 2 bytes.
    ///   - atc: tag 9F36.
    ///   - issuerApplicationData: tag 9F10.
    public func input(
        terminalData: [UInt8], applicationInterchangeProfile: [UInt8], atc: UInt16, issuerApplicationData: [UInt8]
    ) throws(CryptogramError) -> [UInt8] {
        try CryptogramError.check(terminalData, count: 29)
        try CryptogramError.check(applicationInterchangeProfile, count: 2)
        var input = terminalData + applicationInterchangeProfile + [UInt8(atc >> 8), UInt8(atc & 0xFF)]
        switch issuerPart {
        case .whole: input += issuerApplicationData
        case .ranges(let ranges):
            for range in ranges {
                guard range.upperBound <= issuerApplicationData.count else { throw .issuerApplicationDataTooShort }
                input += issuerApplicationData[range]
            }
        }
        return input
    }
}
