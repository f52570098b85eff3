import CardCryptography
import EMVKernel
import SmartCard
import TLV

extension DataElements {
    /// The three digits of ISO 3166-1 or ISO 4217 in the value of `tag`, which a list may ask for
    /// in any length (EMV 4.4 Book 3, 5.4); nil for any other value.
    fileprivate func code(_ tag: Tag) -> UInt16? {
        number(tag).flatMap { $0 <= 999 ? UInt16(exactly: $0) : nil }
    }
}

/// The terminal of a log, as far as its commands tell: what it sent as values of the card's lists,
/// and what its TVR says of limits and random choice that no command shows.
///
/// What the kernel works out itself, all that concerns the card, is never taken from the log: the
/// TVR that comes out can be compared with the log's.
struct LoggedTerminal {
    let configuration: TerminalConfiguration
    let request: TransactionRequest
    let environment: LoggedEnvironment
    /// Every value the log's terminal sent for a list of the card's, that of the first cryptogram
    /// counting most.
    let sent: DataElements
    /// What was guessed and why, for the report.
    let assumptions: [String]

    init(
        _ conversation: LoggedConversation, card: DataElements, lists: LoggedLists, caKeys: [CAPublicKey],
        recorded: RecordedTerminal?
    ) {
        let uses = Self.uses(conversation, lists)
        let sent = Self.sentElements(uses)
        self.sent = sent
        let first = conversation.cryptogramCommands.first
        let tvr = sent[.terminalVerificationResults].flatMap(TerminalVerificationResults.init) ?? []
        if let recorded {
            configuration = Self.configuration(recorded, sent: sent)
            request = recorded.request
            environment = Self.environment(
                sent, tvr, percentage: tvr.contains(.selectedRandomlyForOnline) ? 1 : 99, uses)
            assumptions = []
            return
        }
        var assumptions: [String] = []
        if let first, lists.elements(first, isFirst: true) == nil {
            assumptions.append(
                "the log has no first GENERATE AC that fits CDOL1: amounts and dates are the kernel's own")
        }

        let amount = sent.number(.amountAuthorised) ?? 0
        request = TransactionRequest(
            kind: sent[.transactionType]?.first.flatMap(TransactionRequest.Kind.init) ?? .purchase, amount: amount,
            amountOther: min(sent.number(.amountOther) ?? 0, amount),
            currencyCode: sent.code(.transactionCurrencyCode) ?? 978,
            date: Self.date(sent, card), time: [0, 0, 0], forcesOnline: tvr.contains(.merchantForcedOnline))
        environment = Self.environment(sent, tvr, percentage: 50, uses)
        configuration = Self.configuration(
            conversation, card: card, sent: sent, tvr: tvr, amount: amount, caKeys: caKeys, assumptions: &assumptions)
        // Where no cryptogram was asked for, there is nothing that an assumption would explain.
        self.assumptions = first == nil ? [] : assumptions
    }

    private static func environment(
        _ sent: DataElements, _ tvr: TerminalVerificationResults, percentage: Int, _ uses: [SentList]
    ) -> LoggedEnvironment {
        LoggedEnvironment(
            number: sent[.unpredictableNumber].flatMap { $0.count == 4 ? $0 : nil } ?? [0, 0, 0, 0],
            percentage: percentage,
            isOnExceptionFile: tvr.contains(.cardOnExceptionFile),
            // But for the results, which the kernel finds itself.
            values: uses.map { SentList(use: $0.use, elements: additional($0.elements)) })
    }

    /// The terminal that the trace describes. Values that its lists contain and the trace's head
    /// does not, such as the merchant's name, are those of the log.
    private static func configuration(_ recorded: RecordedTerminal, sent: DataElements) -> TerminalConfiguration {
        var configuration = recorded.configuration
        configuration.additionalData = additional(sent)
        return configuration
    }

    private static func additional(_ sent: DataElements) -> DataElements {
        var additional = sent
        for tag in dynamicTags { additional[tag] = nil }
        return additional
    }

    /// The first true date of those that the log has, for the kernel to judge by; what the card is
    /// sent stays as the log has it.
    private static func date(_ sent: DataElements, _ card: DataElements) -> [UInt8] {
        let dates = [sent[.transactionDate], card[.applicationEffectiveDate], card[.applicationExpirationDate]]
        return dates.compactMap { $0 }.first { CertificateDate(yymmdd: $0) != nil } ?? [0x26, 0x01, 0x01]
    }

