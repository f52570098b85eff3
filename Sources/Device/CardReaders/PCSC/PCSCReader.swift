private import Bytes
public import CardCapture
public import DeviceIO
public import SmartCard

/// A chip card reader through the PC/SC service, for computers where pcscd drives it. It is a
/// ``CardSlot``.
public actor PCSCReader {
    public nonisolated let name: String
    public nonisolated let events = ReaderEvents()
    public nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe thread.asUnownedSerialExecutor() }

    /// The interface where its card must be; nil for either.
    nonisolated let interface: ReaderEvent.CardInterface?
    private nonisolated let thread: DeviceThread
    private nonisolated let context: PCSCContext
    private var card: PCSCContext.Card?
    private var activation = 0

    /// The reader's name as the service has it, which may not be fit for display.
    private nonisolated let serviceName: String

    /// The names of the readers of the PC/SC service, each on one line.
    public static func names(library: String = PCSCContext.library) throws(PCSCError) -> [String] {
        try PCSCContext(library: library).readers().map { $0.onOneLine() }
    }

    /// A reader that pcscd drives. It is not used before the first wait for a card.
    ///
    /// - Parameters:
    ///   - name: As ``names(library:)`` returns it.
    ///   - interface: The interface where its card must be, derived from the answer to reset (PC/SC
    ///     part 3); nil accepts both.
    ///   - library: A name for dlopen(3).
    /// - Throws: ``DeviceIO/PCSCError`` if the library is not installed or pcscd is not available.
    public init(
        name: String, interface: ReaderEvent.CardInterface? = .contact, library: String = PCSCContext.library
    ) throws(PCSCError) {
        self.name = name
        self.interface = interface
        context = try PCSCContext(library: library)
        serviceName = (try? context.readers())?.first { $0.onOneLine() == name } ?? name
        do throws(DeviceError) {
            thread = try DeviceThread(name: "PC/SC reader")
        } catch {
            throw .noService
        }
    }

    deinit { thread.stop() }

    /// Ends the wait in progress.
    nonisolated func cancel() { context.cancel() }

    /// Whether there is a card, now or after the reader's state has changed.
    package func isPresent(waitingAtMost duration: Duration = .zero) throws(PCSCError) -> Bool {
        let state = try context.state(of: serviceName, for: .zero)
        guard !state.contains(.present), duration > .zero else { return state.contains(.present) }
        do throws(PCSCError) {
            return try context.state(of: serviceName, otherThan: state, for: duration).contains(.present)
        } catch .timedOut {
            return false
        } catch .cancelled {
            return false
        } catch {
            throw error
        }
    }

    /// - Returns: Number of the activation, and the card.
    func connect() throws(PCSCError) -> (activation: Int, card: PCSCContext.Card) {
        let connected = try context.connect(serviceName)
        card = connected
        activation += 1
        return (activation, connected)
    }

    func disconnect() {
        card = nil
        context.disconnect()
    }

    /// Makes the reader's PIN pad ask for a PIN and send it to the connected card; nil if the
    /// reader has no PIN pad or the PIN pad does not support this.
    func enterPIN(_ entry: PINPadEntry) throws(CardChannelError) -> StatusWord? {
        guard card != nil else { throw .cardRemoved }
        // FEATURE_VERIFY_PIN_DIRECT and FEATURE_MODIFY_PIN_DIRECT (PC/SC part 10, 2.3).
        let feature: UInt8 =
            switch entry.operation {
            case .verify: 0x06
            case .change: 0x07
            }
        do throws(PCSCError) {
            guard let code = try context.features()[feature] else { return nil }
            var answer = try context.control(code, entry.structure)
            guard let response = ResponseAPDU(wiping: &answer) else { throw .other(0x8010_0013) }
            return response.status
        } catch {
            throw CardChannelError(error)
        }
    }

    func transmit(_ command: CommandAPDU, activation: Int) throws(CardChannelError) -> ResponseAPDU {
        guard let card, activation == self.activation else { throw .cardRemoved }
        let bytes = card.speaksT0 ? try command.t0() : command.bytes
        var answer: [UInt8]
        do throws(PCSCError) {
            answer = try context.transmit(bytes, to: card)
        } catch {
            if error == .cardRemoved { disconnect() }
            throw CardChannelError(error)
        }
        guard let response = ResponseAPDU(wiping: &answer) else { throw .malformedAnswer(.noStatusWord) }
        return response
    }
}

extension PCSCContext.Card {
    /// A contactless card has neither T=0 nor T=1, regardless of what the service reports: commands
    /// are sent unchanged.
    var speaksT0: Bool { protocolCode == 1 && ContactlessAnswerToReset(answerToReset) == nil }
}

extension PCSCError: DriverError {}

extension CardChannelError {
    init(_ error: PCSCError) {
        switch error {
        case .cardRemoved, .noCard: self = .cardRemoved
        case .cancelled: self = .cancelled
        case .timedOut, .cardLost: self = .timedOut
        default: self = .readerFailed(.driver(error))
        }
    }
}

extension CaptureError {
    init(_ error: PCSCError) {
        switch error {
        case .noCard: self = .noCardPresented
        case .cardRemoved: self = .cardRemoved
        case .cancelled: self = .cancelled
        default: self = .readerFailed(.driver(error))
        }
    }
}
