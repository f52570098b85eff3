internal import EMVKernel
public import SmartCard
package import TLV

/// A command of a log, and the answer or the reason why there is none.
public struct LoggedCommand: Sendable {
    /// The line in the trace's text, from 1; 0 without a text.
    public let line: Int
    public let command: CommandAPDU
    public let answer: Result<ResponseAPDU, CardChannelError>

    public var response: ResponseAPDU? { try? answer.get() }

    /// Its answer may be a part of one, or none but a warning: `61xx`, `6Cxx`, `62xx`, `63xx`.
    fileprivate var mayContinue: Bool {
        guard case .success(let response) = answer else { return false }
        return response.status.sw1 == 0x61 || response.status.sw1 == 0x6C || response.status.isWarning
    }

    var exchange: APDUTrace.Exchange? {
        response.map { APDUTrace.Exchange(line: line, command: command, response: $0) }
    }
}

/// A recorded conversation, prepared to be the card for a second one.
///
/// Commands are visited by index: an element that is copied has its two arrays counted, which takes
/// longer than to look at it.
///
/// Many tools write logs, at different layers. Here `61xx` and `6Cxx` rounds are merged into their
/// command. If the terminal started the application more than once, only the last start before the
/// first cryptogram is used.
package struct LoggedConversation {
    /// Every command with its answer or its failure.
    let commands: [LoggedCommand]
    /// The instruction of each command: to look through these costs less than through the commands.
    private let instructions: [UInt8]
    /// Those that were answered.
    package let exchanges: [APDUTrace.Exchange]
    /// Each GENERATE AC, answered or not.
    let cryptogramCommands: [CommandAPDU]
    /// The SELECT that the terminal continued with.
    package let finalSelection: APDUTrace.Exchange?

    package init(_ trace: APDUTrace) {
        let all = Self.foldingTransportRounds(Self.commands(trace))
        // A trace with a description of its terminal is one transaction of our kernel, which itself
        // restarts if an application refuses to run.
        commands = trace["terminal"] == nil ? Self.lastAttempt(of: all) : all
        var (instructions, exchanges, cryptogramCommands): ([UInt8], [APDUTrace.Exchange], [CommandAPDU]) = ([], [], [])
        instructions.reserveCapacity(commands.count)
        exchanges.reserveCapacity(commands.count)
        for index in commands.indices {
            let instruction = commands[index].command.ins
            instructions.append(instruction)
            if let exchange = commands[index].exchange { exchanges.append(exchange) }
            if instruction == Instruction.generateAC.rawValue { cryptogramCommands.append(commands[index].command) }
        }
        (self.instructions, self.exchanges, self.cryptogramCommands) = (instructions, exchanges, cryptogramCommands)
        finalSelection = Self.finalSelection(of: exchanges)
    }

    private static func commands(_ trace: APDUTrace) -> [LoggedCommand] {
        var commands: [LoggedCommand] = []
        commands.reserveCapacity(trace.entries.count)
        // From the end, because a command without an answer has the reason of the next event that
        // tells one.
        var reason: CardChannelError?
        for index in trace.entries.indices.reversed() {
            switch trace.entries[index].event {
            case .exchange(let exchange):
                commands.append(
                    LoggedCommand(line: exchange.line, command: exchange.command, answer: .success(exchange.response)))
            case .unanswered(let command):
                commands.append(
                    LoggedCommand(
                        line: trace.entries[index].line, command: command, answer: .failure(reason ?? .timedOut)))
            case .reader(let event): reason = event.channelError ?? reason
            case .decision, .host, .wire: break
            }
        }
        commands.reverse()
        return commands
    }

    private static func foldingTransportRounds(_ commands: [LoggedCommand]) -> [LoggedCommand] {
        guard commands.indices.contains(where: { commands[$0].mayContinue }) else { return commands }
        var folded: [LoggedCommand] = []
        folded.reserveCapacity(commands.count)
        // A warning that GET RESPONSE follows belongs to the data that it fetches (EMV Contact
        // Interface Specification, annex A7).
        var warning: StatusWord?
        var isCollecting = false
        // What the answer of the last command has so far, and its status. It becomes an answer when
        // the chain is over.
        var collected: (data: [UInt8], status: StatusWord)?
        func finish() {
            guard let answer = collected, let last = folded.popLast() else { return }
            collected = nil
            folded.append(
                LoggedCommand(
                    line: last.line, command: last.command,
                    answer: .success(ResponseAPDU(answer.data, status: answer.status))))
        }
        for command in commands {
            if let last = folded.last, let status = collected?.status ?? last.response?.status {
                let isEmpty = collected?.data.isEmpty ?? last.response?.data.isEmpty ?? true
                let fetches = command.command.instruction == .getResponse
                let isWarned = status.isWarning && isEmpty && last.command.hasDataBothWays
                let continuesAnswer = fetches && (status.sw1 == 0x61 || isWarned || isCollecting && status.sw1 == 0x6C)
                let repeatsCommand = status.sw1 == 0x6C && command.command.says(last.command)
                if continuesAnswer || repeatsCommand {
                    if isWarned { warning = status }
                    isCollecting = isCollecting || fetches
                    guard case .success(let response) = command.answer else {
                        collected = nil
                        folded[folded.count - 1] = LoggedCommand(
                            line: last.line, command: last.command, answer: command.answer)
                        continue
                    }
                    // Taken out, so that it is appended to where it is.
                    var data = collected?.data ?? last.response?.data ?? []
                    collected = nil
                    data += response.data
                    let isLast = ![0x61, 0x6C].contains(response.status.sw1)
                    if isLast, let warning, !response.status.isWarning {
                        collected = (response.status == .success ? data : [], warning)
                    } else {
                        collected = (data, response.status)
                    }
                    continue
                }
            }
            finish()
            (warning, isCollecting) = (nil, false)
            folded.append(command)
        }
        finish()
        return folded
    }

    private static func lastAttempt(of commands: [LoggedCommand]) -> [LoggedCommand] {
        let end = commands.firstIndex { $0.command.instruction == .generateAC } ?? commands.endIndex
        let starts = commands.indices.filter { $0 < end && commands[$0].command.instruction == .getProcessingOptions }
        guard starts.count > 1, let first = starts.first, let last = starts.last,
            let selection = commands[..<last].lastIndex(where: { $0.command.instruction == .select }), selection > first
        else { return commands }
        return Array(commands[..<first] + commands[selection...])
    }

    // MARK: What the log holds

    func first(_ instruction: Instruction) -> CommandAPDU? {
        instructions.firstIndex(of: instruction.rawValue).map { commands[$0].command }
    }

    /// The first command of this kind that was answered.
    package func exchange(_ instruction: Instruction) -> APDUTrace.Exchange? {
        exchanges.indices.first { exchanges[$0].command.ins == instruction.rawValue }.map { exchanges[$0] }
    }

    /// Each GENERATE AC that was answered.
    package var cryptograms: [APDUTrace.Exchange] { exchanges.filter { $0.command.instruction == .generateAC } }

    /// Tag 91 as sent to the card, in EXTERNAL AUTHENTICATE or the second GENERATE AC; nil if none
    /// was sent.
    func issuerAuthenticationData(_ lists: LoggedLists) -> [UInt8]? {
        if let command = first(.externalAuthenticate) { return command.data }
        let second = cryptogramCommands.dropFirst().first
        // A terminal sends zeros for missing data (EMV 4.4 Book 3, 5.4).
        return second.flatMap { lists.elements($0, isFirst: false)?[.issuerAuthenticationData] }.flatMap { data in
            data.contains { $0 != 0 } ? data : nil
        }
    }

    private static func finalSelection(of exchanges: [APDUTrace.Exchange]) -> APDUTrace.Exchange? {
        func isStart(_ index: Int) -> Bool { exchanges[index].command.ins == Instruction.getProcessingOptions.rawValue }
        func succeeded(_ index: Int) -> Bool { exchanges[index].response.status == .success }
        let start =
            exchanges.indices.last { isStart($0) && succeeded($0) } ?? exchanges.indices.first(where: isStart)
            ?? exchanges.endIndex
        return exchanges.indices[..<start].last { index in
            exchanges[index].command.instruction == .select && succeeded(index)
                && !isDirectory(exchanges[index].command.data)
        }.map { exchanges[$0] }
    }

    /// PSE and PPSE (EMV 4.4 Book 1, 12.2.2; EMV Contactless Book B, 3.3.2), which are not
    /// applications.
    private static func isDirectory(_ name: [UInt8]) -> Bool {
        name.starts(with: Array("1PAY.SYS.DDF01".utf8)) || name.starts(with: Array("2PAY.SYS.DDF01".utf8))
    }

    /// Whether the card was used by contact or contactless, if the log shows it: a PPSE that the
    /// card has, or whose selection got no answer, a list with the TTQ, a cryptogram with the
    /// processing options and commands of contactless kernels mean contactless; a PSE, PINs,
    /// EXTERNAL AUTHENTICATE and a second cryptogram mean contact. Without any of these, the bit of
    /// the AIP that EMV reserves for contactless applications decides (EMV 4.4 Book 3, annex C1,
    /// byte 2 bit 8: EMV mode or mag-stripe mode).
    package func interface(_ card: DataElements) -> CardInterface? {
        var isContact = false
        for logged in commands {
            let command = logged.command
            switch (command.cla, command.ins) {
            case (_, 0xA4):
                // A program that looks for both directories is refused one of them.
                let isRefused = logged.response.map { $0.status != .success } ?? false
                if command.data.starts(with: Array("2PAY".utf8)), !isRefused { return .contactless }
                if command.data.starts(with: Array("1PAY".utf8)) { isContact = true }
            case (0x80, 0x2A), (0x80, 0xEA), (0x80, 0xD0): return .contactless
            case (_, 0x20), (_, 0x82): isContact = true
            default: break
            }
        }
        let pdol = card[.pdol].flatMap { try? DOL(parsing: $0) }
        if pdol?.contains(.terminalTransactionQualifiers) ?? false || card.contains(.applicationCryptogram) {
            return .contactless
        }
        if isContact || cryptogramCommands.count > 1 { return .contact }
        let profile = card[.applicationInterchangeProfile] ?? []
        return profile.count == 2 && profile[1] & 0x80 != 0 ? .contactless : nil
    }

    /// The format of the transaction log's records (EMV 4.4 Book 3, annex D3), from the card's
    /// answer to GET DATA at any position of the log.
    package func logFormat(_ card: DataElements) -> DOL? {
        for exchange in exchanges where exchange.command.instruction == .getData && exchange.response.status == .success
        {
            let answer = try? DataElements(parsing: exchange.response.data)
            if let list = answer?[.logFormat].flatMap({ try? DOL(parsing: $0) }) { return list }
        }
        return card[.logFormat].flatMap { try? DOL(parsing: $0) }
    }

    /// The names that the terminal tried before it: SELECT or GET PROCESSING OPTIONS was refused.
    var refusedNames: [[UInt8]] {
        var names: [[UInt8]] = []
        var selected: [UInt8] = []
        for exchange in exchanges {
            switch exchange.command.instruction {
            case .select: selected = exchange.command.data
            case .getProcessingOptions: break
            default: continue
            }
            if exchange.response.status != .success { names.append(selected) }
        }
        return names
    }

    /// All data objects of the card before the first cryptogram, by tag.
    package var cardData: DataElements {
        var data = DataElements()
        // Records before the final selection belong to a directory.
        var isSelected = finalSelection == nil
        for exchange in exchanges where exchange.response.status == .success {
            switch exchange.command.instruction {
            case .select
            where exchange.line == finalSelection?.line && exchange.command.data == finalSelection?.command.data:
                isSelected = true
                _ = try? data.append(parsing: exchange.response.data)
            // Files 11 to 30 are defined by the payment system and the issuer (EMV 4.4 Book 3,
            // 5.3.2.2).
            case .readRecord where isSelected && exchange.command.sfi <= 10:
                _ = try? data.append(parsing: TLVPadding.zeroed(exchange.response.data).bytes)
            case .getProcessingOptions:
                if exchange.response.data.first == 0x80, exchange.response.data.count > 4 {
                    let value = exchange.response.data.dropFirst(exchange.response.data[1] == 0x81 ? 3 : 2)
                    data.append(.applicationInterchangeProfile, value.prefix(2))
                    data.append(.applicationFileLocator, value.dropFirst(2))
                } else {
                    _ = try? data.append(parsing: exchange.response.data)
                }
            default: break
            }
        }
        return data
    }

    /// The records that the AFL marks for data authentication but that are not in the log.
    func unreadStaticRecords(_ card: DataElements) -> [Evidence.Record] {
        var unread: [Evidence.Record] = []
        for entry in card[.applicationFileLocator].flatMap(ApplicationFileLocator.init)?.entries ?? [] {
            for record in entry.records.prefix(Int(entry.authenticatedCount)) {
                let header = CommandAPDU.readRecord(record, sfi: entry.sfi).header
                if !exchanges.contains(where: { $0.command.header == header }) {
                    unread.append(Evidence.Record(number: record, sfi: entry.sfi))
                }
            }
        }
        return unread
    }

    /// The records that the AFL marks for data authentication, in its order.
    func staticData(_ card: DataElements) -> StaticData {
        var data = StaticData()
        for entry in card[.applicationFileLocator].flatMap(ApplicationFileLocator.init)?.entries ?? [] {
            for record in entry.records.prefix(Int(entry.authenticatedCount)) {
                let command = CommandAPDU.readRecord(record, sfi: entry.sfi)
                if let exchange = exchanges.first(where: { $0.command.header == command.header }) {
                    data.append(record: exchange.response.data, sfi: entry.sfi)
                }
            }
        }
        return data
    }
}

extension CommandAPDU {
    /// The file of READ RECORD (EMV 4.4 Book 3, 6.5.11).
    package var sfi: UInt8 { p2 >> 3 }
}
