import Bytes
import SmartCard
public import TLV

/// A data object with its name and meaning; a template with its contents.
public struct DataField: Sendable, Encodable, Equatable {
    /// Hexadecimal digits: `9F02`.
    public let tag: String
    public let name: String
    /// The number of bytes of the value.
    public let length: Int
    /// Hexadecimal digits, hidden ones as `*`; nil for a template.
    public let value: String?
    /// The meaning of the value, line by line; a line that belongs to the one above begins with two
    /// spaces.
    public let meanings: [String]
    public let fields: [DataField]
    private let hasBits: Bool

    public struct Bit: Sendable, Encodable, Equatable {
        public let byte: Int
        public let bit: Int
        public let isSet: Bool
        public let meaning: String

        private enum CodingKeys: String, CodingKey {
            case byte, bit, isSet
            case meaning = "words"
        }
    }

    /// The data objects in BER-TLV `bytes`.
    ///
    /// - Throws: An error with the offset where the bytes are not BER-TLV.
    public static func fields(
        _ bytes: [UInt8], isRedacted: Bool, context: ValueContext = ValueContext()
    ) throws(TLVError) -> [DataField] {
        var nodes: [TLVNode] = []
        var walker = TLVWalker()
        while let node = try walker.next(in: bytes.span) { nodes.append(node) }
        var at = nodes.startIndex
        return siblings(nodes, at: &at, bytes: bytes, depth: 0, isRedacted: isRedacted, context: context)
    }

    /// The data objects in `bytes` as far as they are BER-TLV, without padding; and why not all
    /// are. Of a template that is cut off, those that are there.
    public static func readableFields(
        _ bytes: [UInt8], isRedacted: Bool, context: ValueContext = ValueContext()
    ) -> (fields: [DataField], problem: TLVError?) {
        readable(TLVPadding.zeroed(bytes).bytes, depth: 0, isRedacted: isRedacted, context: context)
    }

    /// - Parameter depth: The number of templates around `bytes` that are cut off.
    private static func readable(
        _ bytes: [UInt8], depth: Int, isRedacted: Bool, context: ValueContext
    ) -> (fields: [DataField], problem: TLVError?) {
        var nodes: [TLVNode] = []
        var walker = TLVWalker()
        var problem: TLVError?
        do throws(TLVError) {
            while let node = try walker.next(in: bytes.span) { nodes.append(node) }
        } catch {
            problem = error
        }
        var at = nodes.startIndex
        var fields = siblings(nodes, at: &at, bytes: bytes, depth: 0, isRedacted: isRedacted, context: context)
        if fields.isEmpty, depth < TLVWalker.maximumDepth, case .valueTooLong(_, let tag, _, let available) = problem,
            tag.isConstructed
        {
            let inside = readable(
                Array(bytes.suffix(available)), depth: depth + 1, isRedacted: isRedacted, context: context
            ).fields
            fields = [DataField(template: tag, length: available, inside, context)]
        }
        return (fields, problem)
    }

    private static func siblings(
        _ nodes: [TLVNode], at: inout Int, bytes: [UInt8], depth: Int, isRedacted: Bool, context: ValueContext,
        in template: Tag? = nil
    ) -> [DataField] {
        var fields: [DataField] = []
        let context = context.beside(nodes[at...], of: bytes)
        while at < nodes.endIndex, nodes[at].depth == depth {
            let node = nodes[at]
            at += 1
            let value = Array(bytes[node.value])
            if node.tag.isConstructed {
                let inner = siblings(
                    nodes, at: &at, bytes: bytes, depth: depth + 1, isRedacted: isRedacted, context: context,
                    in: node.tag)
                fields.append(DataField(template: node.tag, length: value.count, inner, context))
            } else {
                fields.append(DataField(node.tag, value, isRedacted: isRedacted, context: context, in: template))
            }
        }
        return fields
    }

    private init(template tag: Tag, length: Int, _ fields: [DataField], _ context: ValueContext) {
        self.tag = tag.description
        name = TagDictionary.name(tag, context)
        self.length = length
        value = nil
        meanings = []
        hasBits = false
        self.fields = fields
    }

    /// The bits, if the value is a bit field and may be shown. They are computed on demand: most
    /// bits of a long log are never used.
    public var bits: [Bit] {
        guard hasBits, let tag = Tag(hex: tag), let value, let bytes = try? [UInt8](hex: value) else { return [] }
        return (ValueDescription.bits(tag, bytes) ?? []).map {
            Bit(byte: $0.byte, bit: $0.bit, isSet: $0.isSet, meaning: $0.meaning)
        }
    }

