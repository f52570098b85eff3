import Bytes
import CardCapture
import CardCryptography
import CardReaders
import Console
import Contactless
import DeviceIO
import EMVKernel
import EMVReplay
import PaymentTerminal
import SmartCard
import Synchronization
import TLV

/// Records all events of one transaction, until they are written as a trace.
final class TraceRecording: Sendable {
    private struct State {
        var entries: [APDUTrace.Entry] = []
        var terminal: RecordedTerminal?
        var tap: (reader: EntryPointConfiguration, request: TransactionRequest)?
        var decision: Outcome.Decision?
    }

    /// Of kernel 8, for the head of the trace.
    let channelKeys = RecordedChannelKeys()
    /// The order whose messages to the host are recorded: a terminal may have others' to send.
    let orderID: OrderID
    private let start = ContinuousClock.now
    private let state = Mutex(State())

    init(of orderID: OrderID) { self.orderID = orderID }

    private var elapsed: Duration { start.duration(to: .now) }

    func add(_ event: APDUTrace.Event) {
        let entry = APDUTrace.Entry(time: elapsed, event)
        state.withLock { $0.entries.append(entry) }
    }

    func add(_ event: KernelEvent) {
        add(.decision(APDUTrace.Decision(phase: event.phase.rawValue, summary: event.summary)))
        if case .completed(let decision) = event { state.withLock { $0.decision = decision } }
    }

    func add(_ event: WireEvent) {
        let parts = event.description.split(separator: " ", maxSplits: 1)
        guard parts.count == 2, let direction = parts[0].first.flatMap(APDUTrace.Direction.init) else { return }
        add(.wire(APDUTrace.Wire(direction, String(parts[1]))))
    }

    func begin(_ configuration: TerminalConfiguration, _ request: TransactionRequest) {
        state.withLock { $0.terminal = RecordedTerminal(configuration: configuration, request: request) }
    }

    /// For a card in a field.
    func begin(_ reader: EntryPointConfiguration, _ request: TransactionRequest) {
        state.withLock { $0.tap = (reader, request) }
    }

    /// Records the exchange of `body` at its position.
    func exchange(
        _ command: CommandAPDU, _ body: () async throws(CardChannelError) -> ResponseAPDU
    ) async throws(CardChannelError) -> ResponseAPDU {
        let sent = elapsed
        let place = state.withLock { $0.entries.count }
        do throws(CardChannelError) {
            let response = try await body()
            let exchange = APDUTrace.Exchange(command: command, response: response, sent: sent, received: elapsed)
            state.withLock { $0.entries.insert(.init(time: sent, .exchange(exchange)), at: place) }
            return response
        } catch {
            let after = elapsed
            state.withLock { state in
                state.entries.insert(.init(time: sent, .unanswered(command)), at: place)
                state.entries.append(.init(time: after, .reader(APDUTrace.ReaderEvent(error))))
            }
            throw error
        }
    }

    /// The trace so far, with a head that lets it be replayed.
    func trace(title: String, verdict: String) -> APDUTrace {
        let (entries, contact, tap, decision) = state.withLock { ($0.entries, $0.terminal, $0.tap, $0.decision) }
        var trace = APDUTrace(
            metadata: [("title", title), ("verdict", verdict)] + channelKeys.metadata, entries: Self.fromZero(entries))
        if let decision { trace.metadata.append(("expect", decision.summary)) }
        let terminal =
            contact
            ?? tap.map { RecordedTerminal($0.reader, request: $0.request, application: $0.reader.selected(in: trace)) }
        if var terminal {
            // A terminal may have many keys; only the key of the card's application is needed.
            let answers = trace.deciphered.exchanges.lazy.map(\.response.data)
            let indices = Set(answers.compactMap { (try? DataElements(parsing: $0))?[.caPublicKeyIndexCard]?.first })
            terminal.configuration.caKeys = terminal.configuration.caKeys.filter { indices.contains($0.index) }
            trace.metadata += terminal.metadata
        }
        return trace
    }

    private static func fromZero(_ entries: [APDUTrace.Entry]) -> [APDUTrace.Entry] {
        guard let first = entries.first?.time else { return entries }
        return entries.map { entry in
            guard case .exchange(let exchange) = entry.event else {
                return .init(time: entry.time.map { $0 - first }, entry.event)
            }
            return .init(
                time: entry.time.map { $0 - first },
                .exchange(
                    .init(
                        command: exchange.command, response: exchange.response, sent: exchange.sent.map { $0 - first },
                        received: exchange.received.map { $0 - first })))
        }
    }
}

extension EntryPointConfiguration {
    /// The AID of the combination whose application was selected last.
    fileprivate func selected(in trace: APDUTrace) -> [UInt8]? {
        let names = trace.exchanges.filter { $0.command.instruction == .select && $0.response.status == .success }.map(
            \.command.data)
        return names.reversed().lazy.compactMap { name in combinations.first { $0.matches(name) }?.aid }.first
    }
}

// MARK: - Sources

/// A slot whose cards are recorded.
struct RecordedSlot: CardSlot {
    let slot: any CardSlot
    let recording: TraceRecording

    var name: String { slot.name }
    var capabilities: ReaderCapabilities { slot.capabilities }
    var events: ReaderEvents { slot.events }
    var testOnlyReason: String? { slot.testOnlyReason }

    func powerOn() async throws(CaptureError) -> any CardChannel {
        let channel = try await slot.powerOn()
        recording.add(.reader(.cardPresented))
        if let answer = (channel as? CCIDChannel)?.answerToReset ?? (channel as? PCSCChannel)?.answerToReset {
            recording.add(.reader(.reset(answer)))
        }
        return RecordedChannel(channel: channel, recording: recording)
    }

    func powerOff() async {
        await slot.powerOff()
        recording.add(.reader(.other("power off")))
    }

    func isEmpty() async throws(CaptureError) -> Bool { try await slot.isEmpty() }
}

private struct RecordedChannel: CardChannel {
    let channel: any CardChannel
    let recording: TraceRecording

    func transmit(_ command: CommandAPDU) async throws(CardChannelError) -> ResponseAPDU {
        try await recording.exchange(command) { () async throws(CardChannelError) in try await channel.transmit(command)
        }
    }
}
