import CardCryptography
import Contactless
import EMVKernel
import SmartCard
import TLV

/// Drives Entry Point and the kernels of a log's applications over its card, tap by tap.
struct TapReplay {
    private let log: ReplayedLog
    private let taps: [LoggedTap]

    init(_ log: ReplayedLog) {
        self.log = log
        let presentations = log.presentations
        taps = presentations.map { LoggedTap($0, of: log.conversation) }
    }

    func run() async -> ReplayReport {
        guard let kernel = taps.lazy.compactMap(\.kernel).last else { return notReplayed(.unknownKernel) }
        let recovers = log.conversation.first(.recoverAC) != nil
        let readers = taps.map { tap in tap.kernel.flatMap { LoggedReader(tap, kernel: $0, recovers: recovers) } }
        let obstacles = obstacles(readers)
        if let first = obstacles.lazy.compactMap(\.self).first, !obstacles.contains(nil) { return notReplayed(first) }
        var course = TapCourse()
        while course.results.count < taps.count {
            let start = course.results.count
            if let obstacle = obstacles[start] {
                course.skip(obstacle)
                continue
            }
            let blocked = obstacles[start...].firstIndex { $0 != nil } ?? taps.count
            let end = min(LoggedReader.endOfPayment(readers, from: start), blocked)
            // A card that was not selected in its last taps does not say what was paid.
            let known = readers[start..<end].compactMap(\.self)
            guard let reader = LoggedReader(merging: known.isEmpty ? readers.compactMap(\.self) : known) else {
                return notReplayed(.unknownKernel)
            }
            await course.run(Array(taps[start..<end]), reader, Array(readers[start..<end]))
        }
        return report(course, kernel)
    }

    private func notReplayed(_ obstacle: ReplayObstacle) -> ReplayReport {
        ReplayReport(log, transaction: .notReplayed(obstacle))
    }

    private func report(_ course: TapCourse, _ kernel: KernelIdentifier) -> ReplayReport {
        let results = course.results
        // The issuer's update changes nothing of the outcome.
        let last = results.lastIndex { !$0.isIssuerUpdate } ?? 0
        let presentations = zip(taps, results).enumerated().map { place, pair in
            let (tap, result) = pair
            var replayed: LoggedOutcome?
            var obstacle: ReplayObstacle?
            switch result.end {
            case .replayed(let outcome): replayed = LoggedOutcome(outcome, result.steps)
            case .obstacle(let what): obstacle = what
            }
            return ReplayReport.Presentation(
                line: tap.log.conversation.commands.first?.line ?? 0, kernel: tap.kernel,
                isIssuerUpdate: result.isIssuerUpdate,
                logged: place == last
                    ? LoggedOutcome(tap.log.conversation).decided(in: log.trace) : LoggedOutcome(tap.log.conversation),
                replayed: replayed,
                obstacle: obstacle,
                decisionWords: result.end.words)
        }
        let transaction: ReplayedTransaction =
            switch results[last].end {
            case .replayed(let outcome): .contactless(taps[last].kernel ?? kernel, outcome)
            case .obstacle(let obstacle): .notReplayed(obstacle)
            }
        return ReplayReport(
            log, steps: results.flatMap(\.steps), unused: results.flatMap(\.unused), transaction: transaction,
            assumptions: course.assumptions
                + (taps.contains { $0.directory != nil }
                    ? ["a directory with the application: the log has no directory"] : []),
            replayed: presentations[last].replayed, presentations: presentations)
    }

    // MARK: Obstacles

    /// For each presentation, what the log's terminal did and our kernels do not; nil where nothing
    /// is in the way.
    ///
    /// - Parameter readers: The terminal of each; nil without an application, and for a kernel that
    ///   is not implemented.
    private func obstacles(_ readers: [LoggedReader?]) -> [ReplayObstacle?] {
        var obstacles: [ReplayObstacle?] = []
        var isTorn = false
        for (tap, reader) in zip(taps, readers) {
            // The issuer's commands belong to the payment before.
            let before = tap.log.issuerUpdate == nil ? nil : obstacles.last.flatMap(\.self)
            let own = before ?? obstacle(tap, reader, isTorn: isTorn)
            obstacles.append(own)
            if own == nil, tap.log.trace.entries.contains(where: \.isTornCryptogram) { isTorn = true }
        }
        return obstacles
    }

    /// - Parameter isTorn: Whether a torn transaction is replayed before.
    private func obstacle(_ tap: LoggedTap, _ reader: LoggedReader?, isTorn: Bool) -> ReplayObstacle? {
        if let kernel = tap.kernel, reader == nil { return .kernel(kernel) }
        // Of a repeated exchange the log does not tell how long each took.
        if tap.log.conversation.relayExchangeCount > 1 { return .relayResistance }
        if !isTorn, tap.log.conversation.first(.recoverAC) != nil { return .recovery }
        if tap.isOtherMagstripe { return .magstripeMode }
        if tap.lacksKey { return .channelKey }
        return tap.log.missingProof.map(ReplayObstacle.dataAuthentication)
    }
}

