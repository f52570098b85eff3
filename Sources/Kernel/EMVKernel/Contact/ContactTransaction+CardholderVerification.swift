private import Bytes
import CardCryptography
import SmartCard
import TLV

/// Cardholder verification (EMV 4.4 Book 3, 10.5; Book 4, 6.3.4).
extension ContactTransaction {
    mutating func verifyCardholder(_ application: ApplicationConfiguration) async throws(Termination) {
        guard profile.contains(.cardholderVerificationSupported) else {
            cvmResults = .notPerformed
            observe?(.cardholderVerification([], cvmResults))
            return
        }
        // A malformed list ends the transaction. A missing list, or one without rules, counts as
        // missing data, and no CVM is performed (10.5; 7.5, table 35; Book 4, 6.3.4.5, table 2).
        let list = try data.card[.cvmList].map { bytes throws(Termination) in
            guard let list = CVMList(bytes) else { throw .invalidData(.cvmList) }
            return list
        }
        guard let list, !list.rules.isEmpty else {
            tvr.insert(.iccDataMissing)
            cvmResults = .notPerformed
            observe?(.cardholderVerification([], cvmResults))
            return
        }
        let attempts = try await apply(list, application)
        tsi.insert(.cardholderVerification)
        observe?(.cardholderVerification(attempts, cvmResults))
    }

    /// Applies the rules in order, until one succeeds or one ends verification with a failure.
    private mutating func apply(_ list: CVMList, _ application: ApplicationConfiguration) async throws(Termination)
        -> [CVMAttempt]
    {
        let context = CVMConditionContext(
            kind: request.kind, amount: request.amount, amountOther: request.amountOther,
            isAttended: configuration.type.isAttended,
            capabilities: capabilities,
            isInApplicationCurrency: data.card.number(.applicationCurrencyCode) == UInt64(request.currencyCode),
            list: list)
        var attempts: [CVMAttempt] = []
        attempts.reserveCapacity(list.rules.count)
        cvmResults = .noneApplied
        for rule in list.rules {
            guard context.isSatisfied(rule) else {
                attempts.append(CVMAttempt(rule: rule, end: .passedOver))
                continue
            }
            let end = try await perform(rule, application)
            attempts.append(CVMAttempt(rule: rule, end: end))
            switch end {
            case .successful:
                cvmResults = CVMResults(rule: rule, result: .successful)
                return attempts
            case .unknown:
                cvmResults = CVMResults(rule: rule, result: .unknown)
                return attempts
            case .failed, .unsupported, .unrecognized, .passedOver:
                // Book 4, 6.3.4.5, table 2: an unsupported method was not performed; then the
                // results are those of the last method performed, or 3F 00 01.
                if end == .failed { cvmResults = CVMResults(rule: rule, result: .failed) }
                guard rule.continuesIfUnsuccessful && rule.code != .fail else {
                    tvr.insert(.cardholderVerificationFailed)
                    return attempts
                }
            }
        }
        // No rules are left: verification failed (Book 3, 10.5).
        tvr.insert(.cardholderVerificationFailed)
        return attempts
    }

    private mutating func perform(_ rule: CVMRule, _ application: ApplicationConfiguration) async throws(Termination)
        -> CVMAttempt.End
    {
        guard CVMConditionContext.isRecognized(rule.code) else {
            tvr.insert(.unrecognizedCVM)
            return .unrecognized
        }
        guard CVMConditionContext.isSupported(rule.code, capabilities) else {
            if lacksPINPad(for: rule.code) { tvr.insert(.pinPadNotPresentOrNotWorking) }
            return .unsupported
        }
        switch rule.code {
        case .noCVM: return .successful
        case .signature: return .unknown
        case .onlinePIN: return try await takeOnlinePIN()
        case .plaintextPIN: return try await verifyOfflinePIN(.plaintext)
        case .encipheredPIN: return try await verifyEncipheredPIN(application)
        case .plaintextPINAndSignature:
            let end = try await verifyOfflinePIN(.plaintext)
            return end == .successful ? .unknown : end
        case .encipheredPINAndSignature:
            let end = try await verifyEncipheredPIN(application)
            return end == .successful ? .unknown : end
        default: return .failed
        }
    }

    /// Whether `code` requires a PIN that the terminal does not support: an offline PIN if it
    /// supports neither form (Book 3, 10.5.1 with its footnote), or an unsupported online PIN
    /// (10.5.2).
    private func lacksPINPad(for code: CVMCode) -> Bool {
        switch code {
        case .onlinePIN: !capabilities.contains(.encipheredOnlinePIN)
        case .plaintextPIN, .plaintextPINAndSignature, .encipheredPIN, .encipheredPINAndSignature:
            capabilities.isDisjoint(with: [
                .plaintextOfflinePIN, .encipheredOfflinePINByRSA, .encipheredOfflinePINByECC,
            ])
        default: false
        }
    }

