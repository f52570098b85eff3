package import CardCryptography
package import EMVKernel
package import SmartCard
package import TLV

/// The card's answer to the one GENERATE AC of a tap (EMV 4.4 Book 3, 6.5.5.4).
package struct CryptogramAnswer {
    package let objects: DataElements
    /// The type of cryptogram, the requested one or a lower one.
    package let type: CryptogramType
    /// The data of the answer.
    private let response: [UInt8]

    package init(_ answer: ResponseAPDU, to request: CryptogramRequest) throws(Termination) {
        guard answer.status == .success else { throw .commandFailed(.generateAC, answer.status) }
        objects = try ResponseTemplate.parse(answer.data, of: .generateAC) { (value: [UInt8]) throws(Termination) in
            guard request.cardKey == nil, (11...43).contains(value.count) else {
                throw .malformedAnswer(.generateAC, nil)
            }
            var elements = DataElements()
            elements.append(.cryptogramInformationData, value[..<1])
            elements.append(.applicationTransactionCounter, value[1..<3])
            elements.append(.applicationCryptogram, value[3..<11])
            if value.count > 11 { elements.append(.issuerApplicationData, value[11...]) }
            return elements
        }
        for (tag, count) in [(Tag.cryptogramInformationData, 1), (.applicationTransactionCounter, 2)] {
            guard let value = objects[tag] else { throw .missingData(tag) }
            guard value.count == count else { throw .invalidData(tag) }
        }
        let information = CryptogramInformationData(rawValue: objects[.cryptogramInformationData]?.first ?? 0)
        guard let type = information.type, type <= request.type else {
            throw .unexpectedCryptogram(requested: request.type, answered: information.rawValue)
        }
        self.type = type
        response = answer.data
    }

    /// The data objects of the answer that every kernel uses.
    package static let tags: [Tag] = [
        .cryptogramInformationData, .applicationTransactionCounter, .applicationCryptogram, .issuerApplicationData,
        .signedDynamicApplicationData,
    ]

    /// Whether the answer must have a valid signature: CDA was requested, and the card did not
    /// decline without one.
    package func mustBeSigned(for request: CryptogramRequest) -> Bool {
        request.cardKey != nil && (type != .aac || objects.contains(.signedDynamicApplicationData))
    }

    /// CDA (EMV 4.4 Book 2, 6.6.2).
    ///
    /// - Parameters:
    ///   - terminal: The terminal's data objects, with the unpredictable number.
    ///   - sentOptions: The data sent in GET PROCESSING OPTIONS.
    ///   - summaryLength: The length of each of the two summaries of data storage that the ICC
    ///     dynamic data have behind the cryptogram; 0 without data storage.
    ///   - exchangedData: What the ICC dynamic data must have behind those; nil for nothing.
    /// - Returns: What the card signed, or why it is not authentic.
    package func verify(
        _ request: CryptogramRequest, terminal: DataElements, sentOptions: [UInt8], summaryLength: Int = 0,
        exchangedData: [UInt8]? = nil
    ) throws(Termination) -> Result<SignedCryptogram, DataAuthenticationFailure> {
        guard let signed = objects[.signedDynamicApplicationData], let key = request.cardKey else {
            throw .missingData(.signedDynamicApplicationData)
        }
        do throws(CertificateError) {
            let combined = try SignedDynamicApplicationData.recoverCDA(
                signed, key: key, unpredictableNumber: terminal[.unpredictableNumber] ?? [])
            guard combined.cryptogramInformationData == objects[.cryptogramInformationData]?.first else {
                throw .cryptogramInformationData
            }
            let storage = combined.contactlessData.prefix(2 * summaryLength)
            if let exchangedData {
                // Without both summaries the exchanged data have no place.
                guard storage.count == 2 * summaryLength,
                    combined.contactlessData.dropFirst(storage.count).prefix(exchangedData.count) == exchangedData[...]
                else { throw .relayResistanceData }
            }
            try combined.verifyTransactionData(
                sentOptions + request.values + CombinedSignature.signedPart(of: response))
            return .success(
                SignedCryptogram(
                    cryptogram: combined.applicationCryptogram, storage: storage, summaryLength: summaryLength))
        } catch {
            return .failure(.signature(error))
        }
    }
}

/// The ICC dynamic data of an answer to GENERATE AC with a valid signature (EMV 4.4 Book 2, table
/// 21; EMV Contactless Book C-2, table 6.8).
package struct SignedCryptogram: Sendable, Equatable {
    /// Tag `9F26`, 8 bytes.
    package let cryptogram: [UInt8]
    /// The state of the card's slot before GENERATE AC, tag `DF8101`: 8 or 16 bytes; nil if the
    /// card did not sign it.
    package let summaryBefore: [UInt8]?
    /// Its state after GENERATE AC, tag `DF8102`: as above.
    package let summaryAfter: [UInt8]?

    fileprivate init(cryptogram: [UInt8], storage: ArraySlice<UInt8>, summaryLength length: Int) {
        self.cryptogram = cryptogram
        summaryBefore = length > 0 && storage.count >= length ? Array(storage.prefix(length)) : nil
        summaryAfter = length > 0 && storage.count == 2 * length ? Array(storage.dropFirst(length)) : nil
    }
}

/// The parameters of the one GENERATE AC of a tap.
package struct CryptogramRequest: Sendable {
    package let type: CryptogramType
    /// The values of CDOL1, which the card signs.
    package let values: [UInt8]
    /// The values of DSDOL, which are sent behind those of CDOL1 and are not signed.
    package let storageData: [UInt8]
    /// The card's key if CDA was requested.
    package let cardKey: RSAPublicKey?
    package let verification: ContactlessOutcome.Verification?

    package init(
        type: CryptogramType, values: [UInt8], storageData: [UInt8] = [], cardKey: RSAPublicKey?,
        verification: ContactlessOutcome.Verification?
    ) {
        self.type = type
        self.values = values
        self.storageData = storageData
        self.cardKey = cardKey
        self.verification = verification
    }

    package var command: CommandAPDU { .generateAC(type.rawValue | (cardKey == nil ? 0 : 0x10), values + storageData) }
}
