import Bytes
import CardCryptography
import SmartCard
import TLV

/// The commands of the issuer, with secure messaging and within a transaction (EMV 4.4 Book 3, 6.5
/// and 10.10).
extension VirtualCard {
    /// The commands, and their class bytes without secure messaging: those of EMV, then those of
    /// ISO/IEC 7816-4.
    static let issuerCommands: [Instruction: UInt8] = [
        .applicationBlock: 0x80, .applicationUnblock: 0x80, .cardBlock: 0x80, .pinChangeUnblock: 0x80, .putData: 0x00,
        .updateRecord: 0x00,
    ]

    func perform(_ command: CommandAPDU, _ instruction: Instruction, expectedClass: UInt8) throws(Refusal) -> [UInt8] {
        do throws(Refusal) {
            try execute(instruction, command, data: open(command, instruction, expectedClass))
        } catch {
            if session.transaction != nil { state.scripts.failed() }
            throw error
        }
        state.scripts.succeeded()
        return []
    }

    /// The command's data after verification and decipherment.
    private func open(_ command: CommandAPDU, _ instruction: Instruction, _ expectedClass: UInt8) throws(Refusal)
        -> [UInt8]
    {
        guard var messaging = session.transaction?.messaging else { throw Refusal(.conditionsNotSatisfied) }
        guard command.cla != expectedClass else { throw Refusal(.secureMessagingDataMissing) }
        guard command.cla == expectedClass | messaging.scheme.classIndication else { throw Refusal(.classNotSupported) }
        let isEnciphered = instruction == .pinChangeUnblock && (1...2).contains(command.p2)
        defer { session.transaction?.messaging = messaging }
        do throws(SecureMessagingError) {
            return try messaging.open(header: command.header, field: command.data, isEnciphered: isEnciphered)
        } catch {
            switch error {
            case .missing: throw Refusal(.secureMessagingDataMissing)
            case .incorrect: throw Refusal(.secureMessagingDataIncorrect)
            }
        }
    }

    private func execute(_ instruction: Instruction, _ command: CommandAPDU, data: [UInt8]) throws(Refusal) {
        guard case .application(let index) = session.selection else { throw Refusal(.conditionsNotSatisfied) }
        switch instruction {
        case .applicationBlock:
            try command.requireNoMore(data)
            state.blockedApplications.insert(index)
        case .applicationUnblock:
            try command.requireNoMore(data)
            state.blockedApplications.remove(index)
        case .cardBlock:
            try command.requireNoMore(data)
            state.isCardBlocked = true
        case .pinChangeUnblock: try changeOrUnblockPIN(command, data)
        case .putData: try putData(command, data)
        default: try updateRecord(command, data)
        }
    }

    // MARK: PIN (6.5.10)

    /// P2 `00` resets the try counter; `02` also sets a new PIN; `01` is like `02` with the current
    /// PIN in the block (Visa).
    private func changeOrUnblockPIN(_ command: CommandAPDU, _ data: [UInt8]) throws(Refusal) {
        guard command.p1 == 0, command.p2 <= 2 else { throw Refusal(.incorrectP1P2) }
        guard let current = state.pin, let scheme = profile.cryptograms.version.secureMessaging else {
            throw Refusal(.conditionsNotSatisfied)
        }
        if command.p2 == 0 {
            guard data.isEmpty else { throw Refusal(.wrongLength) }
        } else {
            do throws(PINBlockError) {
                state.pin = try scheme.decode(
                    newPIN: SecretBytes(data), replacing: command.p2 == 1 ? current : nil, cardKeys: card.masterKeys)
            } catch {
                throw Refusal(error == .form ? .incorrectP1P2 : .wrongData)
            }
        }
        pinTriesLeft = profile.pinTryLimit
    }

    // MARK: Data

    /// PUT DATA (ISO/IEC 7816-4): P1 and P2 are the tag, the data its value. The offline limits may
    /// be changed if the card has them, but not the counters.
    private func putData(_ command: CommandAPDU, _ data: [UInt8]) throws(Refusal) {
        let tag = Tag(rawValue: UInt32(command.p1) << 8 | UInt32(command.p2))
        guard let present = state.dataElements[tag] else {
            let isReadOnly = [.applicationTransactionCounter, .lastOnlineATCRegister, .pinTryCounter, .logFormat]
                .contains(tag)
            throw Refusal(isReadOnly ? .conditionsNotSatisfied : .referencedDataNotFound)
        }
        guard data.count == present.count else { throw Refusal(.wrongData) }
        state.dataElements[tag] = data
    }

    /// UPDATE RECORD (ISO/IEC 7816-4): P1 is the record's number, P2 its file as in READ RECORD,
    /// the data are the whole record in template `70`.
    private func updateRecord(_ command: CommandAPDU, _ data: [UInt8]) throws(Refusal) {
        guard command.p2 & 0x07 == 0x04, command.p1 > 0 else { throw Refusal(.incorrectP1P2) }
        let sfi = command.p2 >> 3
        guard let records = state.records[sfi] else { throw Refusal(.fileNotFound) }
        guard Int(command.p1) <= records.count else { throw Refusal(.recordNotFound) }
        var walker = TLVWalker()
        guard let template = try? walker.next(in: data.span), template.tag == .recordTemplate,
            template.value.upperBound == data.count
        else {
            throw Refusal(.wrongData)
        }
        state.records[sfi]?[Int(command.p1) - 1] = data
    }
}

extension VirtualCard {
    /// Whether the selected application or the whole card is blocked.
    var isBlocked: Bool {
        guard case .application(let index) = session.selection else { return state.isCardBlocked }
        return state.isCardBlocked || state.blockedApplications.contains(index)
    }

    /// Secure messaging for the transaction whose first cryptogram is `applicationCryptogram`; nil
    /// if the cryptogram version has none.
    func messaging(_ transaction: CardTransaction, applicationCryptogram: [UInt8]) -> SecureMessaging? {
        profile.cryptograms.version.secureMessaging.flatMap {
            try? SecureMessaging(
                scheme: $0, cardKeys: card.masterKeys, atc: transaction.counter,
                applicationCryptogram: applicationCryptogram)
        }
    }
}

extension CommandAPDU {
    /// Refuses P1 and P2 other than zero, and any data except the MAC (EMV 4.4 Book 3, tables 6 to
    /// 8).
    fileprivate func requireNoMore(_ data: [UInt8]) throws(Refusal) {
        try requireParameters(0, 0)
        guard data.isEmpty else { throw Refusal(.wrongLength) }
    }
}
