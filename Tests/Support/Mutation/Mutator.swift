import SeededNumbers
import SmartCard
import TLV

/// What goes wrong with the answers of one conversation: a plan that its seed decides, applied to
/// one answer after the other.
struct Mutator: Sendable {
    /// One thing that goes wrong at one command, or from it on with every command of its kind.
    private struct Change {
        let step: Int
        let isRepeated: Bool
        let kind: Kind
    }

    private enum Kind: CaseIterable {
        /// The command's answer comes to every later command of its kind too.
        case sameAnswer
        case flippedBits, changedByte, changedLength, truncation, repetition, growth, otherAnswer, status, noData,
            silence, removal
        /// Those that leave the answer well-formed, and so get past the parser.
        case droppedObject, repeatedObject, changedTag, changedValue, shortenedValue, grownValue
    }

    private var random: SplitMix
    private let changes: [Change]
    /// The answers of the undisturbed conversation, to be given for other commands.
    private let honest: [ResponseAPDU]
    /// The instruction that each repeated change has taken hold of, in the order of `changes`.
    private var instructions: [UInt8?]
    /// What each change of the kind `sameAnswer` gives again.
    private var kept: [ResponseAPDU?]

    /// - Parameter honest: The answers of the undisturbed conversation, at least one.
    init(seed: UInt64, honest: [ResponseAPDU]) {
        random = SplitMix(seed: seed)
        self.honest = honest
        var changes: [Change] = []
        for _ in 0..<[1, 1, 2, 4][Int.random(in: 0..<4, using: &random)] {
            let kind = Kind.allCases[Int.random(in: Kind.allCases.indices, using: &random)]
            let isRepeated = Int.random(in: 0..<4, using: &random) == 0
            changes.append(
                Change(
                    step: Int.random(in: honest.indices, using: &random), isRepeated: isRepeated || kind == .sameAnswer,
                    kind: kind))
        }
        self.changes = changes
        instructions = changes.map { _ in nil }
        kept = changes.map { _ in nil }
    }

    /// What comes back for the command numbered `step` from 0, which the card answered with
    /// `answer`.
    mutating func change(
        _ answer: ResponseAPDU, to command: CommandAPDU, step: Int
    ) throws(CardChannelError) -> ResponseAPDU {
        var answer = answer
        for (index, change) in changes.enumerated() {
            if change.step == step { instructions[index] = command.ins }
            guard change.step == step || change.isRepeated && instructions[index] == command.ins else { continue }
            if change.kind == .sameAnswer {
                answer = kept[index] ?? answer
                kept[index] = answer
            } else {
                try apply(change.kind, to: &answer)
            }
        }
        return answer
    }

    private mutating func apply(_ kind: Kind, to answer: inout ResponseAPDU) throws(CardChannelError) {
        switch kind {
        case .sameAnswer: break
        case .flippedBits:
            for _ in 0..<Int.random(in: 1...4, using: &random) { changeByte(of: &answer) { $0 ^ 1 << ($1 % 8) } }
        case .changedByte: changeByte(of: &answer) { UInt8(truncatingIfNeeded: $1) }
        case .changedLength: changeLength(of: &answer)
        case .truncation: answer.data.removeLast(Int.random(in: 0...answer.data.count, using: &random))
        case .repetition: repeatPart(of: &answer)
        case .growth:
            let count = [1, 8, 64, 65_536][Int.random(in: 0..<4, using: &random)]
            answer.data += random.bytes(Int.random(in: 1...count, using: &random))
        case .otherAnswer: answer = honest[Int.random(in: honest.indices, using: &random)]
        case .status:
            let known: [StatusWord] = [
                0x9000, 0x6100, 0x6110, 0x6283, 0x6300, 0x63C0, 0x63C3, 0x63CF, 0x6700, 0x6983, 0x6984, 0x6985, 0x6A81,
                0x6A83, 0x6A88,
                0x6C00,
                0x6C10,
            ]
            answer.status =
                Bool.random(using: &random)
                ? known[Int.random(in: known.indices, using: &random)]
                : StatusWord(rawValue: .random(in: 0 ... .max, using: &random))
        case .noData: answer.data = []
        case .droppedObject, .repeatedObject, .changedTag, .changedValue, .shortenedValue, .grownValue:
            changeObject(of: &answer, kind)
        case .silence: throw .timedOut
        case .removal: throw .cardRemoved
        }
    }

    private mutating func changeByte(of answer: inout ResponseAPDU, _ change: (UInt8, UInt64) -> UInt8) {
        guard !answer.data.isEmpty else { return }
        let index = Int.random(in: answer.data.indices, using: &random)
        answer.data[index] = change(answer.data[index], random.next())
    }

    /// Another length for one data object, its value left as it is.
    private mutating func changeLength(of answer: inout ResponseAPDU) {
        guard let node = node(of: answer) else { return changeByte(of: &answer) { UInt8(truncatingIfNeeded: $1) } }
        let length = answer.data[node.value.lowerBound - 1]
        let lengths = [
            0, 1, length &- 1, length &+ 1, 0x7F, 0x80, 0x81, 0x82, 0x84, 0xFF,
            UInt8.random(in: 0...255, using: &random),
        ]
        answer.data[node.value.lowerBound - 1] = lengths[Int.random(in: lengths.indices, using: &random)]
    }

    /// One data object, or everything, comes twice or more often. What is added is longer than any
    /// answer that is read (`ContactKernel.maximumAnswerLength`), but not so long that it counts in
    /// the memory that is measured.
    private mutating func repeatPart(of answer: inout ResponseAPDU) {
        let part = node(of: answer).map { $0.start..<$0.value.upperBound } ?? 0..<answer.data.count
        let copies = Array(repeating: answer.data[part], count: [1, 1, 2, 64][Int.random(in: 0..<4, using: &random)])
        answer.data.insert(contentsOf: copies.joined().prefix(256 * 1024), at: part.upperBound)
    }

    /// One data object of the template, with every length made right again.
    private mutating func changeObject(of answer: inout ResponseAPDU, _ kind: Kind) {
        var walker = TLVWalker()
        guard let template = try? walker.next(in: answer.data.span), template.tag.isConstructed else { return }
        var contents: [(tag: Tag, value: [UInt8])] = []
        while let node = try? walker.next(in: answer.data.span) {
            walker.skipContents(of: node)
            contents.append((node.tag, Array(answer.data[node.value])))
        }
        guard let index = contents.indices.randomElement(using: &random) else { return }
        switch kind {
        case .droppedObject: contents.remove(at: index)
        case .repeatedObject: contents.insert(contents[index], at: Int.random(in: 0...contents.count, using: &random))
        case .changedTag: contents[index].tag = contents[Int.random(in: contents.indices, using: &random)].tag
        case .shortenedValue:
            contents[index].value.removeLast(Int.random(in: 0...contents[index].value.count, using: &random))
        case .grownValue: contents[index].value += random.bytes(Int.random(in: 1...100, using: &random))
        default:
            guard let byte = contents[index].value.indices.randomElement(using: &random) else { return }
            contents[index].value[byte] = UInt8.random(in: 0...255, using: &random)
        }
        answer.data = tlv(template.tag) { builder in for object in contents { builder.append(object.tag, object.value) }
        }
    }

    /// One of the data objects; nil where there are none.
    private mutating func node(of answer: ResponseAPDU) -> TLVNode? {
        var nodes: [TLVNode] = []
        var walker = TLVWalker()
        while let node = try? walker.next(in: answer.data.span) { nodes.append(node) }
        return nodes.randomElement(using: &random)
    }
}
