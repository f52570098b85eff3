/// What a contactless reader knows of the card in its field without asking it.
package struct FieldIdentity: Sendable, Equatable {
    /// The card's UID, 4, 7 or 10 bytes (ISO/IEC 14443-3, 6.5.4); the PUPI of a card of type B, 4
    /// bytes (7.9.2).
    package let identifier: [UInt8]
    /// Those of the answer to select (ISO/IEC 14443-4, 5.2.7); empty if the card has none.
    package let historicalBytes: [UInt8]

    package init(identifier: [UInt8], historicalBytes: [UInt8]) {
        self.identifier = identifier
        self.historicalBytes = historicalBytes
    }

    /// A random identifier, as cards have that do not tell theirs: `08` and three bytes (ISO/IEC
    /// 14443-3, 6.5.4).
    package static func random(historicalBytes: [UInt8]) -> FieldIdentity {
        FieldIdentity(
            identifier: [0x08] + (0..<3).map { _ in UInt8.random(in: .min ... .max) }, historicalBytes: historicalBytes)
    }
}

extension FieldIdentity {
    /// What the reader answers itself: class `FF` never goes to the card (PC/SC part 3, 3.2.2.1).
    ///
    /// - Returns: Nil for a command to the card.
    package func answer(to command: CommandAPDU) -> ResponseAPDU? {
        guard command.cla == 0xFF else { return nil }
        guard command.ins == 0xCA else { return ResponseAPDU(status: .instructionNotSupported) }
        return data(for: command)
    }

    /// GET DATA (3.2.2.1.3): the identifier, or the historical bytes; 6A81 if the card has none.
    private func data(for command: CommandAPDU) -> ResponseAPDU {
        let data: [UInt8]
        switch (command.p1, command.p2) {
        case (0x00, 0x00): data = identifier
        case (0x01, 0x00): data = historicalBytes
        default: return ResponseAPDU(status: 0x6B00)
        }
        guard command.data.isEmpty, let expected = command.expectedLength else {
            return ResponseAPDU(status: .wrongLength)
        }
        guard !data.isEmpty else { return ResponseAPDU(status: .functionNotSupported) }
        // All bytes are asked for, as many as there are, or more.
        if expected >= 256 || expected == data.count { return ResponseAPDU(data) }
        guard expected > data.count else {
            // fits: both come with a length of one byte
            return ResponseAPDU(status: StatusWord(rawValue: 0x6C00 | UInt16(data.count)))
        }
        return ResponseAPDU(data, status: 0x6282)
    }
}

/// A card in a field, with the commands that a reader of the PC/SC service answers itself.
package struct FieldReader: CardChannel {
    private let identity: FieldIdentity
    private let card: any CardChannel

    package init(_ identity: FieldIdentity, _ card: any CardChannel) {
        self.identity = identity
        self.card = card
    }

    package func transmit(_ command: CommandAPDU) async throws(CardChannelError) -> ResponseAPDU {
        if let answer = identity.answer(to: command) { return answer }
        return try await card.transmit(command)
    }
}
