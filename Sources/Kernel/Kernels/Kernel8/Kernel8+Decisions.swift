import Contactless
import EMVKernel
import TLV

/// From the card's answer to the outcome (EMV Contactless Book C-8, S29 and S30).
extension Kernel8 {
    // MARK: Terminal action analysis

    /// The type of cryptogram that the terminal requests; used before and after GENERATE AC.
    ///
    /// Stricter than the book: a TC is not requested without successful local authentication, with
    /// an online PIN, or for a card on the exception file, which the book does not have.
    func cryptogramType(_ authentication: LocalAuthentication, isOnlinePIN: Bool) -> CryptogramType {
        let type = activation.terminal.type
        guard tvr.isDisjoint(with: configuration.denialActionCode) else { return .aac }
        if type.isOnlineOnly { return .arqc }
        let isProvable =
            authentication == .performed && !isOnlinePIN && profile.contains(.offlineCapable)
            && !activation.isOnExceptionFile(data.card)
        if type.isOfflineOnly { return isProvable ? .tc : .aac }
        guard isProvable, !activation.request.forcesOnline else { return .arqc }
        return tvr.isDisjoint(with: configuration.onlineActionCode) ? .tc : .arqc
    }

    // MARK: Decision

    mutating func decide(_ request: CryptogramRequest) throws(Termination) -> ContactlessOutcome {
        let information = CryptogramInformationData(rawValue: data.card[.cryptogramInformationData]?.first ?? 0)
        guard let answered = information.type, answered <= request.type else {
            throw .unexpectedCryptogram(requested: request.type, answered: information.rawValue)
        }
        if let own = data.card[.cardTVR].flatMap(TerminalVerificationResults.init) {
            tvr = tvr.intersection(configuration.reservedResults).union(own.subtracting(configuration.reservedResults))
        }
        if case .failed = request.authentication { tvr.insert(.localAuthenticationFailed) }
        let verification = verification(data.card[.cardholderVerificationDecision]?.first ?? 0xFF)
        let requested = cryptogramType(request.authentication, isOnlinePIN: verification == .onlinePIN)
        if !configuration.reportsFailedLocalAuthentication { tvr.remove(.localAuthenticationFailed) }
        data.terminal[.terminalVerificationResults] = tvr.bytes
        var outcome = outcome(answered, requested, failure: request.authentication)
        outcome.verification = verification
        let isTaken = outcome.status == .approved || outcome.status == .onlineRequest
        outcome.wantsReceipt =
            isTaken && (verification == .signature || activation.request.amount > configuration.cvmRequiredLimit)
        outcome.data = data
        let asksForFieldOff = data.card[.cardQualifier].map { $0.count == 7 && $0[4] & 0x80 != 0 } ?? false
        if asksForFieldOff { outcome.fieldOff = UInt32(configuration.fieldOffTime) }
        return outcome
    }

    /// The card's CVM decision, tag `9F8102`, if the terminal supports the method; sets CVM results
    /// and TVR.
    private mutating func verification(_ decision: UInt8) -> ContactlessOutcome.Verification? {
        let able = Kernel8Configuration.CVMCapability(rawValue: data.terminal[.terminalRiskManagementData]?.first ?? 0)
        let (results, method): ([UInt8], ContactlessOutcome.Verification?)
        switch decision {
        case 0x00 where able.contains(.noCVM):
            (results, method) = ([0x1F, 0x00, 0x02], ContactlessOutcome.Verification.none)
        case 0x01 where able.contains(.signature): (results, method) = ([0x1E, 0x00, 0x00], .signature)
        case 0x02 where able.contains(.onlinePIN):
            (results, method) = ([0x02, 0x00, 0x00], .onlinePIN)
            tvr.insert(.onlineCVMCaptured)
        case 0x03 where able.contains(.consumerDevice): (results, method) = ([0x01, 0x00, 0x02], .consumerDevice)
        case 0x0F: (results, method) = ([0x3F, 0x00, 0x00], nil)
        default:
            (results, method) = ([0x3F, 0x00, 0x01], nil)
            tvr.insert(.cardholderVerificationFailed)
        }
        data.terminal[.cvmResults] = results
        return method
    }

