import Bytes
import SmartCard
import TLV

/// Terminal risk management (EMV 4.4 Book 3, 10.6).
extension ContactTransaction {
    mutating func manageTerminalRisk(_ application: ApplicationConfiguration) async throws(Termination) {
        var found: TerminalVerificationResults = []
        let pan = data.card.secretDigits(.applicationPAN) ?? SecretBytes([])
        let sequenceNumber = data.card[.panSequenceNumber]?.first
        if pan.withArray({ environment.isOnExceptionFile(pan: $0, sequenceNumber: sequenceNumber) }) {
            found.insert(.cardOnExceptionFile)
        }
        if request.forcesOnline { found.insert(.merchantForcedOnline) }
        // For every AIP (10.6), but not on a cardholder's own device.
        if !configuration.type.isCardholderControlled {
            // Random selection is for terminals that can be both online and offline.
            let hasChoice = !configuration.type.isOfflineOnly && !configuration.type.isOnlineOnly
            found.formUnion(
                RiskManagement.checkAmount(
                    request.amount,
                    earlierAmount: pan.withArray {
                        environment.amountOfLastTransaction(pan: $0, sequenceNumber: sequenceNumber)
                    },
                    floorLimit: UInt64(application.floorLimit),
                    selection: hasChoice ? application.randomSelection : nil,
                    draw: environment.randomPercentage()))
            found.formUnion(try await checkVelocity())
            tsi.insert(.terminalRiskManagement)
        }
        if try usesDefaultTDOL(application) { found.insert(.defaultTDOLUsed) }
        tvr.formUnion(found)
        observe?(.riskManagement(found))
    }

    /// Only if the card has both limits (10.6.3).
    private mutating func checkVelocity() async throws(Termination) -> TerminalVerificationResults {
        guard let lower = data.card[.lowerConsecutiveOfflineLimit]?.first,
            let upper = data.card[.upperConsecutiveOfflineLimit]?.first
        else { return [] }
        let atc = try await counter(.applicationTransactionCounter, 0x9F36)
        let lastOnline = try await counter(.lastOnlineATCRegister, 0x9F13)
        return RiskManagement.checkVelocity(lowerLimit: lower, upperLimit: upper, atc: atc, lastOnlineATC: lastOnline)
    }

    private mutating func counter(_ tag: Tag, _ number: UInt16) async throws(Termination) -> UInt16? {
        let response = try await send(.getData(number))
        guard response.status == .success, let elements = try? DataElements(parsing: response.data),
            let bytes = elements[tag],
            bytes.count == 2
        else { return nil }
        data.card[tag] = bytes
        return UInt16(bytes[0]) << 8 | UInt16(bytes[1])
    }
}
