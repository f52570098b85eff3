private import Bytes
private import MagneticStripe
private import TLV

extension APDUTrace {
    /// Whether every card number in it, in the data of cards or in words, is one that is published for tests.
    public var hasOnlyTestCards: Bool {
        entries.allSatisfy { entry in
            switch entry.event {
            case .exchange(let exchange):
                CardNumbers.all(in: exchange.response.data).allSatisfy(CardNumbers.isTest)
                    && CardNumberScan.numbers(in: exchange.command.data).allSatisfy(CardNumbers.isTest)
            case .unanswered(let command): CardNumberScan.numbers(in: command.data).allSatisfy(CardNumbers.isTest)
            case .reader(.reset): true
            case .reader(let event): CardNumbers.areTests(event.text)
            case .decision(let decision): CardNumbers.areTests(decision.summary)
            case .host(let message): CardNumbers.areTests(message.text)
            case .wire: true
            }
        } && metadata.allSatisfy { Self.technicalMetadata.contains($0.name) || CardNumbers.areTests($0.value) }
    }

    /// Metadata that are keys and settings in long rows of digits, which no card number is among.
    static let technicalMetadata: Set<String> = ["issuer-master-key", "terminal", "transaction", "application", "ca-key"]
}

/// The card numbers in a card's answer: those of its PAN and its tracks, and any that stands in it as characters.
enum CardNumbers {
    /// ASCII digits.
    static func all(in data: [UInt8]) -> [[UInt8]] {
        var found = CardNumberScan.numbers(in: data)
        guard let elements = try? DataElements(parsing: data) else { return found }
        if let pan = elements[.applicationPAN].flatMap({ BCD.digits($0) }) { found.append(pan) }
        for track in [elements[.track2EquivalentData], elements[.track2DataContactless]].compactMap({ $0 }) {
            found.append(Array(track.hex.utf8.prefix { (0x30...0x39).contains($0) }))
        }
        if let track = elements[0x56] {
            found.append(track.drop { !(0x30...0x39).contains($0) }.prefix { (0x30...0x39).contains($0) }.map { $0 })
        }
        return found.filter { (8...19).contains($0.count) }
    }

    static func isTest(_ digits: [UInt8]) -> Bool { TestCardNumbers.contains(SecretBytes(digits)) }

    static func areTests(_ text: String) -> Bool { CardNumberScan.numbers(in: Array(text.utf8)).allSatisfy(isTest) }
}
