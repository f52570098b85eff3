import Contactless
public import SmartCard
import Synchronization
public import TLV

/// How a command of the kernel stands to the log.
public struct ReplayStep: Sendable, Equatable {
    public enum Verdict: Sendable, Equatable {
        /// The log's terminal sent the very same command at this place.
        case same
        /// The same command stands elsewhere in the log.
        case elsewhere
        /// The log has the command with other data; the elements that differ, as far as a DOL tells
        /// them apart.
        case differentData([Difference])
        /// The log does not have it; the answer was made up.
        case notInLog(StatusWord)
    }

    public struct Difference: Sendable, Equatable {
        public let tag: Tag
        public let logged: [UInt8]
        public let replayed: [UInt8]
    }

    public let command: CommandAPDU
    /// What the kernel was given: the log's answer, the error that the log has in its place, or
    /// what was made up.
    public let answer: Result<ResponseAPDU, CardChannelError>
    /// The log's command in whose place it came; nil for one that the log does not have.
    public let logged: CommandAPDU?
    /// The line in the trace's text, or nil for a command that it does not have.
    public let line: Int?
    public let verdict: Verdict

    public var response: ResponseAPDU? { try? answer.get() }
}

/// A recorded conversation that answers like the card in it, at once: what it has been asked is
/// under a lock and not an actor's, because to change between actors for each command costs more
/// than the answer.
final class LoggedCard: CardChannel {
    private let course: Mutex<LoggedCourse>

    /// - Parameter directory: What a card whose log has no PPSE answers to its selection; nil for a
    ///   card that has none.
    init(_ conversation: LoggedConversation, lists: LoggedLists, directory: [UInt8]? = nil) {
        course = Mutex(LoggedCourse(conversation, lists: lists, directory: directory))
    }

    func transmit(_ command: CommandAPDU) async throws(CardChannelError) -> ResponseAPDU {
        try course.withLock { $0.answer(command) }.get()
    }

    var steps: [ReplayStep] { course.withLock { $0.steps } }

    /// No command of the log comes after those that the kernel came to.
    var isAtEnd: Bool { course.withLock { $0.isAtEnd } }

    /// The commands that no command of the kernel came to.
    var unused: [LoggedCommand] { course.withLock { $0.unused } }
}

/// How far a kernel has come in a log.
private struct LoggedCourse {
    private let logged: [LoggedCommand]
    private let lists: LoggedLists
    private let directory: [UInt8]?
    /// For each command of the log whether one of the kernel's came to it.
    private var isUsed: [Bool]
    private var next = 0
    private(set) var steps: [ReplayStep] = []

    init(_ conversation: LoggedConversation, lists: LoggedLists, directory: [UInt8]?) {
        logged = conversation.commands
        isUsed = Array(repeating: false, count: logged.count)
        steps.reserveCapacity(logged.count)
        self.lists = lists
        self.directory = directory
    }

    var isAtEnd: Bool { next >= logged.count }

    var unused: [LoggedCommand] { logged.indices.filter { !isUsed[$0] }.map { logged[$0] } }

    mutating func answer(_ command: CommandAPDU) -> Result<ResponseAPDU, CardChannelError> {
        if let index = exact(command) {
            return answer(command, index, index == next ? .same : .elsewhere)
        }
        if let index = similar(command) {
            return answer(
                command, index,
                .differentData(lists.differences(command, logged[index].command, isFirst: isFirstCryptogram(index))))
        }
        let response = answerToUnknown(command)
        steps.append(
            ReplayStep(
                command: command, answer: .success(response), logged: nil, line: nil,
                verdict: .notInLog(response.status)))
        return .success(response)
    }

    private mutating func answer(
        _ command: CommandAPDU, _ index: Int, _ verdict: ReplayStep.Verdict
    ) -> Result<ResponseAPDU, CardChannelError> {
        isUsed[index] = true
        next = index + 1
        let before = logged[index]
        steps.append(
            ReplayStep(
                command: command, answer: before.answer, logged: before.command, line: before.line, verdict: verdict))
        return before.answer
    }

    /// The command with the same header and data: the next one if it is that, else the first later
    /// one, else an earlier one.
    private func exact(_ command: CommandAPDU) -> Int? {
        logged.indices[next...].first { logged[$0].command.says(command) }
            ?? logged.indices[..<next].last { logged[$0].command.says(command) }
    }

    /// The next unused one of the same command with other data, for the commands whose data come
    /// from the terminal.
    private func similar(_ command: CommandAPDU) -> Int? {
        switch command.instruction {
        case .getProcessingOptions, .internalAuthenticate, .externalAuthenticate, .generateAC, .recoverAC, .verify,
            .computeCryptographicChecksum:
            logged.indices.first { !isUsed[$0] && logged[$0].command.instruction == command.instruction }
        default: nil
        }
    }

    private func isFirstCryptogram(_ index: Int) -> Bool {
        logged.firstIndex { $0.command.instruction == .generateAC } == index
    }

