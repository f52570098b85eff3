private import Bytes
import CardCryptography
package import EMVKernel
package import TLV

/// The decisions about a card that answers GET PROCESSING OPTIONS with its cryptogram, from its
/// answers to the outcome (EMV Contactless Book C-3, 5.4 to 5.8). UnionPay's cards have the same
/// data objects; kernel 7 takes the same decisions.
package struct QualifiedTransaction {
    private let activation: KernelActivation
    private var data: TransactionData
    /// TTQ as sent to the card.
    private let qualifiers: TerminalTransactionQualifiers

    package init(_ activation: KernelActivation, _ data: TransactionData, qualifiers: TerminalTransactionQualifiers) {
        self.activation = activation
        self.data = data
        self.qualifiers = qualifiers
    }

    private var languages: [Language] { activation.application.languages }

    /// The state of the transaction during the decisions.
    private struct Course {
        let information: CryptogramInformationData
        let qualifiers: CardTransactionQualifiers?
        var isOnline: Bool

        var cardQualifiers: CardTransactionQualifiers { qualifiers ?? [] }
    }

    /// 5.4.2 to 5.8, in this order.
    ///
    /// - Parameter staticData: The data of the records marked in the AFL.
    package mutating func decide(_ staticData: StaticData) throws(Termination) -> ContactlessOutcome {
        let information = try checkedInformation()
        var course = Course(
            information: information, qualifiers: try cardQualifiers(),
            isOnline: false)
        switch CardDisposition(information, qualifiers, kind: activation.request.kind) {
        case .refused(let reason): return declined(reason)
        case .online: course.isOnline = true
        case .offline: break
        }
        if let outcome = applyRestrictions(&course) { return outcome }
        if let outcome = authenticate(&course, staticData) { return outcome }
        switch VerificationSelection(
            card: course.qualifiers, reader: qualifiers, relatedData: data.card[.cardAuthenticationRelatedData],
            isARQC: information.type == .arqc)
        {
        case .declined(let reason): return declined(reason)
        case .method(.onlinePIN):
            course.isOnline = true
            return finish(course, .onlinePIN)
        case .method(let method): return finish(course, method)
        }
    }

    // MARK: The card's data (5.4.2)

    /// Mandatory data objects, and the type of cryptogram.
    private mutating func checkedInformation() throws(Termination) -> CryptogramInformationData {
        let fixed: [(Tag, Int)] = [
            (.applicationInterchangeProfile, 2), (.applicationTransactionCounter, 2), (.applicationCryptogram, 8),
        ]
        for (tag, count) in fixed {
            guard let value = data.card[tag] else { throw .missingData(tag) }
            guard value.count == count else { throw .invalidData(tag) }
        }
        guard let issuerData = data.card[.issuerApplicationData] else { throw .missingData(.issuerApplicationData) }
        guard issuerData.count <= 32 else { throw .invalidData(.issuerApplicationData) }
        guard activation.application.name != nil else { throw .missingData(.dfName) }
        guard let information = CardDisposition.cryptogramInformation(data.card) else {
            throw .missingData(.cryptogramInformationData)
        }
        data.card[.cryptogramInformationData] = [information.rawValue]
        try checkAccountNumber()
        return information
    }

    /// PAN and track must belong to the same card (5.4.2.2). Online requests use track 2.
    private func checkAccountNumber() throws(Termination) {
        guard data.card.contains(.track2EquivalentData) else {
            guard data.card.contains(.applicationPAN) else { throw .missingData(.track2EquivalentData) }
            guard data.card.pan != nil else { throw .invalidData(.applicationPAN) }
            return
        }
        guard let track = Track2Equivalent(data.card) else { throw .invalidData(.track2EquivalentData) }
        guard data.card.pan == track.pan else { throw .invalidData(.applicationPAN) }
    }

    /// CTQ, tag `9F6C` (5.7); nil for a card without it.
    private func cardQualifiers() throws(Termination) -> CardTransactionQualifiers? {
        guard let value = data.card[.cardTransactionQualifiers] else { return nil }
        guard let qualifiers = CardTransactionQualifiers(value) else { throw .invalidData(.cardTransactionQualifiers) }
        return qualifiers
    }

    // MARK: Processing restrictions (5.5)

    /// 5.5: expiry, exception file and usage, where the card approves offline.
    private func applyRestrictions(_ course: inout Course) -> ContactlessOutcome? {
        guard !course.isOnline else { return nil }
        let result = OfflineRestrictions.evaluate(
            data.card, course.cardQualifiers, request: activation.request,
            isOnExceptionFile: activation.isOnExceptionFile(data.card),
            reader: .init(
                isOnlineCapable: isOnlineCapable, hasContactChip: qualifiers.contains(.contactChip),
                country: activation.terminal.countryCode))
        switch result {
        case .passed: return nil
        case .online:
            course.isOnline = true
            return nil
        case .otherInterface(let reason): return .tryContacts(reason, languages: languages)
        case .declined(let reason): return declined(reason)
        }
    }

    private var isOnlineCapable: Bool {
        !qualifiers.contains(.offlineOnlyReader) && !activation.terminal.type.isOfflineOnly
    }

    // MARK: Offline data authentication (5.6)

    /// 5.6: offline, the card must be authenticated. Online, TTQ requests it: a card without a
    /// signature is left to its issuer, but a card with an invalid signature is not.
    private func authenticate(_ course: inout Course, _ staticData: StaticData) -> ContactlessOutcome? {
        let profile = data.card[.applicationInterchangeProfile].flatMap(ApplicationInterchangeProfile.init) ?? []
        if course.isOnline {
            guard qualifiers.contains(.dataAuthenticationForOnline), profile.contains(.ddaSupported),
                data.card.contains(.signedDynamicApplicationData)
            else { return nil }
        }
        let failure =
            profile.contains(.ddaSupported)
            ? FastDDA.failure(
                data, staticData: staticData, format: course.information.type == .tc ? .offline : .online,
                activation: activation)
            : .dataAuthentication(.missingData(.signedDynamicApplicationData))
        guard let failure else { return nil }
        if course.cardQualifiers.contains(.onlineIfDataAuthenticationFails), isOnlineCapable {
            course.isOnline = true
            return nil
        }
        let mayInsert =
            course.cardQualifiers.contains(.otherInterfaceIfDataAuthenticationFails)
            && qualifiers.contains(.contactChip)
        return mayInsert ? .tryContacts(failure, languages: languages) : declined(failure)
    }

    // MARK: Outcomes (5.8)

    /// 5.8, and the issuer's update (5.9) where card and reader have it.
    private func finish(_ course: Course, _ verification: ContactlessOutcome.Verification) -> ContactlessOutcome {
        guard course.isOnline else { return approved(verification) }
        guard isOnlineCapable else { return declined(.issuerNotReachable) }
        var outcome = ContactlessOutcome.online(data, verification: verification, languages: languages)
        if qualifiers.contains(.issuerUpdateProcessing), course.cardQualifiers.contains(.issuerUpdateProcessing) {
            outcome.start = .b
            outcome.onlineResponse = .emvData
            outcome.onRestart = UserInterfaceRequest(.presentCardAgain, .readyToRead, languages: languages)
            outcome.fieldOff = 0
        }
        return outcome
    }

    private func approved(_ verification: ContactlessOutcome.Verification) -> ContactlessOutcome {
        let balance = data.card.number(.availableOfflineSpendingAmount).map {
            UserInterfaceRequest.Value.balance($0, currency: activation.request.currencyCode)
        }
        return .approved(data, verification: verification, languages: languages, balance: balance)
    }

    private func declined(_ reason: ContactlessReason) -> ContactlessOutcome {
        .declined(reason, data, languages: languages)
    }
}