/// One presentation of the card.
struct LoggedTap {
    let log: ReplayedLog
    /// Nil if it ends before an application was selected.
    let kernel: KernelIdentifier?
    /// The PPSE for a presentation that begins with its application; nil if it has one.
    let directory: [UInt8]?

    /// - Parameter conversation: The whole log.
    init(_ log: ReplayedLog, of conversation: LoggedConversation) {
        self.log = log
        let own = log.conversation
        kernel = own.contactlessKernel(log.card, directory: own.directory ?? conversation.directory)
        guard own.directory == nil, log.issuerUpdate == nil, let name = own.finalSelection?.command.data else {
            directory = nil
            return
        }
        let identifier: [UInt8] = kernel == .kernel8 ? [0x08] : []
        directory = tlv(.fciTemplate) { template in
            template.append(.dfName, Directory.name)
            template.append(.fciProprietaryTemplate) { proprietary in
                proprietary.append(.fciIssuerDiscretionaryData) { data in
                    data.append(.applicationTemplate) { entry in
                        entry.append(.adfName, name)
                        if !identifier.isEmpty { entry.append(.kernelIdentifier, identifier) }
                    }
                }
            }
        }
    }

    /// The application started, and the card gave no cryptogram: the terminal took its track, in
    /// another way than our kernel does in mag-stripe mode (MSD), with TTQ byte 1 bit 8 and AIP
    /// byte 2 bit 8.
    var isOtherMagstripe: Bool {
        guard PaymentSystem(rid: Array((log.card[.dfName] ?? []).prefix(5))) == .visa,
            let profile = log.card[.applicationInterchangeProfile],
            !log.card.contains(.applicationCryptogram), log.conversation.cryptogramCommands.isEmpty
        else { return false }
        let sent = log.conversation.first(.getProcessingOptions).flatMap { log.lists.elements($0, isFirst: true) }
        let reader = sent?[.terminalTransactionQualifiers].flatMap(TerminalTransactionQualifiers.init) ?? []
        return !reader.contains(.magstripeMode) || profile.count != 2 || profile[1] & 0x80 == 0
    }

    /// The session of kernel 8 was begun under a key that the log's head does not have.
    var lacksKey: Bool { kernel == .kernel8 && log.card.contains(.cardKeyData) && log.channel == nil }
}

/// How far the replay of a log's taps has come.
private struct TapCourse {
    enum End {
        case replayed(ContactlessOutcome)
        case obstacle(ReplayObstacle)

        var words: String {
            switch self {
            case .replayed(let outcome): outcome.summary
            case .obstacle(let obstacle): "not replayed: \(obstacle)"
            }
        }
    }

    struct Result {
        let end: End
        let isIssuerUpdate: Bool
        let steps: [ReplayStep]
        let unused: [LoggedCommand]
    }

    private(set) var results: [Result] = []
    private(set) var assumptions: [String] = []
    private var tornTransactions = TornTransactionLog()
    private var failedChecksums = FailedChecksums()

    /// Leaves out the next presentation.
    mutating func skip(_ obstacle: ReplayObstacle) {
        results.append(Result(end: .obstacle(obstacle), isIssuerUpdate: false, steps: [], unused: []))
    }

    /// Replays `taps` until their payment ends, which is at the last one or before.
    mutating func run(_ taps: [LoggedTap], _ reader: LoggedReader, _ own: [LoggedReader?]) async {
        for assumption in reader.assumptions where !assumptions.contains(assumption) { assumptions.append(assumption) }
        let environment = TapEnvironment(
            own.map { $0?.environment ?? reader.environment }, taps.map(\.log.channel?.agreement))
        var entryPoint = EntryPoint(
            reader.configuration(presentations: taps.count, environment), request: reader.request,
            environment: environment)
        entryPoint.tornTransactions = tornTransactions
        entryPoint.failedChecksums = failedChecksums
        var step = entryPoint.start()
        var isIssuerUpdate = false
        for (place, tap) in taps.enumerated() {
            environment.begin(place)
            let card = LoggedCard(tap.log.conversation, lists: tap.log.lists, directory: tap.directory)
            let end = await present(card, &entryPoint, &step)
            let outcome = end ?? entryPoint.restart ?? ContactlessOutcome(.tryAgain, start: .b)
            results.append(
                Result(end: .replayed(outcome), isIssuerUpdate: isIssuerUpdate, steps: card.steps, unused: card.unused))
            guard end != nil else { continue }
            guard taps.indices.contains(place + 1), let update = taps[place + 1].log.issuerUpdate,
                let next = entryPoint.resume(with: update)
            else { break }
            (step, isIssuerUpdate) = (next, true)
        }
        (tornTransactions, failedChecksums) = (entryPoint.tornTransactions, entryPoint.failedChecksums)
    }

    /// One tap, from its poll on.
    ///
    /// - Returns: Nil if the card is to be presented again.
    private func present(_ card: LoggedCard, _ entryPoint: inout EntryPoint, _ step: inout EntryPoint.Step) async
        -> ContactlessOutcome?
    {
        if case .poll = step.action { step = entryPoint.next(.cardPresent) }
        while true {
            switch step.action {
            case .poll: return nil
            case .waitForEmptyField: step = entryPoint.next(.fieldEmpty)
            case .transmit(let command):
                do throws(CardChannelError) {
                    step = entryPoint.next(.answered(try await card.transmit(command), after: .zero))
                } catch {
                    step = entryPoint.next(.failed(error))
                }
            case .end(let outcome): return outcome
            }
        }
    }
}

