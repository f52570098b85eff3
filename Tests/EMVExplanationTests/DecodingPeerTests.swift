import Bytes
import EMVExplanation
import Foundation
import TLV
import Testing

/// What `decode` says, against `Tests/Peers/decode-peer.py`, which has its names and rules from the
/// books and shares no table with us.
@Suite("What decode says is what an independent decoder says") struct DecodingPeerTests {
    @Test("Two thousand values mean the same to both") func values() throws {
        let answers = try PeerAnswer.drawn(count: 2000)
        try #require(answers.count == 2000 && Set(answers.map(\.tag)).count > 40)
        for answer in answers {
            let field = try answer.field()
            #expect(answer.isAgreed(by: field), "\(answer.tag) \(answer.value): \(answer) against \(field.meanings)")
        }
    }

    @Test("A value that cannot be read is one to both") func unreadable() throws {
        let answers = try PeerAnswer.drawn(count: 2000)
        try #require(Set(answers.filter { !$0.isValid }.map(\.tag)).count > 20)
        for answer in answers {
            let fault = try answer.decoded(isRedacted: true).fault
            #expect((fault == nil) == answer.isValid, "\(answer.tag) \(answer.value): \(fault ?? "no fault")")
        }
    }

    @Test("Card data are shown as far as the peer shows them") func cardData() throws {
        let answers = try PeerAnswer.drawn(count: 2000).filter { $0.shown != nil }
        try #require(Set(answers.map(\.tag)) == ["57", "5A", "5F24"])
        for answer in answers {
            let field = try answer.field(isRedacted: true)
            #expect(field.value == answer.shown, "\(answer.tag) \(answer.value)")
            #expect(field.meanings.isEmpty, "\(answer.tag) \(answer.value)")
            #expect(field.bits.isEmpty, "\(answer.tag) \(answer.value)")
        }
    }

    /// A comparison of words can be too lenient. This one must tell the values of one tag apart.
    @Test("The answer for another value of the tag is refused") func otherValues() throws {
        let answers = Dictionary(grouping: try PeerAnswer.drawn(count: 2000), by: \.tag).values
        let pairs = answers.flatMap { zip($0, $0.dropFirst()) }.filter { $0.meaning != $1.meaning }
        try #require(pairs.count > 1000)
        let agreed = try pairs.filter { answer, other in answer.isAgreed(by: try other.field()) }
        let unnoticed = agreed.map { answer, other in "\(answer.tag) \(answer.value), \(other.value)" }
        #expect(unnoticed.count * 100 <= pairs.count, "\(unnoticed)")
    }
}

private struct PeerFailed: Error { let message: String }

/// A value that the peer drew, and what it says of it.
private struct PeerAnswer: Decodable {
    struct Bit: Decodable, Equatable { let byte: Int, bit: Int, name: String }
    struct Meaning: Equatable { let bits: [Bit]?, isValid: Bool, facts: [String] }

    let tag, value: String
    let aid: String?
    let currency: UInt64?
    let shown: String?
    let bits: [Bit]?
    let isValid: Bool
    let facts: [String]

    var meaning: Meaning { Meaning(bits: bits, isValid: isValid, facts: facts) }

    static func drawn(count: Int) throws -> [PeerAnswer] {
        let tests = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["python3", tests.appending(path: "Peers/decode-peer.py").path, "7", "\(count)"]
        let (output, errors) = (Pipe(), Pipe())
        process.standardOutput = output
        process.standardError = errors
        try process.run()
        let printed = output.fileHandleForReading.readDataToEndOfFile()
        let message = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw PeerFailed(message: message) }
        return try JSONDecoder().decode([PeerAnswer].self, from: printed)
    }

    /// The value as `decode` has it.
    func field(isRedacted: Bool = false) throws -> DataField { try decoded(isRedacted: isRedacted).field }

    func decoded(isRedacted: Bool) throws -> (field: DataField, fault: String?) {
        let rid = try aid.map { Array(try [UInt8](hex: $0).prefix(5)) }
        let tag = try #require(Tag(hex: self.tag) as TLV.Tag?)
        return DataField.decoded(
            tag, try [UInt8](hex: value), isRedacted: isRedacted,
            context: ValueContext(rid: rid, currency: currency))
    }

    /// Whether `field` has the same bits under the same names or, for other values, the same facts
    /// in the same order.
    func isAgreed(by field: DataField) -> Bool {
        guard isValid else {
            guard let fact = facts.first, let line = field.meanings.first else { return false }
            return field.meanings.count == 1 && line.hasPrefix("not ")
                && Statement(String(line.dropFirst(4))).says(Statement(fact), allowsMoreNumbers: true)
        }
        guard let bits else {
            return field.meanings.count == facts.count
                && zip(field.meanings, facts).allSatisfy { Statement($0).says(Statement($1), allowsMoreNumbers: false) }
        }
        let ours = field.bits.filter(\.isSet)
        return ours.count == bits.count && field.meanings.count == max(1, bits.count)
            && zip(ours, bits).allSatisfy { bit, named in
                bit.byte == named.byte && bit.bit == named.bit
                    && Statement(bit.meaning).says(Statement(named.name), allowsMoreNumbers: true)
            }
    }
}

/// A line as words and numbers, without case, spelling of -ise and punctuation; a word with a digit
/// is a number.
private struct Statement {
    private let words, numbers: [String]

    init(_ line: String) {
        let all = line.lowercased().split(whereSeparator: { !$0.isLetter && !$0.isNumber }).map(Self.common)
        words = all.filter { !$0.contains(where: \.isNumber) }
        numbers = all.filter { $0.contains(where: \.isNumber) }
    }

    /// The peer has the terms of the standards, `decode` those of a shop.
    private static func common(_ word: Substring) -> String {
        switch word {
        case "manual": "keyed"
        case "icc": "chip"
        default: String(word).replacing("z", with: "s")
        }
    }

    /// Whether this line has every word of `fact`, each as often, denies as often as `fact`, and
    /// has its numbers in its order.
    func says(_ fact: Statement, allowsMoreNumbers: Bool) -> Bool {
        guard denials == fact.denials else { return false }
        let hasNumbers = allowsMoreNumbers ? fact.numbers.allSatisfy { numbers.contains($0) } : numbers == fact.numbers
        guard hasNumbers else { return false }
        var rest = words
        for word in fact.words {
            guard let index = rest.firstIndex(where: { Self.isSame($0, word) }) else { return false }
            rest.remove(at: index)
        }
        return true
    }

    private var denials: Int { words.count(where: { $0 == "no" || $0 == "not" }) }

    /// Endings may differ: "character keys", "characters keys".
    private static func isSame(_ word: String, _ other: String) -> Bool {
        word == other || (min(word.count, other.count) >= 5 && (word.hasPrefix(other) || other.hasPrefix(word)))
    }
}
