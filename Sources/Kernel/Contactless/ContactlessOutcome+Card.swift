package import EMVKernel
package import SmartCard

/// The outcomes that several kernels have in the same form.
extension ContactlessOutcome {
    /// The card's answer approves.
    package static func approved(
        _ data: TransactionData, verification: Verification?, languages: [Language],
        balance: UserInterfaceRequest.Value? = nil
    ) -> ContactlessOutcome {
        let message = verification == .signature ? UserInterfaceRequest.Message.approvedSign : .approved
        return record(
            .approved, data, verification: verification,
            show: UserInterfaceRequest(message, .cardReadSuccessfully, languages: languages, value: balance))
    }

    /// The issuer is asked.
    package static func online(_ data: TransactionData, verification: Verification?, languages: [Language])
        -> ContactlessOutcome
    {
        record(
            .onlineRequest, data, verification: verification,
            show: UserInterfaceRequest(.authorizing, .cardReadSuccessfully, languages: languages))
    }

    private static func record(
        _ status: Status, _ data: TransactionData, verification: Verification?, show request: UserInterfaceRequest
    ) -> ContactlessOutcome {
        var outcome = ContactlessOutcome(status)
        outcome.onOutcome = request
        outcome.verification = verification
        outcome.wantsReceipt = verification == .signature
        outcome.data = data
        return outcome
    }

    package static func declined(_ reason: ContactlessReason, _ data: TransactionData, languages: [Language])
        -> ContactlessOutcome
    {
        var outcome = ContactlessOutcome(.declined, reason: reason)
        outcome.onOutcome = UserInterfaceRequest(.notAuthorized, .cardReadSuccessfully, languages: languages)
        outcome.data = data
        return outcome
    }

    /// The card is to be inserted.
    package static func tryContacts(_ reason: ContactlessReason, languages: [Language]) -> ContactlessOutcome {
        var outcome = ContactlessOutcome(.tryAnotherInterface, reason: reason)
        outcome.onOutcome = UserInterfaceRequest(.insertCard, .processingError, languages: languages)
        outcome.alternateInterface = .contactChip
        return outcome
    }

    /// GET PROCESSING OPTIONS ended with `status` (EMV Contactless Book C-3, 5.3; kernels 4 and 7
    /// take the same words).
    package static func refused(_ status: StatusWord, languages: [Language]) throws(Termination) -> ContactlessOutcome {
        switch status {
        case .referencedDataInvalidated: return .tryContacts(.otherInterface, languages: languages)
        case .conditionsNotSatisfied:
            return ContactlessOutcome(.selectNext, start: .c, reason: .termination(.applicationRefused))
        case 0x6986:
            var outcome = ContactlessOutcome.tryAgain(.seePhone)
            outcome.onOutcome = UserInterfaceRequest(
                .seePhone, .processingError, holdTime: phoneTime, languages: languages)
            outcome.fieldOff = phoneTime
            return outcome
        default: throw .commandFailed(.getProcessingOptions, status)
        }
    }

    /// "See phone" is shown for 1.3 s. The field is off for the same time.
    private static let phoneTime: UInt32 = 13
}