extension ReplayedLog {
    /// What keeps the signature from being checked by which the kernel would decide; nil where
    /// nothing does, or where it would not.
    fileprivate var missingProof: Evidence.Gap? {
        if card.contains(.cardKeyData) { return missingAuthority }
        guard decidesBySignature else { return nil }
        let evidence = Evidence.examine(trace, caKeys: caKeys)
        return evidence.lazy.compactMap { entry in
            guard case .notChecked(let gap) = entry.result, entry.kind == .dataAuthentication else { return nil }
            // What a kernel finds itself in the card's data is no reason not to run it.
            return [.date, .certificates, .chain, .thirdCryptogram].contains(gap) ? nil : gap
        }.first
    }

    /// Of kernel 8: what is missing for local authentication, where card and terminal did it.
    private var missingAuthority: Evidence.Gap? {
        let tvr = conversation.cryptogramCommands.first.flatMap {
            lists.elements($0, isFirst: true)?[.terminalVerificationResults]
        }
        .flatMap(TerminalVerificationResults.init)
        guard let tvr, !tvr.contains(.offlineDataAuthenticationNotPerformed), let rid = card[.dfName]?.prefix(5),
            let index = card[.caPublicKeyIndexCard]?.first
        else { return nil }
        let keys = recorded?.configuration.caKeys ?? caKeys
        guard !keys.contains(where: { $0.rid == Array(rid) && $0.index == index }) else { return nil }
        return .caKey(rid: Array(rid), index: index)
    }

    /// Whether card and terminal did CDA, or the card signed with its processing options. A
    /// terminal that says that CDA failed may have lacked the key itself.
    private var decidesBySignature: Bool {
        let profile = card[.applicationInterchangeProfile].flatMap(ApplicationInterchangeProfile.init) ?? []
        guard let first = conversation.cryptogramCommands.first else {
            let options = conversation.exchanges.last { $0.command.instruction == .getProcessingOptions }
            let reader = options.flatMap { lists.elements($0.command, isFirst: true)?[.terminalTransactionQualifiers] }
                .flatMap(TerminalTransactionQualifiers.init)
            // Online a signature counts only where TTQ asks for it (EMV Contactless Book C-3, 5.6).
            let isOffline = options.flatMap { LoggedCryptogram($0.response) }?.information.type == .tc
            return profile.contains(.ddaSupported) && card.contains(.signedDynamicApplicationData)
                && (isOffline || reader?.contains(.dataAuthenticationForOnline) ?? false)
        }
        let tvr =
            lists.elements(first, isFirst: true)?[.terminalVerificationResults].flatMap(
                TerminalVerificationResults.init) ?? []
        return profile.contains(.cdaSupported)
            && tvr.isDisjoint(with: [.cdaFailed, .offlineDataAuthenticationNotPerformed])
    }

    /// The issuer's commands at a second tap, which starts no application; nil for any other.
    fileprivate var issuerUpdate: IssuerResponse? {
        let commands = conversation.commands.map(\.command)
        guard conversation.first(.getProcessingOptions) == nil, !commands.contains(where: { $0.data == Directory.name })
        else { return nil }
        let update = commands.filter { $0.instruction != .select }
        let authentication = update.first { $0.instruction == .externalAuthenticate }
        let script =
            authentication == nil ? update : Array(update.drop { $0.instruction != .externalAuthenticate }.dropFirst())
        guard !update.isEmpty else { return nil }
        let template = tlv(.issuerScriptTemplate2) { builder in
            for command in script { builder.append(.command, command.bytes) }
        }
        return IssuerResponse(
            responseCode: Array("00".utf8), authenticationData: authentication?.data,
            scripts: script.isEmpty ? [] : [template])
    }
}

extension LoggedConversation {
    /// How often the card was asked for relay resistance data.
    var relayExchangeCount: Int { commands.count { $0.command.instruction == .exchangeRelayResistanceData } }

    /// The card's answer to the selection of the PPSE.
    fileprivate var directory: ResponseAPDU? {
        exchanges.first { $0.command.instruction == .select && $0.command.data == Directory.name }?.response
    }

    /// The kernel that the card's directory asks for, or that of the application's payment system
    /// (EMV Contactless Book B, 3.3.2.5).
    fileprivate func contactlessKernel(_ card: DataElements, directory: ResponseAPDU?) -> KernelIdentifier? {
        guard let name = card[.dfName] ?? finalSelection?.command.data else { return nil }
        let entry = directory.flatMap { Directory(parsing: $0.data).entries.first { name.starts(with: $0.adfName) } }
        if case .kernel(let kernel) = entry?.kernel { return kernel }
        return card.contains(.cardKeyData) ? .kernel8 : KernelIdentifier(ofApplication: name)
    }
}