    /// One value as that of `tag`.
    ///
    /// - Parameter template: The enclosing template, if the tag has its own meaning there.
    public init(
        _ tag: Tag, _ value: [UInt8], isRedacted: Bool, context: ValueContext = ValueContext(), in template: Tag? = nil
    ) {
        let biometric = template.flatMap { BiometricTag.name(tag, in: $0) }
        self.tag = tag.description
        name = biometric ?? TagDictionary.name(tag, context, count: value.count)
        length = value.count
        fields = []
        let command = tag == .command ? CommandAPDU(value) : nil
        let carriesPIN = command?.carriesPIN ?? false
        let isHidden = carriesPIN || isRedacted && Redaction.sensitiveTags.contains(tag)
        self.value =
            carriesPIN
            ? String(repeating: Redaction.mask, count: value.count * 2)
            : isRedacted ? Masking.hex(tag, value) : value.hex
        hasBits = !isHidden && ValueDescription.hasBits(tag, value, in: context)
        let meanings =
            if let command {
                [CommandDescription.summary(command)] + CommandDescription.details(command, context)
            } else if biometric != nil, value.count == 1 {
                [value[0] == 1 ? "1 try" : "\(value[0]) tries"]
            } else {
                isHidden ? [] : ValueDescription.lines(tag, value, in: context)
            }
        self.meanings = meanings.map { isRedacted ? Masking.text($0) : Masking.plain($0) }
    }

    /// One value as that of `tag`, with what is in it if it is a template; and why it cannot be
    /// read, without card data.
    package static func decoded(
        _ tag: Tag, _ value: [UInt8], isRedacted: Bool, context: ValueContext = ValueContext()
    ) -> (field: DataField, fault: String?) {
        guard tag.isConstructed else {
            let fault =
                tag == .command ? (CommandAPDU(value) == nil ? "not a command: its lengths do not match" : nil) : nil
            return (
                DataField(tag, value, isRedacted: isRedacted, context: context),
                fault ?? ValueFault.text(tag, value, in: context)
            )
        }
        let (fields, problem) = readableFields(value, isRedacted: isRedacted, context: context)
        return (DataField(template: tag, length: value.count, fields, context), problem.map { "not BER-TLV: \($0)" })
    }

    private enum CodingKeys: String, CodingKey {
        case tag, name, length, value
        case meanings = "words"
        case bits, fields
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(tag, forKey: .tag)
        try container.encode(name, forKey: .name)
        try container.encode(length, forKey: .length)
        try container.encodeIfPresent(value, forKey: .value)
        try container.encode(meanings, forKey: .meanings)
        try container.encode(bits, forKey: .bits)
        try container.encode(fields, forKey: .fields)
    }

    /// As lines of text: a line for the object, then its meaning or contents, indented.
    public func lines(depth: Int = 0) -> [TLVDescription.Line] {
        let count = length == 1 ? "1 byte" : "\(length) bytes"
        let head = "\(tag) \(name), \(count)"
        let shown = value.map { $0.isEmpty ? head : "\(head): \($0)" } ?? head
        return [TLVDescription.Line(depth: depth, text: shown, tag: Tag(hex: tag), value: value)]
            + meanings.map { TLVDescription.Line(depth: depth + 1, text: $0) }
            + fields.flatMap { $0.lines(depth: depth + 1) }
    }
}

/// The counters of a card with biometric verification, which have the same tags in two templates
/// (EMV 4.4 Book 3, annex A1).
private enum BiometricTag {
    static func name(_ tag: Tag, in template: Tag) -> String? {
        guard let index = tags.firstIndex(of: tag) else { return nil }
        switch template {
        case 0xBF4C: return "\(types[index]) Try Counter"
        case 0xBF4D: return "Preferred \(types[index]) Attempts"
        default: return nil
        }
    }

    private static let tags: [Tag] = [0xDF50, 0xDF51, 0xDF52, 0xDF53, 0xDF54]
    private static let types = ["Facial", "Finger", "Iris", "Palm", "Voice"]
}

extension CommandAPDU {
    /// Its data contain a PIN, plain or enciphered, and are never shown.
    var carriesPIN: Bool { instruction == .verify || instruction == .pinChangeUnblock }
}
