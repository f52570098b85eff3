import CardCryptography
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
            guard request.cardKey == nil, (11...43).contains(value.count) else { throw .malformedAnswer(.generateAC, nil) }
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
    ///   - exchangedData: What the ICC dynamic data must have behind the cryptogram; nil for nothing.
    /// - Returns: The signed cryptogram, or why the card is not authentic.
    package func verify(
        _ request: CryptogramRequest, terminal: DataElements, sentOptions: [UInt8], exchangedData: [UInt8]? = nil
    ) throws(Termination) -> Result<[UInt8], DataAuthenticationFailure> {
        guard let signed = objects[.signedDynamicApplicationData], let key = request.cardKey else {
            throw .missingData(.signedDynamicApplicationData)
        }
        do throws(CertificateError) {
            let combined = try SignedDynamicApplicationData.recoverCDA(
                signed, key: key, unpredictableNumber: terminal[.unpredictableNumber] ?? [])
            guard combined.cryptogramInformationData == objects[.cryptogramInformationData]?.first else {
                throw .cryptogramInformationData
            }
            if let exchangedData, Array(combined.contactlessData.prefix(exchangedData.count)) != exchangedData {
                throw .relayResistanceData
            }
            try combined.verifyTransactionData(sentOptions + request.values + CombinedSignature.signedPart(of: response))
            return .success(combined.applicationCryptogram)
        } catch {
            return .failure(.signature(error))
        }
    }
}
