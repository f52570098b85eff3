import Bytes
import Console
import DeviceIO
import JSONDocument
import PaymentTerminal
import PrinterModels
import Printing

/// The outcome of one copy.
struct PrintResult {
    let copy: Receipt.Copy
    let events: [PrintedSlip.Event]
    private(set) var outcome = PrintJob.Outcome.notPrinted(.initialization)
    private var status: PrinterStatus?
    private var cause: DeviceError?

    init(copy: Receipt.Copy, events: [PrintedSlip.Event]) {
        self.copy = copy
        self.events = events
    }

    /// - Parameter cause: The failure of the connection.
    mutating func take(_ outcome: PrintJob.Outcome, _ status: PrinterStatus?, _ cause: DeviceError?) {
        self.outcome = outcome
        self.status = status
        self.cause = cause
    }

    var copyName: String { copy == .merchant ? "merchant" : "cardholder" }

    var summary: String {
        switch outcome {
        case .printed: "printed"
        case .notKnown(nil): "sent; this printer does not say whether it printed: look at it"
        case .notKnown(let error?): "not known to be printed: \(error); look at the printer before you print again"
        case .notPrinted(let error): "not printed: \(hint ?? "\(error)")"
        }
    }

    /// What keeps this program from the printer, and the cure, where the system says it.
    private var hint: String? {
        switch cause {
        case .busy(let device, let holder?): "\(device) is in use by \(holder): stop it".onOneLine()
        case .busy(let device, nil):
            "\(device) is in use by another program, or by a queue of CUPS: stop it, or remove the queue".onOneLine()
        case .accessDenied(let device):
            "no permission to open \(device): join the group `lp`, for a serial line `dialout`".onOneLine()
        case .notFound(let device):
            "\(device) not found: switch the printer on, and check cable and address".onOneLine()
        case .notListening(let device):
            "\(device) refuses the connection: check address and port, and that no other program is connected"
                .onOneLine()
        default: nil
        }
    }

    var exitStatus: Int32 {
        switch outcome {
        case .printed: ExitStatus.success
        case .notKnown(nil): ExitStatus.notChecked
        case .notKnown: ExitStatus.negative
        case .notPrinted: ExitStatus.failure
        }
    }

    /// The order in which one result outweighs another.
    static func rank(_ status: Int32) -> Int {
        [ExitStatus.success, ExitStatus.notChecked, ExitStatus.negative, ExitStatus.failure].firstIndex(of: status) ?? 0
    }

    var document: JSON {
        let (name, error): (String, PrintError?) =
            switch outcome {
            case .printed: ("printed", nil)
            case .notKnown(let error): ("notKnown", error)
            case .notPrinted(let error): ("notPrinted", error)
            }
        return .object([
            "copy": .text(copyName), "outcome": .text(name), "error": error.map { .text($0.code) },
            "cause": cause.map { .text($0.code.rawValue) }, "status": status?.document,
            "events": .list(events.map { .text("\($0)") }),
        ])
    }
}

extension SimulatedPrinter {
    /// Runs a job on this printer.
    mutating func print(_ slip: PrintedSlip, number: UInt16) -> (outcome: PrintJob.Outcome, status: PrinterStatus?) {
        var job = PrintJob(slip, on: profile, number: number)
        var input = PrintJob.Input.start
        var answers: [UInt8] = []
        while true {
            switch job.next(input) {
            case .connect: input = .done
            case .write(let bytes, _):
                answers += receive(bytes)
                input = .done
            case .read:
                input = answers.isEmpty ? .silence : .received(answers)
                answers = []
            case .finish(let outcome): return (outcome, job.status)
            }
        }
    }
}