    /// What each command of the log sent.
    private static func uses(_ conversation: LoggedConversation, _ lists: LoggedLists) -> [SentList] {
        CardListUse.allCases.compactMap { use in
            let command =
                switch use {
                case .processingOptions: conversation.first(.getProcessingOptions)
                case .internalAuthenticate: conversation.first(.internalAuthenticate)
                case .firstCryptogram: conversation.cryptogramCommands.first
                case .secondCryptogram: conversation.cryptogramCommands.dropFirst().first
                case .checksum: conversation.first(.computeCryptographicChecksum)
                }
            return command.flatMap { lists.elements($0, isFirst: use != .secondCryptogram) }.map {
                SentList(use: use, elements: $0)
            }
        }
    }

    private static func sentElements(_ uses: [SentList]) -> DataElements {
        var sent = DataElements()
        for use in [CardListUse.processingOptions, .internalAuthenticate, .checksum, .firstCryptogram] {
            if let elements = uses.first(where: { $0.use == use })?.elements { sent.update(with: elements) }
        }
        return sent
    }

    private static func configuration(
        _ conversation: LoggedConversation, card: DataElements, sent: DataElements, tvr: TerminalVerificationResults,
        amount: UInt64,
        caKeys: [CAPublicKey], assumptions: inout [String]
    ) -> TerminalConfiguration {
        let requested =
            conversation.cryptogramCommands.first.flatMap { CryptogramType(rawValue: $0.p1 & 0xC0) } ?? .arqc
        let issuerCodes = [Tag.issuerActionCodeDenial, .issuerActionCodeOnline].map {
            card[$0].flatMap(TerminalVerificationResults.init)
        }
        var actionCodes = ActionCodes()
        var type = sent[.terminalType]?.first.map(TerminalType.init) ?? .attendedOnlineWithOfflineCapability
        switch requested {
        case .aac where tvr.isDisjoint(with: issuerCodes[0] ?? []) && !type.isOnlineOnly:
            actionCodes.denial = tvr
            assumptions.append("terminal action code denial \(tvr): the log's terminal asked for an AAC")
        case .arqc where issuerCodes[1].map(tvr.isDisjoint) ?? tvr.isEmpty:
            if tvr.isEmpty {
                type = .attendedOnlineOnly
                assumptions.append(
                    "an online-only terminal: the log's terminal asked for an ARQC with no bit set in its TVR")
            } else {
                actionCodes.online = tvr
                assumptions.append("terminal action code online \(tvr): the log's terminal asked for an ARQC")
            }
        default: break
        }

        var capabilities = sent[.terminalCapabilities].flatMap(TerminalCapabilities.init) ?? []
        if !sent.contains(.terminalCapabilities) {
            capabilities = .contactChip
            capabilities.formUnion(dataAuthentication(conversation, card: card, tvr: tvr))
            capabilities.formUnion(cardholderVerification(conversation, card: card, sent: sent, tvr: tvr))
            assumptions.append("terminal capabilities \(capabilities): none were sent; these explain the log")
        }

        let version = sent.integer(.applicationVersionNumberTerminal).map { UInt16(truncatingIfNeeded: $0) }
        let cardVersion = card.integer(.applicationVersionNumberCard).map { UInt16(truncatingIfNeeded: $0) } ?? 0
        let assumedVersion = tvr.contains(.differentApplicationVersions) ? ~cardVersion : cardVersion
        let limitExceeded = tvr.contains(.floorLimitExceeded)
        let selected = tvr.contains(.selectedRandomlyForOnline)
        let applications = selectedNames(conversation).map { name in
            ApplicationConfiguration(
                aid: name, versions: [version ?? assumedVersion], actionCodes: actionCodes,
                floorLimit: limitExceeded ? 0 : UInt32(clamping: amount + 1),
                randomSelection: RandomSelection(
                    targetPercentage: selected ? 99 : 0, maximumPercentage: selected ? 99 : 0))
        }
        var configuration = TerminalConfiguration(
            type: type, capabilities: capabilities,
            additionalCapabilities: sent[.additionalTerminalCapabilities].flatMap(AdditionalTerminalCapabilities.init)
                ?? [
                    .goods, .services,
                ],
            countryCode: sent.code(.terminalCountryCode) ?? 0, applications: applications, caKeys: caKeys,
            usesPaymentSystemEnvironment: selectedPSE(conversation), cardholderSelectsApplication: true,
            additionalData: additional(sent))
        // The log's terminal had its own rules, so all that it did must be allowed here.
        configuration.allowsPlaintextOfflinePIN = true
        configuration.responseCodes.approving.insert("10")
        configuration.maximumScriptLength = .max
        return configuration
    }

    /// What the kernel finds or makes itself, and so must not be given.
    private static let dynamicTags: [Tag] = [
        .terminalVerificationResults, .transactionStatusInformation, .cvmResults, .iccDynamicNumber,
        .dataAuthenticationCode,
        .authorisationResponseCode, .issuerAuthenticationData, .tcHashValue, .authorisationCode,
        .applicationTransactionCounter,
        .applicationCryptogram,
    ]

    // MARK: Capabilities

