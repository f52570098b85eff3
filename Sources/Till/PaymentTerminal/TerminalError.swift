public import CardCapture
import EMVKernel
private import TLV

/// Why an operation of the terminal failed.
public struct TerminalError: Error, Sendable, Equatable {
    /// Programs decide by it; its raw value stays the same from release to release.
    public enum Code: Sendable, Hashable {
        /// Another operation is in progress: wait until it ends, or cancel it.
        case busy
        /// No reader is connected, or it was lost: connect it.
        case readerNotConnected
        /// Zero or less, more than 12 digits, above the limit, or in another currency; or a part
        /// does not fit into it.
        case invalidAmount
        /// The card data have no valid number or expiry date, or the reader encrypts them.
        case invalidCardData
        /// No card was presented, it left too early, or the reader failed: try again.
        case cardNotRead
        /// The operation was cancelled, and nothing was charged.
        case cancelled
        /// The reader and the card made no transaction.
        case notPossible
        /// The issuer declined the verification of an account.
        case cardDeclined
        /// The list of devices does not enable the reader (``Terminal/DeviceList``).
        case readerNotEnabled
        /// The list of devices has the reader refuse cards of this kind: nothing was asked of the
        /// host.
        case cardKindRefused
        /// The idempotency key belongs to another request.
        case idempotencyConflict
        /// The journal cannot be written: no payment is accepted.
        case journalFailed
        /// The reader's charge is below ``Terminal/Configuration/minimumBattery``: charge it.
        case lowBattery
        /// A test reader or a test host was used with a production terminal.
        case testEquipment
        /// The host refused the request, or the terminal did before it asked the host: nothing was
        /// done.
        case refused(HostError.Refusal)
        /// No answer of the host can be used: the failure says whether the outcome there is known.
        case hostFailed(HostError.Failure)
    }

    /// Why a reader could not be connected.
    public enum ReaderFault: String, Sendable, CaseIterable {
        /// There is no such device, or it was removed: connect it.
        case notFound
        /// This user may not open its device file: install the udev rules.
        case accessDenied
        /// Another program or driver uses it.
        case busy
        /// It does not answer, or not in time: check that it is on and in range.
        case silent
        /// It answers as another device does, it refuses, or the system does.
        case other
    }

    /// The reason, for programs.
    public let code: Code
    /// With ``Code/readerNotConnected``: why the reader could not be opened; nil if none was.
    public let readerFault: ReaderFault?
    /// With ``Code/hostFailed(_:)`` and ``Code/refused(_:)``: why the host was not reached, or does
    /// not take this terminal's requests; nil for another reason.
    public let hostFault: HostError.Fault?
    /// The error and the cure, on one line and without card data: card numbers in text from other
    /// sources are masked.
    public let message: String
    /// With ``Code/notPossible``: the entry mode under which the stripe of the same card may be
    /// tried; nil if it may not.
    public let fallbackEntryMode: CapturedCard.EntryMode?

    /// With ``Code/notPossible`` and ``Code/cardNotRead``: the obstacle at card or reader, such as
    /// a blocked card.
    public let obstacle: CaptureOutcome.Obstacle?

    package init(
        _ code: Code, _ message: String, obstacle: CaptureOutcome.Obstacle? = nil,
        fallback: CapturedCard.EntryMode? = nil,
        readerFault: ReaderFault? = nil, hostFault: HostError.Fault? = nil
    ) {
        self.code = code
        self.readerFault = readerFault
        self.hostFault = hostFault
        self.obstacle = obstacle
        self.message = Masking.text(message)
        fallbackEntryMode = fallback
    }

    package init(_ refusal: HostError.Refusal, _ message: String) { self.init(.refused(refusal), message) }

    static let busy = TerminalError(
        .busy, "the terminal is busy with another operation: wait until it ends, or cancel it")
    static let cancelled = TerminalError(.cancelled, "the operation was cancelled")
    static let connectReaderFirst = TerminalError(.readerNotConnected, "no reader is connected: connect a reader first")
}

extension TerminalError: CustomStringConvertible {
    public var description: String { message }
}

extension TerminalError.Code: RawRepresentable, CaseIterable {
    /// Each code, with the refusals and failures of the host.
    public static let allCases: [Self] =
        [
            .busy, .readerNotConnected, .invalidAmount, .invalidCardData, .cardNotRead, .cancelled, .notPossible,
            .cardDeclined, .readerNotEnabled, .cardKindRefused, .idempotencyConflict, .journalFailed, .lowBattery,
            .testEquipment,
        ] + HostError.Refusal.allCases.map(Self.refused) + HostError.Failure.allCases.map(Self.hostFailed)

    private static let byRawValue = Dictionary(uniqueKeysWithValues: allCases.map { ($0.rawValue, $0) })

    /// The code of a log, or of another program; nil for a text that is not a code.
    public init?(rawValue: String) {
        guard let code = Self.byRawValue[rawValue] else { return nil }
        self = code
    }

    /// The name of the case; the raw value of a refusal or of a failure of the host.
    public var rawValue: String {
        switch self {
        case .busy: "busy"
        case .readerNotConnected: "readerNotConnected"
        case .invalidAmount: "invalidAmount"
        case .invalidCardData: "invalidCardData"
        case .cardNotRead: "cardNotRead"
        case .cancelled: "cancelled"
        case .notPossible: "notPossible"
        case .cardDeclined: "cardDeclined"
        case .readerNotEnabled: "readerNotEnabled"
        case .cardKindRefused: "cardKindRefused"
        case .idempotencyConflict: "idempotencyConflict"
        case .journalFailed: "journalFailed"
        case .lowBattery: "lowBattery"
        case .testEquipment: "testEquipment"
        case .refused(let refusal): refusal.rawValue
        case .hostFailed(let failure): failure.rawValue
        }
    }
}

extension TerminalError.Code: CustomStringConvertible {
    /// The raw value.
    public var description: String { rawValue }
}

extension TerminalError {
    /// No transaction was possible at reader and card.
    static func notPossible(_ obstacle: CaptureOutcome.Obstacle, fallback: Fallback?) -> TerminalError {
        TerminalError(
            .notPossible, obstacle.description, obstacle: obstacle,
            fallback: fallback.map { CapturedCard.EntryMode($0) })
    }

    init(_ error: HostError) {
        let code: Code =
            switch error.code {
            case .refused(let refusal): .refused(refusal)
            case .failed(let failure): .hostFailed(failure)
            }
        self.init(code, error.message, hostFault: error.fault)
    }

    init(_ error: CaptureError) {
        let message: String
        switch error {
        case .cancelled:
            self = .cancelled
            return
        case .noCardPresented: message = "no card was presented: try again and present a card"
        case .cardRemoved: message = "the card was removed too early: try again and leave it in until the end"
        case .severalCards: message = "several cards were presented at once: try again with one only"
        case .cardNotRemoved, .amountTooLong, .cardDataMissing, .swipeDecryption, .memoryFailed, .readerFailed:
            message = error.description
        }
        self.init(.cardNotRead, message, obstacle: .reader(error))
    }

    init(_ error: CardDetailsError) {
        self.init(.invalidCardData, error.description)
    }
}
