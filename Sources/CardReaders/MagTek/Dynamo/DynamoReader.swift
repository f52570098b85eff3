package import CardCapture
package import DeviceIO
import EMVKernel

/// A MagneSafe V5 reader of MagTek with a chip reader (eDynamo, mDynamo, tDynamo; eDynamo
/// programmer's manual D998200115-17). Swipes are read by ``MagneSafeReader``, which may have the
/// same device open at the same time.
///
/// It has no display: its texts are sent as ``ReaderEvent/prompt(_:)``, and its questions go to the
/// `choose` function.
package typealias DynamoReader = MagTekReader<DynamoLink>

extension MagTekReader where Kernel == DynamoLink {
    /// - Parameter path: Such as `/dev/hidraw0`.
    package init(
        hid path: String, name: String = "MagTek Dynamo", decryption: SwipeDecryption? = nil, choose: @escaping Choice = { _ in 0 }
    ) throws(DeviceError) {
        try self.init(name: name, decryption: decryption, choose: choose) { cancel throws(DeviceError) in
            DynamoLink(try HIDDevice(path: path, cancel: cancel), cancel: cancel)
        }
    }
}

extension DynamoLink: DeviceKernel {
    package static let models = [
        ReaderModel(.hid, vendor: 0x0801, product: 0x001A, name: "MagTek mDynamo"),
        ReaderModel(.hid, vendor: 0x0801, product: 0x001C, name: "MagTek tDynamo"),
        ReaderModel(.hid, vendor: 0x0801, product: 0x001E, name: "MagTek eDynamo"),
    ]
    package static let capabilities: ReaderCapabilities = [.contactChip, .ownKernel, .cardEvents]

    package func start(_ request: CaptureRequest, timeout: UInt8) throws(DeviceError) {
        wasAnswered = false
        cause = nil
        var start = DynamoCommand.Start(
            timeout: timeout, amount: request.amount, transactionType: request.kind.rawValue, currencyCode: request.currencyCode)
        start.cashback = request.cashback
        try perform(start.command)
    }

    package func next(by deadline: Deadline) throws(DeviceError) -> DeviceStep {
        switch try notification(by: deadline) {
        case .status(let event, let progress):
            switch progress {
            case .emptyCandidateList?: cause = .emptyCandidateList
            case .selectionFailed?, .notAccepted?, .cardBlocked?, .applicationBlocked?: cause = nil
            case nil: if event == .cardError { cause = .technical }
            }
            switch event {
            case .cardInserted: return .event(.cardPresented(.contact))
            case .cardRemoved: return .event(.cardRemoved(.contact))
            default: return .other
            }
        case .display(let text): return .event(.prompt(text.isEmpty ? [] : [text]))
        case .selection(_, let choices): return .selection(choices)
        case .online(let data): return .online(data)
        case .result(let result): return .complete(DeviceOutcome(result, wasAnswered: wasAnswered, cause))
        case .other: return .other
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
            self = wasAnswered ? .approved(signature: result.requiresSignature) : .approvedOffline(signature: result.requiresSignature)
        case .declined: self = wasAnswered ? .declined : .declinedOffline
        case .error, .unknown: self = .failed(cause)
        case .cancelledByHost, .waitCancelled: self = .cancelledByHost
        // A stripe was swiped instead; the reader for swipes receives its data.
        case .selectionCancelled, .cancelledBySwipe: self = .cancelledByUser
        case .selectionTimedOut, .waitTimedOut: self = .timedOut
        }
    }
}