    /// Those for the method that the log shows in use.
    private static func dataAuthentication(
        _ conversation: LoggedConversation, card: DataElements, tvr: TerminalVerificationResults
    ) -> TerminalCapabilities {
        if tvr.contains(.offlineDataAuthenticationNotPerformed) { return [] }
        let profile = card[.applicationInterchangeProfile].flatMap(ApplicationInterchangeProfile.init) ?? []
        if tvr.contains(.xdaSelected) || conversation.cryptogramCommands.contains(where: { $0.p1 & 0x18 == 0x08 }) {
            return [.sda, .dda, .cda, .xda]
        }
        let askedForSignature = conversation.cryptogramCommands.contains { $0.p1 & 0x18 == 0x10 }
        if askedForSignature || (tvr.contains(.cdaFailed) && profile.contains(.cdaSupported)) {
            return [.sda, .dda, .cda]
        }
        if conversation.first(.internalAuthenticate) != nil || tvr.contains(.ddaFailed) { return [.sda, .dda] }
        if tvr.contains(.sdaSelected) || !profile.contains(.cdaSupported) { return [.sda] }
        // An AAC is never signed, so a terminal that asks for one at once may have done CDA all the
        // same.
        let asksForAAC = conversation.cryptogramCommands.first.map { $0.p1 & 0xC0 == 0 } ?? false
        return asksForAAC ? [.sda, .dda, .cda] : [.sda]
    }

    /// Those for the methods that the log shows in use.
    private static func cardholderVerification(
        _ conversation: LoggedConversation, card: DataElements, sent: DataElements, tvr: TerminalVerificationResults
    ) -> TerminalCapabilities {
        if let results = sent[.cvmResults].flatMap(CVMResults.init) {
            switch results.code {
            case .plaintextPIN: return .plaintextOfflinePIN
            case .onlinePIN: return .encipheredOnlinePIN
            case .plaintextPINAndSignature: return [.plaintextOfflinePIN, .signature]
            case .encipheredPIN: return [.encipheredOfflinePINByRSA, .encipheredOfflinePINByECC]
            case .encipheredPINAndSignature:
                return [.encipheredOfflinePINByRSA, .encipheredOfflinePINByECC, .signature]
            case .signature: return .signature
            case .noCVM: return .noCVM
            default: return []
            }
        }
        if tvr.contains(.onlineCVMCaptured) { return .encipheredOnlinePIN }
        let verify = conversation.first(.verify)
        let askedForTries = conversation.exchanges.contains {
            $0.command.instruction == .getData && $0.command.p1 == 0x9F && $0.command.p2 == 0x17
        }
        guard verify != nil || askedForTries else { return [.signature, .noCVM] }
        let offline: TerminalCapabilities =
            switch verify?.p2 {
            case 0x88: .encipheredOfflinePINByRSA
            case 0x8A: .encipheredOfflinePINByECC
            default: .plaintextOfflinePIN
            }
        // Where no PIN was right and the TVR yet names no failure, a later rule of the list was
        // met.
        let isVerified = conversation.exchanges.contains {
            $0.command.instruction == .verify && $0.response.status == .success
        }
        return isVerified || tvr.contains(.cardholderVerificationFailed)
            ? offline : offline.union([.signature, .noCVM])
    }

    // MARK: Selection

    private static func selectedPSE(_ conversation: LoggedConversation) -> Bool {
        conversation.commands.contains {
            $0.command.instruction == .select && $0.command.data.starts(with: Array("1PAY".utf8))
        }
    }

    /// The names that the terminal asked the card for, the one it went on with first.
    static func selectedNames(_ conversation: LoggedConversation) -> [[UInt8]] {
        var names = conversation.finalSelection.map { [$0.command.data] } ?? []
        for exchange in conversation.exchanges where exchange.command.instruction == .select {
            let name = exchange.command.data
            guard exchange.response.status == .success, (5...16).contains(name.count),
                name[0] == 0xA0 || name[0] == 0xD2 || name[0] == 0xF0
            else { continue }
            if !names.contains(name) { names.append(name) }
        }
        return names
    }
}

/// What a command of a log sent as the values of one of the card's lists.
struct SentList {
    let use: CardListUse
    let elements: DataElements
}

/// Chance and memory as the log had them.
struct LoggedEnvironment: EMVEnvironment {
    let number: [UInt8]
    let percentage: Int
    let isOnExceptionFile: Bool

    /// What went with each command: a terminal may draw a new unpredictable number for each.
    let values: [SentList]

    func unpredictableNumber() -> [UInt8] { number }
    func values(for use: CardListUse) -> DataElements { values.first { $0.use == use }?.elements ?? DataElements() }
    func randomPercentage() -> Int { percentage }
    func isOnExceptionFile(pan: [UInt8], sequenceNumber: UInt8?) -> Bool { isOnExceptionFile }
}
