import Contactless
import EMVKernel
import EntryPoint
import SmartCard
import TLV

/// Drives Entry Point and the kernel of a log's application over its card.
struct TapReplay {
    private let log: ReplayedLog

    init(_ log: ReplayedLog) { self.log = log }

    func run() async -> ReplayReport {
        guard let kernel = log.conversation.contactlessKernel(log.card) else { return notReplayed(.unknownKernel) }
        guard let reader = LoggedReader(log, kernel: kernel) else { return notReplayed(.kernel(kernel)) }
        if let obstacle { return notReplayed(obstacle) }
        let channel = LoggedCard(log.conversation, lists: log.lists, directory: madeUpDirectory)
        let outcome = await tap(reader, channel)
        let steps = channel.steps
        return ReplayReport(
            log, steps: steps, unused: channel.unused, transaction: .contactless(kernel, outcome),
            assumptions: reader.assumptions + (madeUpDirectory == nil ? [] : ["a directory with the application: the log has none"]),
            replayed: LoggedOutcome(outcome, steps))
    }

    private func notReplayed(_ obstacle: ReplayObstacle) -> ReplayReport {
        ReplayReport(log, transaction: .notReplayed(obstacle))
    }

    /// What the log's terminal did and our kernels do not.
    private var obstacle: ReplayObstacle? {
        for command in log.conversation.commands.lazy.map(\.command) where command.cla == 0x80 {
            if command.ins == 0xD0 { return .recovery }
        }
        // Of a repeated exchange the log does not tell how long each took.
        if log.conversation.relayExchangeCount > 1 { return .relayResistance }
        if log.isVisaMagstripe { return .magstripeMode }
        guard let missing = log.missingProof else { return nil }
        return .dataAuthentication(missing)
    }

    // MARK: The tap

    private func tap(_ reader: LoggedReader, _ channel: LoggedCard) async -> ContactlessOutcome {
        var entryPoint = EntryPoint(reader.configuration, request: reader.request, environment: reader.environment)
        var step = entryPoint.start()
        var isPresented = false
        while true {
            switch step.action {
            case .poll:
                // The card is presented again as long as the log goes on with it.
                if isPresented, channel.isAtEnd { return ContactlessOutcome(.tryAgain, start: .b) }
                isPresented = true
                step = entryPoint.next(.cardPresent)
            case .waitForEmptyField: step = entryPoint.next(.fieldEmpty)
            case .transmit(let command): step = entryPoint.next(await answer(command, channel))
            case .end(let outcome):
                guard let update = log.issuerUpdate, let next = entryPoint.resume(with: update) else { return outcome }
                _ = await finish(&entryPoint, next, channel)
                return outcome
            }
        }
    }

    /// The issuer's update at a second tap, which changes nothing of the outcome.
    private func finish(_ entryPoint: inout EntryPoint, _ first: EntryPoint.Step, _ channel: LoggedCard) async {
        var step = first
        while true {
            switch step.action {
            case .poll: step = entryPoint.next(.cardPresent)
            case .waitForEmptyField: step = entryPoint.next(.fieldEmpty)
            case .transmit(let command): step = entryPoint.next(await answer(command, channel))
            case .end: return
            }
        }
    }

    private func answer(_ command: CommandAPDU, _ channel: LoggedCard) async -> EntryPoint.Event {
        do throws(CardChannelError) {
            return .answered(try await channel.transmit(command), after: .zero)
        } catch {
            return .failed(error)
        }
    }

    /// The PPSE of a card whose log begins with its application; nil for a log that has one.
    private var madeUpDirectory: [UInt8]? {
        guard !log.conversation.hasContactlessDirectory, let name = log.conversation.finalSelection?.command.data else { return nil }
        return tlv(.fciTemplate) { template in
            template.append(.dfName, Directory.name)
            template.append(.fciProprietaryTemplate) { proprietary in
                proprietary.append(.fciIssuerDiscretionaryData) { data in
                    data.append(.applicationTemplate) { $0.append(.adfName, name) }
                }
            }
        }
    }
}

extension ReplayedLog {
    /// The application started, and the card gave no cryptogram: the terminal took its track (MSD, which VCPS 2.2 dropped).
    fileprivate var isVisaMagstripe: Bool {
        PaymentSystem(rid: Array((card[.dfName] ?? []).prefix(5))) == .visa && card.contains(.applicationInterchangeProfile)
            && !card.contains(.applicationCryptogram) && conversation.cryptogramCommands.isEmpty
    }

    /// What keeps the signature from being checked by which the kernel would decide; nil where nothing does, or where it would not.
    fileprivate var missingProof: String? {
        guard decidesBySignature else { return nil }
        let evidence = Evidence.examine(trace, caKeys: caKeys)
        return evidence.lazy.compactMap { entry in
            guard case .notChecked(let what) = entry.result, entry.kind == .dataAuthentication else { return nil }
            return what
        }.first
    }

    /// Whether card and terminal did CDA, or the card signed with its processing options. A terminal that says that CDA failed
    /// may have lacked the key itself.
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
        let tvr = lists.elements(first, isFirst: true)?[.terminalVerificationResults].flatMap(TerminalVerificationResults.init) ?? []
        return profile.contains(.cdaSupported) && tvr.isDisjoint(with: [.cdaFailed, .offlineDataAuthenticationNotPerformed])
    }

    /// The issuer's commands at a second tap; nil if the log has none.
    fileprivate var issuerUpdate: IssuerResponse? {
        let commands = conversation.commands.map(\.command)
        guard let start = commands.firstIndex(where: { $0.instruction == .externalAuthenticate }) else { return nil }
        let script = commands[(start + 1)...]
        let template = tlv(.issuerScriptTemplate2) { builder in for command in script { builder.append(.command, command.bytes) } }
        return IssuerResponse(
            responseCode: Array("00".utf8), authenticationData: commands[start].data, scripts: script.isEmpty ? [] : [template])
    }
}

extension LoggedConversation {
    /// How often the card was asked for relay resistance data.
    var relayExchangeCount: Int { commands.count { $0.command.instruction == .exchangeRelayResistanceData } }

    fileprivate var hasContactlessDirectory: Bool {
        exchanges.contains { $0.command.instruction == .select && $0.command.data == Directory.name }
    }

    /// The kernel that the card's directory asks for, or that of the application's payment system
    /// (EMV Contactless Book B, 3.3.2.5).
    fileprivate func contactlessKernel(_ card: DataElements) -> KernelIdentifier? {
        guard let name = card[.dfName] ?? finalSelection?.command.data else { return nil }
        let directory = exchanges.first { $0.command.instruction == .select && $0.command.data == Directory.name }
        let entry = directory.flatMap { Directory(parsing: $0.response.data).entries.first { name.starts(with: $0.adfName) } }
        if case .kernel(let kernel) = entry?.kernel { return kernel }
        return KernelIdentifier(ofApplication: name)
    }
}
