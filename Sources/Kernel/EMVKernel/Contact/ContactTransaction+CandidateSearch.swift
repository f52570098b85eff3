import SmartCard
import TLV

/// Building the candidate list (EMV 4.4 Book 1, 12.3).
extension ContactTransaction {
    /// `1PAY.SYS.DDF01`
    private static let paymentSystemEnvironment = Array("1PAY.SYS.DDF01".utf8)

    /// The applications that card and terminal have in common, in the order in which they were
    /// found.
    func findCandidates() async throws(Termination) -> [Candidate] {
        if configuration.usesPaymentSystemEnvironment {
            let candidates = try await candidatesOfDirectory()
            if !candidates.isEmpty { return candidates }
        }
        return try await candidatesOfList()
    }

    /// EMV 4.4 Book 1, 12.3.2: the applications that the PSE lists. Empty if the card has no PSE or
    /// an unusable one: the list of AIDs is used then.
    private func candidatesOfDirectory() async throws(Termination) -> [Candidate] {
        let response = try await send(.select(Self.paymentSystemEnvironment))
        if response.status == .functionNotSupported { throw .cardBlocked }
        guard response.status == .success, let fci = FileControlInformation(response.data),
            fci.name == Self.paymentSystemEnvironment,
            let sfi = fci.data[.shortFileIdentifier], sfi.count == 1, (1...10).contains(sfi[0])
        else { return [] }
        var candidates: [Candidate] = []
        for record in Self.directoryRecords {
            let answer = try await send(.readRecord(record, sfi: sfi[0]))
            guard answer.status == .success else { return answer.status == .recordNotFound ? candidates : [] }
            guard let entries = DirectoryRecord.entries(answer.data) else { return [] }
            for entry in entries {
                guard candidates.count < ContactKernel.maximumCandidates else { return candidates }
                guard let name = entry[.adfName], !candidates.contains(where: { $0.name == name }) else { continue }
                if let match = CandidateList.match(name, in: configuration.applications) {
                    candidates.append(Candidate(name: name, from: entry, environment: fci.data, application: match))
                }
            }
        }
        return candidates
    }

    /// The limit for a card that never answers 6A83.
    // fits: a constant
    private static var directoryRecords: ClosedRange<UInt8> { 1...UInt8(ContactKernel.maximumRecords) }

    /// EMV 4.4 Book 1, 12.3.3 and figure 4: SELECT for each AID of the terminal, and SELECT next
    /// while the card returns names longer than the AID.
    private func candidatesOfList() async throws(Termination) -> [Candidate] {
        var candidates: [Candidate] = []
        var sawBlocked = false
        for (index, application) in configuration.applications.enumerated() {
            // The names found for this AID; a repeated name means that the card has no more
            // applications.
            var names: [[UInt8]] = []
            while candidates.count < ContactKernel.maximumCandidates, names.count < ContactKernel.maximumCandidates {
                let response = try await send(.select(application.aid, next: !names.isEmpty))
                // Step 2 applies to the first SELECT; for a later one it is an ordinary status
                // (step 3).
                if response.status == .functionNotSupported && index == 0 && names.isEmpty { throw .cardBlocked }
                let isBlocked = response.status == .selectedFileInvalidated
                guard response.status == .success || isBlocked else { break }
                guard let fci = FileControlInformation(response.data) else {
                    sawBlocked = sawBlocked || isBlocked
                    break
                }
                guard fci.name.starts(with: application.aid), !names.contains(fci.name) else { break }
                let isExact = fci.name == application.aid
                // Step 6: if an exact match is required, a longer name leads to the next AID.
                guard isExact || application.matchesPartially else { break }
                names.append(fci.name)
                if isBlocked {
                    sawBlocked = true
                } else if !candidates.contains(where: { $0.name == fci.name }) {
                    candidates.append(Candidate(name: fci.name, from: fci.data, application: index))
                }
                if isExact { break }
            }
        }
        if candidates.isEmpty && sawBlocked { throw .applicationBlocked }
        return candidates
    }
}
