package import CardCryptography
package import EMVKernel
import SmartCard
package import TLV

/// What kernels ask of a card in the same way.
extension KernelActivation {
    /// The PDOL of the answer to SELECT; nil if it is absent. Its data fit into one command.
    package func optionsList() throws(Termination) -> DOL? {
        let list: DOL?
        do throws(TLVError) { list = try application.pdol() } catch { throw .invalidData(.pdol) }
        guard list?.dataLength ?? 0 <= 252 else { throw .invalidData(.pdol) }
        return list
    }

    package func certificateChain(_ card: DataElements) -> CertificateChain {
        CertificateChain(
            card: card, rid: combination.rid, caKeys: terminal.caKeys, revoked: terminal.revokedCertificates,
            date: request.date,
            time: request.time, issuers: terminal.issuerCertificates)
    }

    /// The card's key, by its certificates.
    package func cardKey(_ card: DataElements, _ staticData: StaticData) throws(DataAuthenticationFailure)
        -> RSAPublicKey
    {
        let chain = certificateChain(card)
        let issuer = try chain.issuerKey()
        return try staticData.complete(card) { data throws(DataAuthenticationFailure) in
            try chain.iccKey(issuer, staticData: data).key
        }
    }
}

extension ResponseTemplate {
    /// The data objects in an answer to GET PROCESSING OPTIONS that has the cryptogram, which
    /// format 1 cannot have.
    package static func qualifiedOptions(_ bytes: [UInt8]) throws(Termination) -> DataElements {
        try parse(bytes, of: .getProcessingOptions) { _ throws(Termination) in
            throw Termination.missingData(.applicationCryptogram)
        }
    }

    /// AIP and AFL in an answer to GET PROCESSING OPTIONS of format 1 or 2 (EMV 4.4 Book 3,
    /// 6.5.8.4), with the other data objects of format 2.
    package static func processingOptions(_ bytes: [UInt8]) throws(Termination) -> DataElements {
        let objects = try parse(bytes, of: .getProcessingOptions) { (value: [UInt8]) throws(Termination) in
            guard value.count >= 2 else { throw .malformedAnswer(.getProcessingOptions, nil) }
            var elements = DataElements()
            elements.append(.applicationInterchangeProfile, value[..<2])
            elements.append(.applicationFileLocator, value[2...])
            return elements
        }
        for tag in [Tag.applicationInterchangeProfile, .applicationFileLocator] {
            guard let value = objects[tag], !value.isEmpty else { throw .missingData(tag) }
        }
        guard objects[.applicationInterchangeProfile]?.count == 2 else {
            throw .invalidData(.applicationInterchangeProfile)
        }
        return objects
    }
}
