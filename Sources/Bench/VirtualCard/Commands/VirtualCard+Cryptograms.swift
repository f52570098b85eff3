import CardCryptography
import SmartCard
import TLV

/// GENERATE AC (EMV 4.4 Book 3, 6.5.5, 10.8 and 10.11).
extension VirtualCard {
    func generateAC(_ command: CommandAPDU) throws(Refusal) -> [UInt8] {
        guard let requested = CryptogramType(rawValue: command.p1 & 0xC0), command.p1 & 0x27 == 0, command.p2 == 0,
            let signature = try? requestedSignature(command.p1 & 0x18)
        else { throw Refusal(.incorrectP1P2) }
        guard var transaction = session.transaction, transaction.phase != .complete else {
            throw Refusal(.conditionsNotSatisfied)
        }
        let isFirst = transaction.phase == .begun
        guard isFirst || requested != .arqc else { throw Refusal(.conditionsNotSatisfied) }
        guard let values = (isFirst ? profile.cdol1 : profile.cdol2).split(command.data) else {
            throw Refusal(.wrongLength)
        }
        transaction.take(values, command.data)

        let type = isFirst ? decideFirst(requested, &transaction) : decideSecond(requested, &transaction)
        let cryptogram = try makeCryptogram(type, isFirst: isFirst, transaction)
        if type == .arqc { transaction.arqc = cryptogram.value }
        if isFirst {
            transaction.messaging = messaging(transaction, applicationCryptogram: cryptogram.value)
            state.scripts.tell()
        }
        session.transaction = transaction
        if transaction.phase == .complete { conclude(transaction) }
        switch signature {
        case .combined where type != .aac || !transaction.storageSummaries.isEmpty:
            return try encodeSigned(cryptogram, transaction)
        case .extended:
            // The first signature covers the values of PDOL and CDOL1, the second only those of
            // CDOL2 (Book 2, table 37).
            return try encodeExtended(cryptogram, received: isFirst ? transaction.received : command.data, transaction)
        default: return encode(cryptogram, transaction)
        }
    }

    private enum Signature { case none, combined, extended }

    /// Bits 5–4 of the reference control parameter (Book 3, table 12), if the card supports the
    /// request.
    private func requestedSignature(_ bits: UInt8) throws(Refusal) -> Signature {
        switch bits {
        case 0x00: return .none
        case 0x10 where profile.interchangeProfile.contains(.cdaSupported): return .combined
        case 0x08 where profile.interchangeProfile.contains(.xdaSupported): return .extended
        default: throw Refusal(.incorrectP1P2)
        }
    }

    // MARK: Decisions

    private func decideFirst(_ requested: CryptogramType, _ transaction: inout CardTransaction) -> CryptogramType {
        let amount = transaction.terminal.number(.amountAuthorised) ?? .max
        let asked = wantsIssuer(amount) ? min(requested, .arqc) : requested
        let type = isBlocked ? .aac : profile.riskRule.firstCryptogram(asked, amount: amount)
        transaction.firstCryptogram = type
        transaction.phase = type == .arqc ? .wantsIssuer : .complete
        return type
    }

    /// In a field, a card may request online authorization above its own limit.
    private func wantsIssuer(_ amount: UInt64) -> Bool {
        guard interface == .contactless else { return false }
        let limit: UInt64?
        switch profile.contactless {
        case .mastercard(let mastercard): limit = mastercard.approvesOfflineUpTo
        case .americanExpress(let americanExpress): limit = americanExpress.approvesOfflineUpTo
        case .visa, .unionPay, .kernel8, nil: return false
        }
        if let balance = state.offlineBalance, amount > balance { return true }
        return limit.map { amount > $0 } ?? true
    }

    private func decideSecond(_ requested: CryptogramType, _ transaction: inout CardTransaction) -> CryptogramType {
        transaction.phase = .complete
        if transaction.isUnableToGoOnline {
            transaction.issuer = .unreachable
        } else if transaction.issuer == .notAuthenticated,
            let data = transaction.issuerAuthenticationData(profile.cdol2)
        {
            transaction.issuer = verdict(on: data, transaction)
        }
        return requested == .tc && !isBlocked && profile.riskRule.approves(transaction.issuer) ? .tc : .aac
    }

    /// Stores the data of a completed transaction that the card keeps.
    private func conclude(_ transaction: CardTransaction) {
        switch transaction.issuer {
        case .authenticated: lastOnlineCounter = transaction.counter
        case .notAuthenticated
        where transaction.firstCryptogram == .arqc && !profile.riskRule.requiresIssuerAuthentication:
            lastOnlineCounter = transaction.counter
        default: break
        }
        if case .authenticated = transaction.issuer { state.scripts.forgetReported() }
        if let format = profile.logFormat { log.append(transaction, format: format) }
    }

    // MARK: Cryptogram

    /// The data of an answer to GENERATE AC.
    private struct Cryptogram {
        let information: UInt8
        let value: [UInt8]
        let issuerApplicationData: [UInt8]
    }

