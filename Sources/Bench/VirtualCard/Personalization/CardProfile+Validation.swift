private import Bytes
import CardCryptography
internal import TLV

extension CardProfile {
    /// Finds errors that would make the card unusable. For deliberate faults, use a fault script.
    public func validate() throws(PersonalizationError) {
        guard !applications.isEmpty else { throw .noApplication }
        guard ellipticCurve == nil || applications.count == 1 else { throw .severalApplications }
        guard applications.allSatisfy({ (5...16).contains($0.aid.count) }) else { throw .applicationIdentifier }
        let isNumber = account.pan.withBytes { digits in
            digits.indices.allSatisfy { (0x30...0x39).contains(digits[$0]) }
        }
        guard (12...19).contains(account.pan.count), isNumber else { throw .pan }
        guard account.expiry.count == 3 else { throw .fieldLength(.applicationExpirationDate) }
        guard account.effectiveDate?.count ?? 3 == 3 else { throw .fieldLength(.applicationEffectiveDate) }
        guard (2...26).contains(account.cardholderName.utf8.count) else { throw .fieldLength(.cardholderName) }
        for application in applications { try application.validate() }
        guard languages.count <= 4, languages.allSatisfy({ $0.utf8.count == 2 }) else {
            throw .fieldLength(.languagePreference)
        }
        guard account.panSequenceNumber.map({ $0 < 100 }) ?? true else { throw .fieldLength(.panSequenceNumber) }
        if let fileLayout {
            do throws(CardFileLayout.Problem) {
                try fileLayout.validate(logIdentifier: logFormat == nil ? nil : TransactionLog.shortFileIdentifier)
            } catch {
                throw .layout(error)
            }
        }
        if let contactless {
            if case .kernel8(let kernel8) = contactless {
                try validate(kernel8)
            } else {
                guard ellipticCurve == nil else { throw .contactlessKeys }
            }
            try contactless.validate()
        }
        for entry in DOL.cryptogramInput.entries where !cdol1.entries.contains(entry) {
            throw .missing(entry.tag, fromList: .cdol1)
        }
    }
}

extension CardProfile {
    /// The certificates contain one application, and the cryptogram must cover the IAD-MAC for the
    /// issuer.
    private func validate(_ contactless: Kernel8ContactlessProfile) throws(PersonalizationError) {
        guard applications.count == 1 else { throw .severalApplications }
        let count = cryptograms.issuerApplicationData(CardVerificationResults(first: .aac, second: nil)).count
        guard cryptograms.version.issuerPart == .whole, contactless.effectiveMACOffset + 8 <= count else {
            throw .issuerApplicationData
        }
    }
}

extension ContactlessProfile {
    fileprivate func validate() throws(PersonalizationError) {
        switch self {
        case .visa(let visa), .unionPay(let visa):
            for entry in DOL.visaContactless.entries where !visa.pdol.entries.contains(entry) {
                throw .missing(entry.tag, fromList: .pdol)
            }
            guard visa.formFactorIndicator?.count ?? 4 == 4 else { throw .fieldLength(.formFactorIndicator) }
            guard visa.programIdentifier.map({ (1...16).contains($0.count) }) ?? true else {
                throw .fieldLength(.applicationProgramIdentifier)
            }
        case .mastercard(let mastercard):
            for entry in DOL.cryptogramInput.entries where !mastercard.cdol1.entries.contains(entry) {
                throw .missing(entry.tag, fromList: .cdol1)
            }
            guard mastercard.thirdPartyData.map({ (5...32).contains($0.count) }) ?? true else {
                throw .fieldLength(.formFactorIndicator)
            }
            guard mastercard.offlineBalance ?? 0 <= 999_999_999_999 else { throw .fieldLength(0x9F50) }
            try mastercard.dataStorage?.validate()
            if mastercard.dataStorage?.version != nil, let pdol = mastercard.pdol,
                !pdol.entries.contains(.init(.requestedOperator, 8))
            {
                throw .missing(.requestedOperator, fromList: .pdol)
            }
            let positions = mastercard.positions
            guard (0...8).contains(positions.numberPlaces.count - Int(positions.counterDigits)) else {
                throw .fieldLength(0x9F66)
            }
        case .americanExpress(let americanExpress):
            for entry in DOL.cryptogramInput.entries where !americanExpress.cdol1.entries.contains(entry) {
                throw .missing(entry.tag, fromList: .cdol1)
            }
        case .kernel8(let kernel8):
            guard Array(kernel8.cdol1.entries.prefix(DOL.cryptogramInput.entries.count)) == DOL.cryptogramInput.entries
            else {
                throw .cryptogramDataNotFirst
            }
            let management = DOL.Entry(.terminalRiskManagementData, 8)
            guard kernel8.cdol1.entries.contains(management) else { throw .missing(management.tag, fromList: .cdol1) }
            guard kernel8.restart.map({ (2...5).contains($0.count) }) ?? true else {
                throw .fieldLength(.restartIndicator)
            }
            for (number, value) in kernel8.envelopes where !(1...10).contains(number) || value.count > 243 {
                throw .fieldLength(Tag(rawValue: Tag.dataEnvelopes.lowerBound - 1 + UInt32(number)))
            }
        }
    }
}

extension MastercardContactlessProfile.DataStorage {
    fileprivate func validate() throws(PersonalizationError) {
        for slot in slots {
            guard slot.operatorIdentifier?.count ?? 8 == 8 else { throw .fieldLength(.requestedOperator) }
            guard slot.data.count <= 160 else { throw .fieldLength(0x9F54) }
        }
        guard scheme <= 8 else { throw .fieldLength(0x9F5D) }
        for (number, value) in envelopes {
            guard (1...10).contains(number), value.count <= envelopeSize(number) else {
                throw .fieldLength(Tag(rawValue: 0x9F6F + UInt32(number)))
            }
        }
    }
}

extension CardApplication {
    fileprivate func validate() throws(PersonalizationError) {
        guard (1...16).contains(label.utf8.count), label.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) else {
            throw .fieldLength(.applicationLabel)
        }
        guard let preferredName else { return }
        guard (1...16).contains(preferredName.unicodeScalars.count) else {
            throw .fieldLength(.applicationPreferredName)
        }
        guard codeTable.bytes(preferredName) != nil else { throw .preferredName(codeTable) }
    }
}
