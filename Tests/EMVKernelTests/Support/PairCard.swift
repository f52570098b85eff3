import Bytes
import SmartCard
import TLV

/// Not the tags of Swift Testing.
typealias Tag = TLV.Tag

/// The bytes written in `text`; a test that mistypes them stops here.
func bytes(_ text: String) -> [UInt8] {
    guard let bytes = try? [UInt8](hex: text) else { preconditionFailure("no hexadecimal digits: \(text)") }
    return bytes
}

/// Hexadecimal digits written with spaces between the fields, as a card's log has them.
func spaced(_ text: String) -> String { bytes(text).hex }

/// A card made of command and answer pairs, in hexadecimal digits.
///
/// A command is answered by the pair with the longest command that it begins with, so a whole
/// command is matched exactly; pairs with the same command answer in turn and the last goes on.
/// What no pair is for gets SW 6D00.
actor PairCard: CardChannel {
    private var answers: [(command: String, answers: [String])] = []
    /// Every command that came.
    private(set) var sent: [String] = []
    /// Before this command, counted from 0, the card is pulled out.
    private let removedAt: Int

    init(_ pairs: [(String, String)], removedAt: Int = .max) {
        self.removedAt = removedAt
        for (command, answer) in pairs.map({ (bytes($0).hex, bytes($1).hex) }) {
            if let index = answers.firstIndex(where: { $0.command == command }) {
                answers[index].answers.append(answer)
            } else {
                answers.append((command, [answer]))
            }
        }
    }

    func transmit(_ command: CommandAPDU) async throws(CardChannelError) -> ResponseAPDU {
        guard sent.count < removedAt else { throw .cardRemoved }
        let text = command.bytes.hex
        sent.append(text)
        let matching = answers.indices.filter { text.hasPrefix(answers[$0].command) }
        guard let index = matching.max(by: { answers[$0].command.count < answers[$1].command.count }) else {
            return ResponseAPDU(status: .instructionNotSupported)
        }
        let answer = answers[index].answers.count > 1 ? answers[index].answers.removeFirst() : answers[index].answers[0]
        guard let response = ResponseAPDU(bytes: bytes(answer)) else { preconditionFailure("no answer: \(answer)") }
        return response
    }
}

/// A card that is a function, for answers that no list of pairs can hold.
struct FunctionCard: CardChannel {
    let answer: @Sendable (CommandAPDU) -> ResponseAPDU

    func transmit(_ command: CommandAPDU) async throws(CardChannelError) -> ResponseAPDU { answer(command) }
}

/// Counts what goes to a card, and may change what comes back.
actor Tap: CardChannel {
    private let card: any CardChannel
    private let change: @Sendable (CommandAPDU, inout ResponseAPDU) -> Void
    private(set) var commands: [CommandAPDU] = []

    init(_ card: any CardChannel, change: @escaping @Sendable (CommandAPDU, inout ResponseAPDU) -> Void = { _, _ in }) {
        self.card = card
        self.change = change
    }

    func transmit(_ command: CommandAPDU) async throws(CardChannelError) -> ResponseAPDU {
        commands.append(command)
        var response = try await card.transmit(command)
        change(command, &response)
        return response
    }
}

// MARK: - Answers

/// One data object in hexadecimal digits: `object("5A", "1122")` is `5A021122`.
func object(_ tag: String, _ value: String) -> String {
    guard let parsed = Tag(hex: tag) else { preconditionFailure("no tag: \(tag)") }
    return tlv(parsed, bytes(value)).hex
}

func objects(_ all: [(String, String)]) -> String { all.map { object($0, $1) }.joined() }

/// FCI of an application (EMV 4.4 Book 1, table 10), SW 9000.
func fci(_ name: String, _ proprietary: (String, String)..., status: String = "9000") -> String {
    object("6F", object("84", name) + object("A5", objects(proprietary))) + status
}

/// The answer to GENERATE AC in format 1: CID, ATC 0001, cryptogram 1122334455667788.
func cryptogram(_ cid: String) -> String { "800B" + cid + "0001" + "1122334455667788" + "9000" }

/// A card with one application, A0000000031010, and one record; every part can be changed.
struct CardImage {
    static let aid = "A0000000031010"
    static let select = "00A4040007A000000003101000"

    /// Tag 82.
    var aip = "0000"
    var afl = "08010100"
    /// What stands in template A5.
    var proprietary = ""
    /// What stands in the record: the mandatory data objects (EMV 4.4 Book 3, table 28), and action
    /// codes that stop nothing.
    var record: [(tag: String, value: String)] = [
        ("5A", "4761739001010010"), ("5F24", "311231"), ("8C", "95059F3403"), ("8D", "8A0295059B02"),
        ("9F0D", "0000000000"), ("9F0E", "0000000000"), ("9F0F", "0000000000"),
    ]
    /// Answers to GENERATE AC, in their order.
    var cryptograms = [cryptogram("40")]
    /// Further pairs, which go before those of this card.
    var pairs: [(String, String)] = []

    subscript(tag: String) -> String? {
        get { record.first { $0.tag == tag }?.value }
        set {
            record.removeAll { $0.tag == tag }
            if let newValue { record.append((tag, newValue)) }
        }
    }

    var allPairs: [(String, String)] {
        let own = [
            (Self.select, object("6F", object("84", Self.aid) + object("A5", proprietary)) + "9000"),
            ("80A8", object("77", object("82", aip) + object("94", afl)) + "9000"),
            ("00B2010C00", object("70", objects(record.map { ($0.tag, $0.value) })) + "9000"),
        ]
        let replaced = Set(pairs.map { bytes($0.0).hex })
        return pairs + own.filter { !replaced.contains($0.0) } + cryptograms.map { ("80AE", $0) }
    }

    func card(removedAt: Int = .max) -> PairCard { PairCard(allPairs, removedAt: removedAt) }
}