    /// EMV 4.4 Book 2, 8.1.
    private func makeCryptogram(_ type: CryptogramType, isFirst: Bool, _ transaction: CardTransaction) throws(Refusal)
        -> Cryptogram
    {
        let scheme = profile.cryptograms
        let issuerApplicationData = scheme.issuerApplicationData(
            CardVerificationResults(
                first: transaction.firstCryptogram, second: isFirst ? nil : type,
                offlinePINPerformed: transaction.pinPerformed,
                offlinePINFailed: transaction.pinFailed, pinTryLimitExceeded: profile.pin != nil && pinTriesLeft == 0,
                issuerAuthenticationFailed: transaction.issuer == .failed,
                unableToGoOnline: transaction.issuer == .unreachable,
                pinTriesLeft: profile.pin == nil ? 0 : pinTriesLeft, issuerCommands: state.scripts.count))
        do throws(CryptogramError) {
            let input = try scheme.version.input(
                terminalData: DOL.cryptogramInput.concatenate(transaction.terminal),
                applicationInterchangeProfile: profile.interchangeProfile.bytes, atc: transaction.counter,
                issuerApplicationData: issuerApplicationData)
            let reason: CryptogramInformationData.Reason =
                transaction.issuer == .failed ? .issuerAuthenticationFailed : .none
            return Cryptogram(
                information: type.rawValue | reason.rawValue,
                value: ApplicationCryptogram.compute(
                    input, sessionKey: try sessionKey(transaction), padding: scheme.version.padding),
                issuerApplicationData: issuerApplicationData)
        } catch {
            throw Refusal(.conditionsNotSatisfied)
        }
    }

    // MARK: Answer

    /// EMV 4.4 Book 3, 6.5.5.4.
    private func encode(_ cryptogram: Cryptogram, _ transaction: CardTransaction) -> [UInt8] {
        switch profile.responseFormat {
        case .format1:
            let counter = transaction.counter.bigEndianBytes
            return tlv(
                .responseTemplate1,
                [cryptogram.information] + counter + cryptogram.value + cryptogram.issuerApplicationData)
        case .format2:
            return tlv(
                .responseTemplate2,
                head(cryptogram, transaction) + tlv(.applicationCryptogram, cryptogram.value)
                    + tlv(.issuerApplicationData, cryptogram.issuerApplicationData))
        }
    }

    /// CID and counter.
    private func head(_ cryptogram: Cryptogram, _ transaction: CardTransaction) -> [UInt8] {
        tlv(.cryptogramInformationData, [cryptogram.information])
            + tlv(.applicationTransactionCounter, transaction.counter.bigEndianBytes)
    }

    /// CDA: the cryptogram within the signature (EMV 4.4 Book 2, table 20).
    private func encodeSigned(_ cryptogram: Cryptogram, _ transaction: CardTransaction) throws(Refusal) -> [UInt8] {
        let (head, tail) = (
            head(cryptogram, transaction), tlv(.issuerApplicationData, cryptogram.issuerApplicationData)
        )
        let signature = try sign(cryptogram, transactionData: transaction.received + head + tail, transaction)
        return tlv(.responseTemplate2, head + tlv(.signedDynamicApplicationData, signature) + tail)
    }

    /// XDA: the cryptogram and the signature on all exchanged data (EMV 4.4 Book 2, 12.5.2, table
    /// 39).
    private func encodeExtended(
        _ cryptogram: Cryptogram, received: [UInt8], _ transaction: CardTransaction
    ) throws(Refusal) -> [UInt8] {
        guard case .ellipticCurve(let key, let suite, _) = card.keys else { throw Refusal(.conditionsNotSatisfied) }
        let objects =
            head(cryptogram, transaction) + tlv(.applicationCryptogram, cryptogram.value)
            + tlv(.issuerApplicationData, cryptogram.issuerApplicationData)
        guard let signature = try? XDASignature.sign(received + objects, suite: suite, by: key) else {
            throw Refusal(.conditionsNotSatisfied)
        }
        return tlv(.responseTemplate2, objects + tlv(.signedDynamicApplicationData, signature))
    }

    /// CDA (EMV 4.4 Book 2, 6.6.1).
    private func sign(
        _ cryptogram: Cryptogram, transactionData: [UInt8], _ transaction: CardTransaction
    ) throws(Refusal) -> [UInt8] {
        guard case .rsa(let key, _) = card.keys else { throw Refusal(.conditionsNotSatisfied) }
        do throws(IssuingError) {
            return try SignedDynamicApplicationData.signCDA(
                iccDynamicNumber: random(8), cryptogramInformationData: cryptogram.information,
                applicationCryptogram: cryptogram.value,
                transactionData: transactionData, unpredictableNumber: transaction.terminal[.unpredictableNumber] ?? [],
                contactlessData: transaction.storageSummaries + (transaction.relayExchanges.last ?? []), by: key)
        } catch {
            throw Refusal(.conditionsNotSatisfied)
        }
    }
}

extension CardTransaction {
    /// The terminal reports it with `Y3` or `Z3` (EMV 4.4 Book 4, annex A6).
    fileprivate var isUnableToGoOnline: Bool {
        guard let code = terminal[.authorisationResponseCode] else { return false }
        return code == Array("Y3".utf8) || code == Array("Z3".utf8)
    }

    /// Tag `91` from the CDOL2 data; nil if the list does not contain it, or the terminal had none
    /// and sent zeros.
    fileprivate func issuerAuthenticationData(_ cdol2: DOL) -> [UInt8]? {
        guard cdol2.contains(.issuerAuthenticationData), let data = terminal[.issuerAuthenticationData],
            data.contains(where: { $0 != 0 })
        else { return nil }
        return data
    }
}
