private import Bytes
public import CardCryptography
public import SmartCard
public import TLV

/// A payment card in software: it takes command APDUs, computes real signatures and cryptograms,
/// and does not depend on the terminal.
///
/// The actor has the state that survives a loss of power, its `CardSession` the other state. The
/// commands are in `Commands/`, one file for each phase of a transaction. They refuse with the
/// status words of EMV 4.4 Book 3, 6.3.5.
public actor VirtualCard: RemovableCard {
    public nonisolated let card: PersonalizedCard
    /// The interface to the reader. In a field, only the applications of
    /// ``CardProfile/contactless`` are available.
    public nonisolated let interface: CardInterface
    /// Returns the requested number of random bytes, for challenges and ICC dynamic numbers.
    let random: @Sendable (Int) -> [UInt8]

    /// Tag `9F36`.
    public internal(set) var applicationTransactionCounter: UInt16
    /// Tag `9F13`.
    public internal(set) var lastOnlineCounter: UInt16 = 0
    /// Tag `9F17`.
    public internal(set) var pinTriesLeft: UInt8
    var log = TransactionLog()
    var state: PostIssuanceState
    var session = CardSession()

    public init(
        _ card: PersonalizedCard, interface: CardInterface = .contact,
        random: @escaping @Sendable (Int) -> [UInt8] = { SecureRandom.bytes($0) }
    ) {
        self.card = card
        self.interface = interface
        self.random = random
        applicationTransactionCounter = card.profile.initialATC
        pinTriesLeft = card.profile.pinTryLimit
        state = PostIssuanceState(card)
    }

    /// The profile of the current interface.
    var profile: CardProfile { interface == .contactless ? card.contactlessProfile ?? card.profile : card.profile }

    /// Has the effect of removing and inserting the card.
    public func reset() { session = CardSession() }

    public func transmit(_ command: CommandAPDU) async throws(CardChannelError) -> ResponseAPDU {
        do throws(Refusal) {
            return ResponseAPDU(try answer(to: command))
        } catch {
            return ResponseAPDU(error.data, status: error.status)
        }
    }

    /// The data of the answer with SW `9000`.
    private func answer(to command: CommandAPDU) throws(Refusal) -> [UInt8] {
        let challenge = session.challenge
        session.challenge = nil
        guard let instruction = command.instruction else { throw Refusal(.instructionNotSupported) }
        if case .mastercard(let mastercard) = profile.contactless, interface == .contactless, instruction == .putData,
            command.cla == 0x80
        {
            return try putEnvelope(command, mastercard)
        }
        if let expectedClass = Self.issuerCommands[instruction], profile.issuerCommands.contains(instruction) {
            return try perform(command, instruction, expectedClass: expectedClass)
        }
        guard let expectedClass = Self.classes[instruction] else { throw Refusal(.instructionNotSupported) }
        guard command.cla == expectedClass else { throw Refusal(.classNotSupported) }
        if interface == .contactless { return try answerContactless(to: command, instruction) }
        switch instruction {
        case .select: return try select(command)
        case .readRecord: return try readRecord(command)
        case .getProcessingOptions: return try getProcessingOptions(command)
        case .getData: return try getData(command)
        case .getChallenge: return try getChallenge(command)
        case .verify: return try verify(command, challenge: challenge)
        case .internalAuthenticate: return try internalAuthenticate(command)
        case .externalAuthenticate: return try externalAuthenticate(command)
        case .generateAC: return try generateAC(command)
        default: throw Refusal(.instructionNotSupported)
        }
    }

    private func answerContactless(to command: CommandAPDU, _ instruction: Instruction) throws(Refusal) -> [UInt8] {
        guard let contactless = profile.contactless else { throw Refusal(.fileNotFound) }
        switch (instruction, contactless) {
        case (.select, _): return try selectContactless(command, contactless)
        case (.readRecord, _): return try readContactlessRecord(command)
        case (.getProcessingOptions, .visa(let qualified)), (.getProcessingOptions, .unionPay(let qualified)):
            return try getContactlessProcessingOptions(command, qualified)
        case (.externalAuthenticate, .visa): return try externalAuthenticate(command)
        case (.getProcessingOptions, .mastercard(let mastercard)): return try getProcessingOptions(command, mastercard)
        case (.getProcessingOptions, .americanExpress(let profile)): return try getProcessingOptions(command, profile)
        case (.generateAC, .americanExpress): return try generateSingleAC(command)
        case (.generateAC, .mastercard(let mastercard)): return try generateMastercardAC(command, mastercard)
        case (.recoverAC, .mastercard(let mastercard)): return try recoverAC(command, mastercard)
        case (.getData, .mastercard): return try getStoredData(command)
        case (.exchangeRelayResistanceData, .mastercard(let mastercard)):
            return try exchangeRelayResistanceData(command, mastercard.relayResistance)
        case (.computeCryptographicChecksum, .mastercard(let mastercard)):
            return try computeChecksum(command, mastercard)
        case (.getProcessingOptions, .kernel8(let kernel8)): return try getKernel8ProcessingOptions(command, kernel8)
        case (.exchangeRelayResistanceData, .kernel8(let kernel8)):
            return try exchangeRelayResistanceData(command, kernel8.relayResistance)
        case (.generateAC, .kernel8(let kernel8)): return try generateKernel8AC(command, kernel8)
        case (.readData, .kernel8): return try readData(command)
        case (.writeData, .kernel8(let kernel8)): return try writeData(command, kernel8)
        default: throw Refusal(.instructionNotSupported)
        }
    }

    /// The terminal commands that the card supports, and their class bytes (EMV 4.4 Book 3, table
    /// 3).
    private static let classes: [Instruction: UInt8] = [
        .select: 0x00, .readRecord: 0x00, .verify: 0x00, .getChallenge: 0x00, .internalAuthenticate: 0x00,
        .externalAuthenticate: 0x00,
        .getProcessingOptions: 0x80, .getData: 0x80, .generateAC: 0x80, .computeCryptographicChecksum: 0x80,
        .recoverAC: 0x80,
        .exchangeRelayResistanceData: 0x80, .readData: 0x84, .writeData: 0x84,
    ]
}

/// A command that ends with another status word than `9000`.
struct Refusal: Error {
    let status: StatusWord
    /// Data that are returned with the status word.
    let data: [UInt8]

    init(_ status: StatusWord, data: [UInt8] = []) {
        self.status = status
        self.data = data
    }
}

extension CommandAPDU {
    /// Refuses anything but these P1 and P2.
    func requireParameters(_ p1: UInt8, _ p2: UInt8) throws(Refusal) {
        guard self.p1 == p1, self.p2 == p2 else { throw Refusal(.incorrectP1P2) }
    }
}
