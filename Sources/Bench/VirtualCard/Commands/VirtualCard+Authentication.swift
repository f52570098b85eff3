import CardCryptography
import SmartCard
import TLV

/// INTERNAL AUTHENTICATE and EXTERNAL AUTHENTICATE (EMV 4.4 Book 3, 6.5.4 and 6.5.9).
extension VirtualCard {
    /// DDA (EMV 4.4 Book 2, 6.5.1).
    func internalAuthenticate(_ command: CommandAPDU) throws(Refusal) -> [UInt8] {
        try command.requireParameters(0, 0)
        guard session.transaction != nil, profile.interchangeProfile.contains(.ddaSupported),
            case .rsa(let key, _) = card.keys
        else {
            throw Refusal(.conditionsNotSatisfied)
        }
        if let ddol = profile.ddol, command.data.count != ddol.dataLength { throw Refusal(.wrongLength) }
        guard
            let signature = try? SignedDynamicApplicationData.signDDA(
                iccDynamicNumber: random(8), terminalDynamicData: command.data, by: key)
        else { throw Refusal(.conditionsNotSatisfied) }
        switch profile.responseFormat {
        case .format1: return tlv(.responseTemplate1, signature)
        case .format2: return tlv(.responseTemplate2) { $0.append(.signedDynamicApplicationData, signature) }
        }
    }

    /// The issuer's answer to the ARQC, once for each transaction.
    func externalAuthenticate(_ command: CommandAPDU) throws(Refusal) -> [UInt8] {
        try command.requireParameters(0, 0)
        let takesAnswers =
            interface == .contactless || profile.interchangeProfile.contains(.issuerAuthenticationSupported)
        guard takesAnswers, var transaction = session.transaction,
            transaction.phase == .wantsIssuer, transaction.issuer == .notAuthenticated
        else { throw Refusal(.conditionsNotSatisfied) }
        guard (8...16).contains(command.data.count) else { throw Refusal(.wrongLength) }
        transaction.issuer = verdict(on: command.data, transaction)
        session.transaction = transaction
        // An answer in a second tap is valid only for that tap.
        state.pendingUpdate = nil
        guard transaction.issuer != .failed else { throw Refusal(.authenticationFailed) }
        return []
    }

    /// Whether `data`, tag `91`, is the issuer's answer to this transaction (EMV 4.4 Book 2, 8.2).
    func verdict(on data: [UInt8], _ transaction: CardTransaction) -> IssuerVerdict {
        let version = profile.cryptograms.version
        guard (8...16).contains(data.count) else { return .failed }
        guard let key = version.responseKey == .cardMasterKey ? card.cardMasterKey : try? sessionKey(transaction) else {
            return .failed
        }
        switch version.responseMethod {
        case .method1:
            guard data.count == 10,
                let expected = try? AuthorisationResponseCryptogram.method1(
                    arqc: transaction.arqc, responseCode: Array(data[8...]), key: key),
                AuthorisationResponseCryptogram.isValid(Array(data[..<8]), expected: expected)
            else { return .failed }
            return .authenticated(approves: true)
        case .method2:
            let update = Array(data[4..<8])
            guard
                let expected = try? AuthorisationResponseCryptogram.method2(
                    arqc: transaction.arqc, cardStatusUpdate: update,
                    proprietaryData: coveredProprietaryData(Array(data[8...]), update),
                    key: key),
                AuthorisationResponseCryptogram.isValid(Array(data[..<4]), expected: expected)
            else { return .failed }
            obey(update)
            // Byte 2, bit 8: the issuer approves the online transaction (EMV 4.4 Book 3, annex
            // C10).
            return .authenticated(approves: update[1] & 0x80 != 0)
        }
    }

    func sessionKey(_ transaction: CardTransaction) throws(CryptogramError) -> CardKey {
        try profile.cryptograms.version.sessionKeyDerivation.sessionKey(
            from: card.cardMasterKey, atc: transaction.counter,
            unpredictableNumber: transaction.terminal[.unpredictableNumber] ?? [])
    }
}
