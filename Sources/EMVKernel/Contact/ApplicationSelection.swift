import SmartCard
import TLV

/// Application selection (EMV 4.4 Book 1, 12) and the start of the application chosen (Book 3, 10.1).
extension ContactTransaction {
    /// `1PAY.SYS.DDF01`
    private static let paymentSystemEnvironment = Array("1PAY.SYS.DDF01".utf8)

    /// Selects an application and starts it; one that refuses to start (SW 6985) is struck off and the choice made again.
    mutating func selectApplicationAndInitiate() async throws(Termination) -> ApplicationConfiguration {
        var candidates = CandidateList.ordered(try await findCandidates())
        observe?(.candidatesFound(candidates))
        while true {
            let chosen = try await choose(from: candidates)
            candidates.removeAll { $0 == chosen }
            let application = configuration.applications[chosen.application]
            guard try await select(chosen) else { continue }
            load(application, chosen)
            observe?(.applicationSelected(chosen))
            if try await initiateApplicationProcessing() { return application }
            data.card = DataElements()
        }
    }

    // MARK: Candidates

    private func findCandidates() async throws(Termination) -> [Candidate] {
        if configuration.usesPaymentSystemEnvironment {
            let candidates = try await candidatesOfDirectory()
            if !candidates.isEmpty { return candidates }
        }
        return try await candidatesOfList()
    }

    /// EMV 4.4 Book 1, 12.3.2: what the PSE lists; empty if the card has none or it is of no use.
    private func candidatesOfDirectory() async throws(Termination) -> [Candidate] {
        let response = try await send(.select(Self.paymentSystemEnvironment))
        if response.status == .functionNotSupported { throw .cardBlocked }
        guard response.status == .success, let fci = FileControlInformation(response.data), fci.name == Self.paymentSystemEnvironment,
            let sfi = fci.data[.shortFileIdentifier], sfi.count == 1, (1...10).contains(sfi[0])
        else { return [] }
        var candidates: [Candidate] = []
        for record in UInt8(1)...UInt8(Self.maximumDirectoryRecords) {
            let answer = try await send(.readRecord(record, sfi: sfi[0]))
            guard answer.status == .success else { return answer.status == .recordNotFound ? candidates : [] }
            guard let entries = DirectoryRecord.entries(answer.data) else { return [] }
            for entry in entries {
                guard candidates.count < ContactKernel.maximumCandidates else { return candidates }
                guard let name = entry[.adfName], !candidates.contains(where: { $0.name == name }) else { continue }
                if let match = CandidateList.match(name, in: configuration.applications) {
                    candidates.append(Candidate(name: name, from: entry, application: match))
                }
            }
        }
        return candidates
    }

    /// A directory has one record for one or a few applications; more records than this are a card without end.
    private static var maximumDirectoryRecords: Int { 10 }

    /// EMV 4.4 Book 1, 12.3.3: SELECT for each AID of the terminal, and SELECT next while the names that come are longer than the AID.
    private func candidatesOfList() async throws(Termination) -> [Candidate] {
        var candidates: [Candidate] = []
        var sawBlocked = false
        for (index, application) in configuration.applications.enumerated() {
            // The names that this AID met; one that comes again means that the card has nothing more to offer.
            var names: [[UInt8]] = []
            while candidates.count < ContactKernel.maximumCandidates, names.count < ContactKernel.maximumCandidates {
                let response = try await send(.select(application.aid, next: !names.isEmpty))
                // Step 2 is about the first SELECT; with a later one it is a status like any other (step 3).
                if response.status == .functionNotSupported && index == 0 && names.isEmpty { throw .cardBlocked }
                let blocked = response.status == .selectedFileInvalidated
                guard response.status == .success || blocked, let fci = FileControlInformation(response.data),
                    fci.name.starts(with: application.aid), !names.contains(fci.name)
                else { break }
                names.append(fci.name)
                let isExact = fci.name == application.aid
                // Step 6: an application that is blocked, or whose name is longer than the terminal allows, is passed over.
                if isExact || application.matchesPartially {
                    if blocked {
                        sawBlocked = true
                    } else if !candidates.contains(where: { $0.name == fci.name }) {
                        candidates.append(Candidate(name: fci.name, from: fci.data, application: index))
                    }
                }
                if isExact { break }
            }
        }
        if candidates.isEmpty && sawBlocked { throw .applicationBlocked }
        return candidates
    }

