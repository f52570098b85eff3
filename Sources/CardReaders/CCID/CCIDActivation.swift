internal import DeviceIO
internal import SmartCard

/// How a card comes under power: voltage, answer to reset, protocol, parameters (USB CCID 1.1, 6.1.1 and 6.1.7; ISO/IEC 7816-3:2006, 6.2 and 9).
struct CCIDActivation {
    let link: CCIDLink
    let quirks: CCIDQuirks
    /// Whether the card's faster rates are tried. EMV's terminals keep to the initial one unless the card insists (TA2).
    let negotiatesRate: Bool

    enum Failure: Error, Equatable {
        case noCard
        case refused(String)
        case device(DeviceError)
    }

    func powerOn(slot: Int) throws(Failure) -> CCIDCard {
        let bytes = try answerToReset(slot)
        guard let answer = try? AnswerToReset(parsing: bytes), var parameters = parameters(answer) else {
            throw .refused("the card's answer to reset is none that this reader and library can go on with")
        }
        if link.descriptor.isDrivenByHost {
            if negotiatesRate, !link.descriptor.features.contains(.automaticPPS) { try negotiate(slot, answer, &parameters) }
            if !link.descriptor.features.contains(.automaticParameters) { try setParameters(slot, parameters) }
        }
        var card = CCIDCard(slot: slot, answerToReset: bytes, parameters, clock: link.descriptor.clock)
        do throws(CardChannelError) {
            try card.offerFieldSize(link)
        } catch .cardRemoved {
            throw .noCard
        } catch {
            throw .refused(error.description)
        }
        return card
    }

    // MARK: Answer to reset

    /// Of a cold reset, and of a warm one if the first is no answer to reset (EMV 4.3 Book 1, 8.3.1).
    private func answerToReset(_ slot: Int) throws(Failure) -> [UInt8] {
        let voltage = try coldReset(slot)
        if (try? AnswerToReset(parsing: voltage.answer)) != nil { return voltage.answer }
        return try exchange(.powerOn(voltage.voltage), slot).get()
    }

    /// The voltages are tried from the highest down, as the classes of cards want it.
    private func coldReset(_ slot: Int) throws(Failure) -> (voltage: CCIDCommand.Voltage, answer: [UInt8]) {
        let supported = link.descriptor.voltages
        let single: [(CCIDDescriptor.Voltages, CCIDCommand.Voltage)] = [
            (.fiveVolts, .five), (.threeVolts, .three), (.eighteenTenthsVolts, .eighteenTenths),
        ]
        let manual = single.filter { supported.contains($0.0) }.map(\.1)
        let voltages = link.descriptor.features.contains(.automaticVoltage) || manual.isEmpty ? [.automatic] : manual
        var last: Failure = .noCard
        for voltage in voltages {
            switch try exchange(.powerOn(voltage), slot) {
            case .success(let answer): return (voltage, answer)
            // A reader of Gemalto's in its EMV mode: it is told to take any card.
            case .failure(.refused(let text)) where text == Self.modeText:
                _ = try exchange(.escape([0x1F, 0x01]), slot)
                return (voltage, try exchange(.powerOn(voltage), slot).get())
            case .failure(.noCard): throw .noCard
            case .failure(let failure):
                last = failure
                _ = try exchange(.powerOff, slot)
            }
        }
        throw last
    }

    private static let modeText = "\(CCIDError(0xBB))"

    /// An answer's data, or why there are none; throws if the reader itself failed.
    private func exchange(_ command: CCIDCommand, _ slot: Int) throws(Failure) -> Result<[UInt8], Failure> {
        let answer: CCIDAnswer
        do throws(DeviceError) {
            answer = try link.exchange(command, slot: slot, patience: CCIDCard.patience * quirks.openingPatience)
        } catch {
            throw .device(error)
        }
        if answer.card == .absent { return .failure(.noCard) }
        if case .failed(let code) = answer.result { return .failure(.refused("\(CCIDError(code))")) }
        return .success(answer.data)
    }

    // MARK: Protocol

    private func parameters(_ answer: AnswerToReset) -> CardParameters? {
        let spoken = link.descriptor.protocols
        if let first = CardParameters(answer), spoken == 0 || spoken >> first.transmissionProtocol.rawValue & 1 == 1 { return first }
        // A reader that cannot speak the card's first protocol may be able to speak another of its.
        return [CardParameters.TransmissionProtocol.t0, .t1].lazy.filter { spoken >> $0.rawValue & 1 == 1 }
            .compactMap { CardParameters(answer, wanted: $0) }.first
    }

    /// Asks for the fastest rate that card and reader both can do, from TA1 down. A card that does not answer is reset and spoken to as it was.
    private func negotiate(_ slot: Int, _ answer: AnswerToReset, _ parameters: inout CardParameters) throws(Failure) {
        guard answer.specificProtocol == nil, let code = answer.interfaceBytes.first?.ta, let fastest = BitRate(code: code),
            let rate = slower(fastest), rate != .initial
        else { return }
        let request = ParameterSelection.request(parameters.transmissionProtocol, rate)
        let reply = try exchange(.transfer(request, waitingTimes: 0, level: 0), slot)
        if case .success(let bytes) = reply, let agreed = ParameterSelection.agreed(bytes, parameters.transmissionProtocol, rate) {
            parameters.rate = agreed
        } else {
            _ = try exchange(.powerOn(.automatic), slot)
        }
    }

    /// The rate itself, or the next lower one that the reader can do.
    private func slower(_ rate: BitRate) -> BitRate? {
        let clock = link.descriptor.clock == 0 ? 4000 : link.descriptor.clock
        let limit = quirks.largestDataRate ?? (link.descriptor.largestDataRate == 0 ? .max : link.descriptor.largestDataRate)
        let candidates = (1...9).compactMap { BitRate(code: rate.code & 0xF0 | $0) }
        return candidates.filter { $0.adjustment <= rate.adjustment && $0.bitsPerSecond(clock: clock) <= limit }
            .max { $0.adjustment < $1.adjustment }
    }

    private func setParameters(_ slot: Int, _ parameters: CardParameters) throws(Failure) {
        switch try exchange(.setParameters(parameters), slot) {
        case .success, .failure(.refused("\(CCIDError.notSupported)")): return
        case .failure(let failure): throw failure
        }
    }
}
