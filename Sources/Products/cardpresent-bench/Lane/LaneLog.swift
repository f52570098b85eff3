import CardCapture
import Console
import EMVKernel
import Foundation
import PaymentTerminal
import SmartCard
import Synchronization
import TerminalFiles

/// What the reader of a lane reported: the kernel's steps with their times, and the APDUs.
final class LaneLog: Sendable {
    struct Step: Sendable {
        let event: KernelEvent
        /// Since the step before it.
        let elapsed: Duration
    }

    private struct State {
        var steps: [Step] = []
        var last = ContinuousClock.now
        var writer = APDUTraceWriter(.redacted)
        var trace: TraceFile?
    }

    private let state: Mutex<State>
    /// Records everything, for `record`.
    let recording: TraceRecording?
    /// For the terminal's log of each operation.
    let folder: Terminal.PaymentLogFolder?

    init(trace: TraceFile? = nil, recording: TraceRecording? = nil, folder: Terminal.PaymentLogFolder? = nil) {
        var state = State()
        state.trace = trace
        self.state = Mutex(state)
        self.recording = recording
        self.folder = folder
    }

    var observer: ChipReader.Observer {
        ChipReader.Observer(
            event: { event in
                self.recording?.add(event)
                self.state.withLock { state in
                    let now = ContinuousClock.now
                    state.steps.append(Step(event: event, elapsed: state.last.duration(to: now)))
                    state.last = now
                }
            },
            exchange: { exchange in
                self.state.withLock { state in
                    let lines = state.writer.lines(exchange)
                    state.trace?.append(lines)
                }
            }, start: { self.recording?.begin($0, $1) })
    }

    /// The steps since the last call.
    func takeSteps() -> [Step] {
        state.withLock { state in
            defer { state.steps = [] }
            return state.steps
        }
    }

    /// Resets the time, so that the next step's time begins now.
    func start() { state.withLock { $0.last = .now } }

    /// Throws if a write of the trace failed.
    func finishTrace() throws(InputError) {
        if let problem = state.withLock({ $0.trace?.problem }) { throw problem }
    }
}

/// A file to which a trace is written line by line. Errors are kept until the end, because they
/// must not stop a payment.
struct TraceFile: Sendable {
    private let file: OutputFile
    private(set) var problem: InputError?

    init(_ path: String) throws(InputError) {
        file = try OutputFile(path)
        append(APDUTraceWriter(.redacted).head)
    }

    mutating func append(_ text: String) {
        guard problem == nil else { return }
        do throws(InputError) {
            try file.write(text)
        } catch {
            problem = InputError("\(error); the trace is incomplete")
        }
    }
}
