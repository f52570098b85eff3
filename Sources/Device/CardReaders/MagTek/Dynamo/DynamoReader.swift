package import CardCapture
package import DeviceIO
import EMVKernel

/// A MagneSafe V5 reader of MagTek with a chip reader (eDynamo, mDynamo, tDynamo; eDynamo
/// programmer's manual D998200115-17). Swipes are read by ``MagneSafeReader``, which may have the
/// same device open at the same time.
///
/// A tDynamo also takes taps. Of its manual, D998200226-21, no text was at hand. The bit of the
/// start is in MagTek's manual of the library MTSCRA, for tDynamo and others; events and progress
/// of a tap are in MagTek's public demonstration of V5 readers. Neither was tried with a device.
/// Where these leave a choice, a tap is less: one that fails never leads to the stripe, and one
/// that the device approves without asking the issuer makes no payment, since its card is not read
/// from the result.
///
/// It has no display: its texts are sent as ``ReaderEvent/prompt(_:says:)``, and its questions go
/// to the `choose` function.
package typealias DynamoReader = MagTekReader<DynamoLink>

extension MagTekReader where Kernel == DynamoLink {
    /// - Parameters:
    ///   - path: Such as `/dev/hidraw0`.
    ///   - hasField: Whether it takes taps, too; only for models that have a field.
    package init(
        hid path: String, name: String = "MagTek Dynamo", hasField: Bool = false, decryption: SwipeDecryption? = nil,
        choose: @escaping Choice = { _ in 0 }
    ) throws(DeviceError) {
        let capabilities = hasField ? DynamoLink.fieldCapabilities : DynamoLink.capabilities
        try self.init(name: name, capabilities: capabilities, decryption: decryption, choose: choose) {
            cancel throws(DeviceError) in
            DynamoLink(try HIDDevice(path: path, cancel: cancel), cancel: cancel, hasField: hasField)
        }
    }
}

extension DynamoLink: DeviceKernel {
    package static let models = [
        ReaderModel(.hid, vendor: 0x0801, product: 0x001A, name: "MagTek mDynamo"),
        ReaderModel(.hid, vendor: 0x0801, product: 0x001E, name: "MagTek eDynamo"),
    ]
    package static let fieldModels = [ReaderModel(.hid, vendor: 0x0801, product: 0x001C, name: "MagTek tDynamo")]
    package static let capabilities: ReaderCapabilities = [.contactChip, .ownKernel, .cardEvents]
    package static let fieldCapabilities = capabilities.union(.contactlessChip)

    package func start(_ request: CaptureRequest, timeout: UInt8) throws(DeviceError) {
        wasAnswered = false
        cause = nil
        interface = nil
        var start = DynamoCommand.Start(
            timeout: timeout, amount: request.amount, transactionType: request.kind.rawValue,
            currencyCode: request.currencyCode)
        start.cashback = request.cashback
        start.readsContactless = hasField
        try perform(start.command)
    }

    package func next(by deadline: Deadline) throws(DeviceError) -> DeviceStep {
        switch try notification(by: deadline) {
        case .status(let event, let progress): return status(event, progress)
        case .display(let text): return .event(.prompt(text.isEmpty ? [] : [text]))
        case .selection(_, let choices): return .selection(choices)
        case .online(let data): return .online(data.presented(at: interface))
        case .result(let result):
            let outcome = DeviceOutcome(result, wasAnswered: wasAnswered, cause)
            return .complete(interface == .contactless ? outcome.ofTap : outcome)
        case .other: return .other
        }
    }

    private func status(_ event: DynamoNotification.Event?, _ progress: DynamoNotification.Progress?) -> DeviceStep {
        switch event {
        case .cardInserted?: (interface, cause) = (.contact, nil)
        case .contactlessDetected?: (interface, cause) = (.contactless, nil)
        case .cardRemoved? where interface == .contact: interface = nil
        default: break
        }
        switch progress {
        case .emptyCandidateList?: cause = .emptyCandidateList
        case .contactlessSelectionFailed?, .otherInterface?, .otherCardType?, .noInterchangeProfile?:
            cause = .otherInterface
        case .selectionFailed?, .notAccepted?, .cardBlocked?, .applicationBlocked?: cause = nil
        case .removeCard?, .severalCards?, .seePhone?, nil:
            if event == .cardError { cause = .technical }
        }
        switch (event, progress) {
        case (.cardInserted?, _): return .event(.cardPresented(.contact))
        case (.contactlessDetected?, _): return .event(.cardPresented(.contactless))
        case (.cardRemoved?, _): return .event(.cardRemoved(.contact))
        case (_, .severalCards?): return .event(.prompt(["PRESENT ONE CARD ONLY"]))
        case (_, .seePhone?): return .event(.prompt(["SEE PHONE FOR", "INSTRUCTIONS"]))
        case (_, .removeCard?): return .event(.prompt(["REMOVE CARD"]))
        default: return .other
        }
    }

    package func choose(_ choice: Int?) throws(DeviceError) { try perform(DynamoCommand.selection(choice)) }

    package func answer(_ answer: IssuerAnswer, serialNumber: [UInt8]) throws(DeviceError) {
        wasAnswered = true
        try perform(DynamoCommand.answer(serialNumber: serialNumber, objects: answer.magTekObjects))
    }
}

extension DeviceOutcome {
    fileprivate init(_ result: DynamoResult, wasAnswered: Bool, _ cause: Cause?) {
        switch result.status {
        case .approved:
            self =
                wasAnswered
                ? .approved(signature: result.requiresSignature) : .approvedOffline(signature: result.requiresSignature)
        case .declined: self = wasAnswered ? .declined : .declinedOffline
        case .error, .unknown: self = .failed(cause)
        case .cancelledByHost, .waitCancelled: self = .cancelledByHost
        // A stripe was swiped instead; the reader for swipes receives its data.
        case .selectionCancelled, .cancelledBySwipe: self = .cancelledByUser
        case .selectionTimedOut, .waitTimedOut: self = .timedOut
        }
    }
}
