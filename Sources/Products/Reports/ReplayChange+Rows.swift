import Bytes
import EMVKernel
public import EMVReplay
import SmartCard
import TLV

/// A change as a row of a table: its subject and its two sides.
public struct ReplayChangeRow: Encodable, Sendable, Equatable {
    public let what, logged, replayed: String

    public init(what: String, logged: String, replayed: String) {
        self.what = Masking.text(what)
        self.logged = Masking.text(logged)
        self.replayed = Masking.text(replayed)
    }
}

extension ReplayChange {
    public var row: ReplayChangeRow {
        switch self {
        case .outcome(let logged, let replayed):
            ReplayChangeRow(what: "outcome", logged: logged.summary, replayed: replayed.summary)
        case .presentation(let number, let logged, let replayed):
            ReplayChangeRow(what: "presentation \(number)", logged: logged.summary, replayed: replayed.summary)
        case .verdict(let number, let logged, let replayed):
            ReplayChangeRow(what: "presentation \(number)", logged: logged, replayed: replayed ?? "–")
        case .expectation(let expected, let replayed):
            ReplayChangeRow(what: "expected outcome", logged: expected, replayed: replayed)
        case .decision(let phase, let logged, let replayed):
            ReplayChangeRow(what: phase, logged: logged ?? "–", replayed: replayed ?? "–")
        case .result(let line, let difference):
            ReplayChangeRow(
                what: "\(Self.place(line)), \(Self.name(difference.tag))",
                logged: Self.summary(difference.tag, difference.logged),
                replayed: Self.summary(difference.tag, difference.replayed))
        case .cryptogram(let line, let logged, let replayed):
            ReplayChangeRow(
                what: "\(Self.place(line)), cryptogram asked for", logged: logged.summary, replayed: replayed.summary)
        case .command(let step): Self.row(step)
        case .notSent(let line, let command):
            ReplayChangeRow(what: Self.place(line), logged: CommandDescription.summary(command), replayed: "not sent")
        }
    }

    private static func place(_ line: Int) -> String { line > 0 ? "line \(line)" : "command" }

    private static func name(_ tag: Tag) -> String {
        switch tag {
        case .terminalVerificationResults: "TVR"
        case .transactionStatusInformation: "TSI"
        default: "CVM results"
        }
    }

    private static func summary(_ tag: Tag, _ value: [UInt8]) -> String {
        "\(value.hex) (\(ValueDescription.lines(tag, value).joined(separator: "; ")))"
    }

    private static func row(_ step: ReplayStep) -> ReplayChangeRow {
        let command = CommandDescription.summary(step.command)
        let place = place(step.line ?? 0)
        switch step.verdict {
        case .same: return ReplayChangeRow(what: place, logged: command, replayed: command)
        case .elsewhere: return ReplayChangeRow(what: place, logged: command, replayed: "sent in another place")
        case .notInLog(let status):
            return ReplayChangeRow(what: place, logged: "–", replayed: "\(command), answered \(status)")
        case .differentData(let differences):
            guard !differences.isEmpty else {
                return ReplayChangeRow(what: place, logged: command, replayed: "sent with other data")
            }
            func list(_ value: (ReplayStep.Difference) -> [UInt8]) -> String {
                differences.map { "\($0.tag) \(Masking.hex($0.tag, value($0)))" }.joined(separator: ", ")
            }
            return ReplayChangeRow(what: "\(place), \(command)", logged: list(\.logged), replayed: list(\.replayed))
        }
    }
}

extension ReplayStep {
    /// The status word, or why there is no answer.
    var answerWords: String {
        switch answer {
        case .success(let response): "\(response.status)"
        case .failure(let error): "\(error)"
        }
    }
}
