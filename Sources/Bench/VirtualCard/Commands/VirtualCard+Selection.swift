import SmartCard
import TLV

/// SELECT and READ RECORD (EMV 4.4 Book 1, 11.2 and 11.3; Book 3, 6.5.11).
extension VirtualCard {
    func select(_ command: CommandAPDU) throws(Refusal) -> [UInt8] {
        guard command.p1 == 0x04, command.p2 == 0x00 || command.p2 == 0x02 else { throw Refusal(.incorrectP1P2) }
        guard (5...16).contains(command.data.count) else { throw Refusal(.wrongLength) }
        // A blocked card answers every SELECT with this status and does nothing else (EMV 4.4 Book
        // 3, 6.5.3).
        guard !state.isCardBlocked else { throw Refusal(.functionNotSupported) }
        let isNext = command.p2 == 0x02
        if profile.hasPaymentSystemEnvironment && command.data == PaymentSystemEnvironment.name {
            guard !isNext else { throw Refusal(.fileNotFound) }
            session = CardSession(selection: .paymentSystemEnvironment)
            return PaymentSystemEnvironment.fileControlInformation(profile)
        }
        let first = if isNext, case .application(let current) = session.selection { current + 1 } else { 0 }
        let applications = profile.applications
        guard
            let index = applications.indices.dropFirst(first).first(where: {
                applications[$0].aid.starts(with: command.data)
            })
        else {
            throw Refusal(.fileNotFound)
        }
        session = CardSession(selection: .application(index))
        let information = applications[index].fileControlInformation(profile)
        guard !isBlocked else { throw Refusal(.selectedFileInvalidated, data: information) }
        return information
    }

    func readRecord(_ command: CommandAPDU) throws(Refusal) -> [UInt8] {
        guard command.p2 & 0x07 == 0x04, command.p1 > 0 else { throw Refusal(.incorrectP1P2) }
        let sfi = command.p2 >> 3
        let records: [[UInt8]]?
        switch session.selection {
        case .nothing: throw Refusal(.conditionsNotSatisfied)
        case .paymentSystemEnvironment:
            records =
                sfi == PaymentSystemEnvironment.shortFileIdentifier
                ? PaymentSystemEnvironment.records(profile.applications) : nil
        case .application:
            records =
                sfi == TransactionLog.shortFileIdentifier && profile.logFormat != nil ? log.records : state.records[sfi]
        }
        guard let records else { throw Refusal(.fileNotFound) }
        guard Int(command.p1) <= records.count else { throw Refusal(.recordNotFound) }
        return records[Int(command.p1) - 1]
    }
}