    // MARK: Online PIN (Book 3, 10.5.2)

    private mutating func takeOnlinePIN() async throws(Termination) -> CVMAttempt.End {
        guard let pinPad = cardholder.pinPad else { return pinPadFailed() }
        let entry = await pinPad.enterOnlinePIN(
            pan: data.card.secretDigits(.applicationPAN) ?? SecretBytes([]), amount: request.amount,
            currencyCode: request.currencyCode)
        switch entry {
        case .entered(let format, let pinBlock, let ksn):
            onlinePIN = OnlinePIN(format: format, pinBlock: pinBlock, ksn: ksn)
            tvr.insert(.onlineCVMCaptured)
            return .unknown
        case .bypassed:
            tvr.insert(.pinNotEntered)
            return .failed
        case .failed: return pinPadFailed()
        case .cancelled: throw .cancelledByCardholder
        }
    }

    // MARK: Offline PIN (Book 3, 10.5.1)

    /// The method fails if the card's key cannot be recovered (EMV 4.4 Book 2, 7.1 and 13.2). The
    /// authority's key determines the algorithm.
    private mutating func verifyEncipheredPIN(_ application: ApplicationConfiguration) async throws(Termination)
        -> CVMAttempt.End
    {
        guard let form = pinEnciphermentForm(certificateChain(application)) else { return .failed }
        return try await verifyOfflinePIN(form)
    }

    private func pinEnciphermentForm(_ chain: CertificateChain) -> OfflinePINForm? {
        // The PIN pad of a replay sends the VERIFY of the log, and needs no key.
        if authentication.assumed != nil { return .plaintext }
        switch try? chain.authority().key {
        case .rsa where capabilities.contains(.encipheredOfflinePINByRSA):
            let cardKey: RSAPublicKey? = if case .rsa(let key) = authentication.cardKey { key } else { nil }
            return (try? chain.pinEnciphermentKey(authentication.staticData, cardKey: cardKey)).map { .enciphered($0) }
        case .ellipticCurve where capabilities.contains(.encipheredOfflinePINByECC):
            guard let cardData = try? issuerCertifiedCardData(),
                let key = try? chain.ellipticCurvePINKey(cardData: cardData)
            else {
                return nil
            }
            return .encipheredByECC(ECPINEncipherment(suite: key.suite, cardKey: key.key))
        default: return nil
        }
    }

    private mutating func verifyOfflinePIN(_ form: OfflinePINForm) async throws(Termination) -> CVMAttempt.End {
        guard let pinPad = cardholder.pinPad else { return pinPadFailed() }
        var triesLeft = try await pinTryCounter()
        // The card's counter has four bits. The loop is bounded in case the counter does not
        // decrease.
        for _ in 0...15 {
            guard triesLeft != 0 else {
                tvr.insert(.pinTryLimitExceeded)
                return .failed
            }
            let entry: OfflinePINEntry
            do throws(CardChannelError) {
                entry = try await pinPad.verifyOfflinePIN(form, triesLeft: triesLeft, card: card)
            } catch {
                throw .channel(error)
            }
            switch entry {
            case .answered(.success): return .successful
            case .answered(let status):
                if let counter = status.counter {
                    triesLeft = counter
                } else {
                    // 6983 and 6984 say that the try limit was exceeded before, or that the block
                    // cannot be deciphered (10.5.1); any other status is not a valid answer to
                    // VERIFY (figure 11).
                    guard status == .authenticationMethodBlocked || status == .referencedDataInvalidated else {
                        throw .commandFailed(.verify, status)
                    }
                    tvr.insert(.pinTryLimitExceeded)
                    return .failed
                }
            case .noChallenge: return .failed
            case .bypassed:
                tvr.insert(.pinNotEntered)
                return .failed
            case .failed: return pinPadFailed()
            case .cancelled: throw .cancelledByCardholder
            }
        }
        return .failed
    }

    /// Tag `9F17` by GET DATA, or nil if the card does not return it.
    private func pinTryCounter() async throws(Termination) -> UInt8? {
        let response = try await send(.getData(0x9F17))
        guard response.status == .success, let elements = try? DataElements(parsing: response.data) else { return nil }
        return elements[.pinTryCounter]?.first
    }

    private mutating func pinPadFailed() -> CVMAttempt.End {
        tvr.insert(.pinPadNotPresentOrNotWorking)
        return .failed
    }
}