    /// What a card says to what it does not have. Two answers are made up so that the transaction
    /// can go on: a VERIFY succeeds, because publishers cut it out of their logs and its failure
    /// would show in the TVR; and a record that the file locator lists but the log's terminal
    /// passed over, as contactless terminals do, is empty.
    private func answerToUnknown(_ command: CommandAPDU) -> ResponseAPDU {
        switch command.instruction {
        case .readRecord where steps.contains { $0.command.instruction == .getProcessingOptions }:
            ResponseAPDU([0x70, 0x00])
        case .verify: ResponseAPDU()
        case .select where command.data == Directory.name:
            directory.map { ResponseAPDU($0) } ?? ResponseAPDU(status: .fileNotFound)
        case .select: ResponseAPDU(status: .fileNotFound)
        case .readRecord: ResponseAPDU(status: .recordNotFound)
        case .getData: ResponseAPDU(status: .referencedDataNotFound)
        case .generateAC, .recoverAC, .externalAuthenticate, .internalAuthenticate, .computeCryptographicChecksum:
            ResponseAPDU(status: .conditionsNotSatisfied)
        default: ResponseAPDU(status: .instructionNotSupported)
        }
    }
}

/// The lists by which the data of a command can be divided into elements.
package struct LoggedLists {
    package let pdol: DOL?
    package let cdol1: DOL?
    package let cdol2: DOL?
    package let ddol: DOL?
    /// Of mag-stripe mode.
    package let udol: DOL?
    /// Of Mastercard's integrated data storage: its values follow those of CDOL1 where the terminal
    /// stores something, the last one unpadded (EMV Contactless Book C-2, 4.1.4 and 7.6).
    package let dsdol: DOL?
    /// Of Mastercard's torn transactions.
    package let drdol: DOL?

    /// What terminals use where the card has no DDOL (EMV 4.4 Book 2, 6.5.1).
    private static let defaultDDOL = DOL(entries: [DOL.Entry(.unpredictableNumber, 4)])

    package init(_ card: DataElements) {
        func list(_ tag: Tag) -> DOL? { card[tag].flatMap { try? DOL(parsing: $0) } }
        pdol = list(.pdol)
        cdol1 = list(.cdol1)
        cdol2 = list(.cdol2)
        ddol = list(.ddol)
        udol = list(0x9F69)
        let isMastercard = PaymentSystem(rid: Array((card[.dfName] ?? []).prefix(5))) == .mastercard
        dsdol = isMastercard ? list(.dsdol) : nil
        drdol = isMastercard ? list(.drdol) : nil
    }

    /// What terminals use where the card has no UDOL (EMV Contactless Book C-2, DF811A): the
    /// unpredictable number in digits.
    private static let defaultUDOL = DOL(entries: [DOL.Entry(0x9F6A, 4)])

    /// The elements in the data of `command`; nil for one that has none or another length than its
    /// list.
    package func elements(_ command: CommandAPDU, isFirst: Bool) -> DataElements? {
        switch command.instruction {
        case .getProcessingOptions:
            return TLVWalker.firstValue(command.data).flatMap { pdol?.split($0) }
        case .internalAuthenticate: return (ddol ?? Self.defaultDDOL).split(command.data)
        case .recoverAC: return drdol?.split(command.data)
        case .computeCryptographicChecksum: return (udol ?? Self.defaultUDOL).split(command.data)
        case .generateAC: return isFirst ? cdol1.flatMap { split(command.data, by: $0) } : cdol2?.split(command.data)
        default: return nil
        }
    }

    /// By CDOL1, and by DSDOL if data of it follow.
    private func split(_ data: [UInt8], by cdol1: DOL) -> DataElements? {
        guard let dsdol, let last = dsdol.entries.last, data.count > cdol1.dataLength else { return cdol1.split(data) }
        let missing = cdol1.dataLength + dsdol.dataLength - data.count
        guard (0..<max(1, last.length)).contains(missing) else { return nil }
        let unpadded = DOL.Entry(last.tag, last.length - missing)
        return DOL(entries: cdol1.entries + dsdol.entries.dropLast() + [unpadded]).split(data)
    }

    func differences(_ replayed: CommandAPDU, _ logged: CommandAPDU, isFirst: Bool) -> [ReplayStep.Difference] {
        guard let new = elements(replayed, isFirst: isFirst), let old = elements(logged, isFirst: isFirst) else {
            return []
        }
        return old.tags.compactMap { tag in
            guard let before = old[tag], let now = new[tag], before != now else { return nil }
            return ReplayStep.Difference(tag: tag, logged: before, replayed: now)
        }
    }
}

extension CommandAPDU {
    /// Whether header and data equal those of `other`, regardless of Le.
    func says(_ other: CommandAPDU) -> Bool {
        cla == other.cla && ins == other.ins && p1 == other.p1 && p2 == other.p2 && data == other.data
    }
}

extension TLVWalker {
    /// The value of the first data object in `bytes`, or nil if there is none.
    static func firstValue(_ bytes: [UInt8]) -> [UInt8]? {
        var walker = TLVWalker()
        guard let node = try? walker.next(in: bytes.span) else { return nil }
        return Array(bytes[node.value])
    }
}
