internal import CardCapture
internal import DeviceIO
internal import SmartCard

/// Activates a card: voltage, answer to reset, protocol, parameters (USB CCID 1.1, 6.1.1 and 6.1.7;
/// ISO/IEC 7816-3:2006, 6.2 and 9).
struct CCIDActivation {
    let link: any CCIDLink
    let quirks: CCIDQuirks
    let rules: CardRules
    /// The interface where the card must be; nil for either.
    let interface: ReaderEvent.CardInterface?

    enum Failure: Error, Equatable {
        case noCard
        case reader(CCIDError)
        /// The card's answer to reset or its behaviour is not usable.
        case card(ReaderFailure)
        case device(DeviceError)
    }

    /// A card after a reset.
    private struct Reset {
        let voltage: CCIDCommand.Voltage
        let bytes: [UInt8]
        let answer: AnswerToReset
        var parameters: CardParameters
        let isContactless: Bool
    }

    func powerOn(slot: Int) throws(Failure) -> CCIDCard {
        var reset = try reset(slot)
        if link.descriptor.isDrivenByHost {
            let isOurs =
                !reset.isContactless
                && link.descriptor.features.isDisjoint(with: [.automaticPPS, .automaticNegotiation])
            let isAgreed = isOurs ? try negotiate(slot, &reset) : false
            // A reader that derives its parameters from the answer to reset does not know what card
            // and host have negotiated since.
            if isAgreed || !link.descriptor.features.contains(.automaticParameters) {
                try setParameters(slot, reset.parameters)
            }
        }
        var card = CCIDCard(slot: slot, answerToReset: reset.bytes, reset.parameters, clock: link.descriptor.clock)
        do throws(CardChannelError) {
            try card.offerFieldSize(link)
        } catch {
            switch error {
            case .cardRemoved: throw .noCard
            case .cancelled: throw .device(.cancelled)
            case .timedOut: throw .card(.cardMute)
            case .malformedAnswer(let fault): throw .card(.malformedAnswer(fault))
            case .readerFailed(let failure): throw .card(failure)
            }
        }
        return card
    }

    // MARK: Answer to reset

    /// A cold reset, and a warm reset if the first answer is not acceptable (EMV 4.3 Book 1,
    /// 8.3.1).
    private func reset(_ slot: Int) throws(Failure) -> Reset {
        let (voltage, cold) = try coldReset(slot)
        if let reset = try? understood(cold, voltage, .cold) { return reset }
        return try understood(try exchange(.powerOn(voltage), slot).get(), voltage, .warm)
    }

    private func understood(
        _ bytes: [UInt8], _ voltage: CCIDCommand.Voltage, _ kind: AnswerToReset.Reset
    ) throws(Failure) -> Reset {
        do throws(InterfaceMismatch) {
            try InterfaceMismatch.check(bytes, at: interface)
        } catch {
            throw .card(.driver(error))
        }
        let isContactless = ContactlessAnswerToReset(bytes) != nil
        do throws(AnswerToResetError) {
            let answer = try AnswerToReset(parsing: bytes)
            if rules == .emv, !isContactless { _ = try answer.emvParameters(after: kind) }
            guard let parameters = isContactless ? CardParameters(answer, requested: .t1) : parameters(answer) else {
                throw .protocols(answer.protocols)
            }
            return Reset(
                voltage: voltage, bytes: bytes, answer: answer, parameters: parameters, isContactless: isContactless)
        } catch {
            throw .card(.answerToReset(error))
        }
    }

