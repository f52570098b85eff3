private import Bytes
private import MagneticStripe
internal import TLV

extension APDUTrace {
    /// Whether all card numbers in the trace, in card data or in text, are published test numbers.
    public var hasOnlyTestCards: Bool {
        entries.allSatisfy { entry in
            switch entry.event {
            case .exchange(let exchange):
                CardNumbers.all(in: exchange.response.data, isStrict: true).allSatisfy(CardNumbers.isTest)
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

    /// Metadata with keys and settings as long rows of digits, which contain no card number.
    static let technicalMetadata: Set<String> = [
        "issuer-master-key", "cvc3-master-key", "terminal", "transaction", "application", "ca-key",
    ]
}

/// The card numbers in a card's answer, as ASCII digits: those of its PAN and its tracks, and any
/// in other values.
enum CardNumbers {
    /// Values of eight bytes that a card computes or draws: one in 50,000 looks like a card number
    /// in BCD.
    private static let computedTags: Set<Tag> = [.applicationCryptogram, .iccDynamicNumber]

    /// - Parameter isStrict: BCD digits count only as a whole value, because long binary values
    ///   contain such runs of digits by chance, and not as a cryptogram.
    static func all(in data: [UInt8], isStrict: Bool = false) -> [[UInt8]] {
        var found = CardNumberScan.numbers(in: data)
        var inside: [[UInt8]] = []
        var walker = TLVWalker()
        do {
            while let node = try walker.next(in: data.span) {
                guard !node.tag.isConstructed else { continue }
                inside += all(in: Array(data[node.value]), of: node.tag, isStrict: isStrict)
            }
            found += inside
        } catch {}
        return found
    }

    /// The card numbers in `value`, read as the value of `tag`.
    static func all(in value: [UInt8], of tag: Tag, isStrict: Bool = false) -> [[UInt8]] {
        let numbers: [[UInt8]]
        switch tag {
        case .applicationPAN: numbers = BCD.digits(value).map { [$0] } ?? []
        case .track2EquivalentData, .track2DataContactless: numbers = [Array(value.hex.utf8.prefix(while: isDigit))]
        case 0x56: numbers = [Array(value.drop { !isDigit($0) }.prefix(while: isDigit))]
        case _ where Masking.randomTags.contains(tag) || Redaction.sensitiveTags.contains(tag): numbers = []
        case _ where isStrict && computedTags.contains(tag): numbers = []
        default: numbers = CardNumberScan.numbers(inValue: value, isStrict ? .text : Masking.content(of: tag, value))
        }
        return numbers.filter { (8...19).contains($0.count) }
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }

    static func isTest(_ digits: [UInt8]) -> Bool { TestCardNumbers.contains(SecretBytes(digits)) }

    static func areTests(_ text: String) -> Bool { CardNumberScan.numbers(in: text).allSatisfy(isTest) }
}