    // MARK: Choice

    /// EMV 4.4 Book 1, 12.4.
    private func choose(from candidates: [Candidate]) async throws(Termination) -> Candidate {
        guard !candidates.isEmpty else { throw .noApplication }
        let canAsk = configuration.cardholderSelectsApplication
        if let only = CandidateList.automaticChoice(candidates, canAsk: canAsk) { return only }
        guard canAsk else { throw .noApplication }
        guard let index = await cardholder.chooseApplication(candidates), candidates.indices.contains(index) else {
            throw .cancelledByCardholder
        }
        return candidates[index]
    }

    /// Final SELECT; false if the card no longer gives the application.
    private mutating func select(_ candidate: Candidate) async throws(Termination) -> Bool {
        let response = try await send(.select(candidate.name))
        guard response.status == .success else { return false }
        guard let fci = FileControlInformation(response.data), fci.name == candidate.name else { return false }
        data.card = fci.data
        return true
    }

    private mutating func load(_ application: ApplicationConfiguration, _ candidate: Candidate) {
        data.terminal[.applicationIdentifierTerminal] = candidate.name
        data.terminal[.applicationVersionNumberTerminal] = application.versions.first?.bigEndianBytes ?? [0, 0]
        data.terminal[.terminalFloorLimit] = application.floorLimit.bigEndianBytes
        data.terminal[.terminalRiskManagementData] = application.riskManagementData
    }

    // MARK: GET PROCESSING OPTIONS

    /// EMV 4.4 Book 3, 10.1: false if the card refuses the application for this transaction.
    private mutating func initiateApplicationProcessing() async throws(Termination) -> Bool {
        tsi = []
        tvr = []
        let values = try list(.pdol).map { concatenate($0) } ?? []
        let response = try await send(.getProcessingOptions(tlv(.commandTemplate, values)))
        if response.status == .conditionsNotSatisfied { return false }
        guard response.status == .success else { throw .commandFailed(.getProcessingOptions, response.status) }
        sentData = values

        let options = try ResponseTemplate.parse(response.data, of: .getProcessingOptions) { (value: [UInt8]) throws(Termination) in
            guard value.count >= 2 else { throw .malformedAnswer(.getProcessingOptions, nil) }
            var elements = DataElements()
            elements.append(.applicationInterchangeProfile, value[..<2])
            elements.append(.applicationFileLocator, value[2...])
            return elements
        }
        guard let aip = options[.applicationInterchangeProfile] else { throw .missingData(.applicationInterchangeProfile) }
        guard let afl = options[.applicationFileLocator] else { throw .missingData(.applicationFileLocator) }
        guard let profile = ApplicationInterchangeProfile(aip) else { throw .invalidData(.applicationInterchangeProfile) }
        guard let locator = ApplicationFileLocator(afl) else { throw .invalidData(.applicationFileLocator) }
        for tag in options.tags { data.card[tag] = options[tag] }
        observe?(.processingOptions(profile, locator))
        return true
    }

    /// The list under `tag` if the card gives one.
    func list(_ tag: Tag) throws(Termination) -> DOL? {
        guard let bytes = data.card[tag] else { return nil }
        do {
            return try DOL(parsing: bytes)
        } catch {
            throw .invalidData(tag)
        }
    }
}

extension UInt16 {
    var bigEndianBytes: [UInt8] { [UInt8(self >> 8), UInt8(self & 0xFF)] }
}