    /// Tries the voltages from the highest to the lowest, as the card classes require.
    private func coldReset(_ slot: Int) throws(Failure) -> (voltage: CCIDCommand.Voltage, answer: [UInt8]) {
        let supported = link.descriptor.voltages
        let single: [(CCIDDescriptor.Voltages, CCIDCommand.Voltage)] = [
            (.fiveVolts, .five), (.threeVolts, .three), (.eighteenTenthsVolts, .eighteenTenths),
        ]
        let manual = single.filter { supported.contains($0.0) }.map(\.1)
        let isAutomatic = !link.descriptor.features.isDisjoint(with: [.automaticVoltage, .automaticActivation])
        let voltages = isAutomatic || manual.isEmpty ? [.automatic] : manual
        var last: Failure = .noCard
        for voltage in voltages {
            switch try exchange(.powerOn(voltage), slot) {
            case .success(let answer): return (voltage, answer)
            // The reader must accept any card.
            case .failure(.reader(.cardOutsideEMV)):
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

    /// The data of an answer, or why there are none; throws if the reader itself failed.
    private func exchange(_ command: CCIDCommand, _ slot: Int) throws(Failure) -> Result<[UInt8], Failure> {
        let answer: CCIDAnswer
        do throws(DeviceError) {
            answer = try link.exchange(command, slot: slot, timeout: CCIDCard.timeout * quirks.openingTimeout)
        } catch {
            throw .device(error)
        }
        if answer.card == .absent { return .failure(.noCard) }
        if case .failed(let code) = answer.result { return .failure(.reader(CCIDError(code))) }
        return .success(answer.data)
    }

    // MARK: Protocol

    private func parameters(_ answer: AnswerToReset) -> CardParameters? {
        let spoken = link.descriptor.protocols
        if let first = CardParameters(answer), spoken == 0 || spoken >> first.transmissionProtocol.rawValue & 1 == 1 {
            return first
        }
        // A reader that does not support the card's first protocol may support another protocol of
        // the card.
        return [CardParameters.TransmissionProtocol.t0, .t1].lazy.filter { spoken >> $0.rawValue & 1 == 1 }
            .compactMap { CardParameters(answer, requested: $0) }.first
    }

    /// Negotiates a protocol other than the card's first if that one is to be used, and the fastest
    /// rate that card and reader both support, from TA1 down. A card that does not agree is reset
    /// and used with its initial parameters.
    ///
    /// - Returns: Whether card and host agreed on parameters other than those of the answer to
    ///   reset.
    private func negotiate(_ slot: Int, _ reset: inout Reset) throws(Failure) -> Bool {
        guard reset.answer.specificProtocol == nil else { return false }
        let spoken = reset.parameters.transmissionProtocol
        let isFirst = reset.answer.protocols.first == spoken.rawValue
        let rate = rules == .isoAtFullSpeed ? fastestRate(reset.answer) : .initial
        guard !isFirst || rate != .initial else { return false }
        let request = ParameterSelection.request(spoken, rate)
        // fits: PPS requests have at most 6 bytes
        let level: UInt16 = link.descriptor.level == .character ? UInt16(request.count) : 0
        let reply = try exchange(.transfer(request, waitingTimes: 0, level: level), slot)
        if case .success(let bytes) = reply, let agreed = ParameterSelection.agreed(bytes, spoken: spoken, rate: rate) {
            reset.parameters.rate = agreed
            return true
        }
        if case .failure(.noCard) = reply { throw .noCard }
        let again = try understood(try exchange(.powerOn(reset.voltage), slot).get(), reset.voltage, .warm)
        guard isFirst || again.answer.specificProtocol == spoken.rawValue else {
            throw .card(.protocolNotSelected)
        }
        reset = again
        return false
    }

    /// The rate of TA1, or the next lower one that the reader supports.
    private func fastestRate(_ answer: AnswerToReset) -> BitRate {
        guard let code = answer.interfaceBytes.first?.ta, let offered = BitRate(code: code) else { return .initial }
        let clock = link.descriptor.clock == 0 ? 4000 : link.descriptor.clock
        let limit =
            quirks.largestDataRate ?? (link.descriptor.largestDataRate == 0 ? .max : link.descriptor.largestDataRate)
        let candidates = (1...9).compactMap { BitRate(code: code & 0xF0 | $0) }
        return candidates.filter { $0.adjustment <= offered.adjustment && $0.bitsPerSecond(clock: clock) <= limit }
            .max { $0.adjustment < $1.adjustment } ?? .initial
    }

    private func setParameters(_ slot: Int, _ parameters: CardParameters) throws(Failure) {
        switch try exchange(.setParameters(parameters), slot) {
        // A reader that does not support the command sets the parameters itself.
        case .success, .failure(.reader(.notSupported)): return
        case .failure(let failure): throw failure
        }
    }
}
