import SmartCard
import TLV

/// Final selection (EMV 4.4 Book 1, 12.4) and the start of the application chosen (Book 3, 10.1).
extension ContactTransaction {
    /// Selects an application and starts it. An application that does not run is removed from the
    /// list and the selection repeated, so that each is tried once.
    mutating func selectApplicationAndInitiate() async throws(Termination) -> ApplicationConfiguration {
        guard configuration.applications.allSatisfy({ (5...16).contains($0.aid.count) }) else {
            throw .configuration(.applicationIdentifier)
        }
        let candidates = CandidateList.ordered(try await findCandidates())
        observe?(.candidatesFound(candidates))
        var language = LanguageSelection(supported: configuration.languages)
        // Before anything is shown to the cardholder, if the card reports its languages that early
        // (EMV 4.4 Book 1, 12.2.2, note 1).
        if let preferences = candidates.lazy.map(\.languages).first(where: { !$0.isEmpty }) {
            await selectLanguage(&language, preferences)
        }
        var selection = FinalSelection(candidates, canAsk: configuration.cardholderSelectsApplication)
        while true {
            let chosen = try await choose(&selection)
            if let removal = try await run(chosen, &language) {
                selection.strikeOff(chosen, removal)
                observe?(.applicationStruckOff(chosen))
                data.card = DataElements()
            } else {
                return configuration.applications[chosen.application]
            }
        }
    }

    private func choose(_ selection: inout FinalSelection) async throws(Termination) -> Candidate {
        switch selection.next() {
        case .end(let reason): throw reason
        case .select(let candidate): return candidate
        case .ask(let candidates):
            guard let index = await cardholder.chooseApplication(candidates), candidates.indices.contains(index) else {
                throw .cancelledByCardholder
            }
            return candidates[index]
        }
    }

    /// Selects and starts an application; returns the reason if it does not run.
    private mutating func run(
        _ candidate: Candidate, _ language: inout LanguageSelection
    ) async throws(Termination) -> FinalSelection.Removal? {
        let response = try await send(.select(candidate.name))
        if response.status == .selectedFileInvalidated { return .blocked }
        guard response.status == .success, let fci = FileControlInformation(response.data), fci.name == candidate.name
        else {
            return .failed
        }
        data.card = fci.data
        load(configuration.applications[candidate.application], candidate)
        observe?(.applicationSelected(candidate))
        await selectLanguage(&language, LanguageSelection.preferences(fci.data[.languagePreference]))
        return try await initiateApplicationProcessing() ? nil : .refused
    }

    /// EMV 4.4 Book 4, 11.1: the first of the card's preferences that the terminal supports, else
    /// the cardholder's choice.
    private func selectLanguage(_ selection: inout LanguageSelection, _ preferences: [Language]) async {
        var selected = selection.match(preferences)
        if selected == nil, selection.isOpen {
            selected = selection.resolve(await cardholder.chooseLanguage(selection.supported))
        }
        guard let selected else { return }
        await cardholder.use(selected)
        observe?(.languageSelected(selected))
    }

    private mutating func load(_ application: ApplicationConfiguration, _ candidate: Candidate) {
        capabilities = configuration.effectiveCapabilities(application)
        data.terminal.set(.terminalCapabilities, capabilities)
        data.terminal[.applicationIdentifierTerminal] = candidate.name
        data.terminal.set(
            .applicationVersionNumberTerminal, bigEndian: UInt64(application.versions.first ?? 0), count: 2)
        data.terminal.set(.terminalFloorLimit, bigEndian: UInt64(application.floorLimit), count: 4)
        data.terminal[.terminalRiskManagementData] = application.riskManagementData
    }

    // MARK: GET PROCESSING OPTIONS

    /// EMV 4.4 Book 3, 10.1: false if the card refuses the application for this transaction.
    private mutating func initiateApplicationProcessing() async throws(Termination) -> Bool {
        tsi = []
        tvr = []
        let values = try list(.pdol).map { concatenate($0, for: .processingOptions) } ?? []
        let response = try await send(.getProcessingOptions(tlv(.commandTemplate, values)))
        if response.status == .conditionsNotSatisfied { return false }
        guard response.status == .success else { throw .commandFailed(.getProcessingOptions, response.status) }
        sentData = values

        let options = try ResponseTemplate.parse(response.data, of: .getProcessingOptions) {
            (value: [UInt8]) throws(Termination) in
            guard value.count >= 2 else { throw .malformedAnswer(.getProcessingOptions, nil) }
            var elements = DataElements()
            elements.append(.applicationInterchangeProfile, value[..<2])
            elements.append(.applicationFileLocator, value[2...])
            return elements
        }
        for tag in [Tag.applicationInterchangeProfile, .applicationFileLocator] where !options.contains(tag) {
            throw .missingData(tag)
        }
        guard let profile: ApplicationInterchangeProfile = options.field(.applicationInterchangeProfile) else {
            throw .invalidData(.applicationInterchangeProfile)
        }
        guard let locator = ApplicationFileLocator(options) else { throw .invalidData(.applicationFileLocator) }
        data.card.set(.applicationInterchangeProfile, from: options)
        data.card.set(.applicationFileLocator, from: options)
        observe?(.processingOptions(profile, locator))
        return true
    }

    /// The list under `tag` if the card has one.
    func list(_ tag: Tag) throws(Termination) -> DOL? {
        // Data that do not fit into a command of 255 bytes cannot be sent; template 83 takes two or
        // three of these bytes.
        let room = tag == .tdol ? Int.max : tag == .pdol ? 252 : 255
        return try data.card.withValue(of: tag) { bytes throws(Termination) in
            guard let list = try? DOL(parsing: bytes), list.dataLength <= room else { throw .invalidData(tag) }
            return list
        }
    }
}