    // MARK: Outcomes

    private func outcome(
        _ answered: CryptogramType, _ requested: CryptogramType, failure: LocalAuthentication
    ) -> ContactlessOutcome {
        let restart = RestartIndicator(data.card[.restartIndicator], allowed: configuration.messagesOnRestart)
        if restart?.request == .presentAgain {
            var outcome = ContactlessOutcome(.endApplication, start: .b, reason: .presentAgain)
            let message = restart?.message ?? .presentCardAgain
            outcome.onOutcome = shown(message, .notReady, holdTime: configuration.messageHoldTime)
            outcome.onRestart = shown(message, .readyToRead)
            return outcome
        }
        switch (answered, requested) {
        case (.tc, .tc):
            var outcome = ContactlessOutcome(.approved)
            let isSigned = data.terminal[.cvmResults]?.first == 0x1E
            outcome.onOutcome = shown(
                isSigned ? .approvedSign : .approved, .notReady, holdTime: configuration.messageHoldTime)
            return outcome
        case (.arqc, .arqc), (.arqc, .tc), (.tc, .arqc):
            var outcome = ContactlessOutcome(.onlineRequest)
            outcome.onOutcome = shown(.authorizing, .notReady)
            return outcome
        case (.aac, _), (_, .aac): return declined(restart, answered, asked: requested, failure)
        }
    }

    private func declined(
        _ restart: RestartIndicator?, _ answered: CryptogramType, asked: CryptogramType,
        _ authentication: LocalAuthentication
    ) -> ContactlessOutcome {
        var reason = asked == .aac ? ContactlessReason.actionCodes(tvr) : .cardDeclined
        if answered != .aac {
            reason = .issuerNotReachable
            if case .failed(let failure) = authentication { reason = .dataAuthentication(failure) }
        }
        guard activation.request.kind != .refund else {
            var outcome = ContactlessOutcome(.endApplication, reason: reason)
            outcome.onOutcome = shown(.clearDisplay, .notReady)
            return outcome
        }
        if case .otherInterface(let alternate) = restart?.request {
            var outcome = ContactlessOutcome(.tryAnotherInterface, reason: .otherInterface)
            outcome.onOutcome = shown(
                restart?.message ?? .insertCard, .notReady, holdTime: configuration.messageHoldTime)
            outcome.alternateInterface = alternate
            return outcome
        }
        var outcome = ContactlessOutcome(.declined, reason: reason)
        outcome.onOutcome = shown(
            restart?.message ?? .notAuthorized, .notReady, holdTime: configuration.messageHoldTime)
        return outcome
    }

    private func shown(
        _ message: UserInterfaceRequest.Message, _ status: UserInterfaceRequest.Status, holdTime: UInt32 = 0
    ) -> UserInterfaceRequest {
        UserInterfaceRequest(message, status, holdTime: holdTime, languages: languages)
    }

    // MARK: Discretionary data

    /// Error indication, status of the data envelopes, time excess, and the envelopes that were
    /// read.
    func discretionaryData(_ outcome: ContactlessOutcome) -> DataElements {
        var elements = DataElements()
        elements[.errorIndication] = ErrorIndication(outcome).bytes
        if !configuration.envelopesToRead.isEmpty { elements[.readDataStatus] = [hasReadEnvelopes ? 0x80 : 0x00] }
        let envelopes = configuration.envelopesToWriteBefore.count + configuration.envelopesToWrite.count
        if envelopes > 0 { elements[.writeDataStatus] = [confirmedEnvelopes == envelopes ? 0x80 : 0x00] }
        elements[.relayResistanceTimeExcess] = data.terminal[.relayResistanceTimeExcess]
        for tag in data.card.tags where tag.isDataEnvelope { elements[tag] = data.card[tag] }
        return elements
    }
}
