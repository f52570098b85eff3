import Bytes
import JSONDocument
import Kernels
import PaymentTerminal
import TLV

extension Kernel2Configuration.DataStorage {
    init(_ place: Place) throws(DocumentError) {
        let members = try place.members(["operator", "read", "slot", "before", "after"])
        self.init()
        try members.takeOrNull("operator", &operatorIdentifier) { place throws(DocumentError) in try place.bytes(8...8)
        }
        try members.take("read", &tagsToRead) { place throws(DocumentError) in
            try place.list { place throws(DocumentError) in try place.tag() }
        }
        try members.takeOrNull("slot", &writes.slot) { place throws(DocumentError) in try SlotWrite(place) }
        let envelopes: Place.Reader<[EnvelopeWrite]> = { place throws(DocumentError) in
            try place.list { place throws(DocumentError) in try EnvelopeWrite(place) }
        }
        try members.take("before", &writes.beforeCryptogram, envelopes)
        try members.take("after", &writes.afterCryptogram, envelopes)
        if let place = members["slot"], writes.slot != nil, operatorIdentifier == nil {
            throw place.wrong(ConfigurationFault.slotWithoutOperator)
        }
    }

    /// The document does not keep ``answer``.
    var json: JSON {
        .object([
            "operator": .orNull(operatorIdentifier) { .hex($0) },
            "read": .list(tagsToRead.map { .text($0.description) }),
            "slot": .orNull(writes.slot) { $0.json }, "before": .list(writes.beforeCryptogram.map(\.json)),
            "after": .list(writes.afterCryptogram.map(\.json)),
        ])
    }
}

extension Kernel2Configuration.DataStorage.EnvelopeWrite {
    fileprivate init(_ place: Place) throws(DocumentError) {
        let members = try place.members(["tag", "value"])
        let value = try members.required("value").bytes(0...Self.maximumLength)
        guard let write = Self(try members.required("tag").tag(), value) else {
            throw place.wrong(ConfigurationFault.notAnEnvelope)
        }
        self = write
    }

    fileprivate var json: JSON { .object(["tag": .text(tag.description), "value": .hex(value)]) }
}

extension Kernel2Configuration.DataStorage.SlotWrite {
    private static let cryptograms: [(String, CryptogramType)] = [("aac", .aac), ("arqc", .arqc), ("tc", .tc)]

    fileprivate init(_ place: Place) throws(DocumentError) {
        let members = try place.members(["data", "input", "cardInput", "info", "cryptogram", "instructions"])
        self.init(info: [], cryptogram: .tc, instructions: [])
        try members.takeOrNull("data", &operatorData) { place throws(DocumentError) in try place.bytes(0...160) }
        try members.takeOrNull("input", &terminalInput) { place throws(DocumentError) in try place.bytes(8...8) }
        try members.takeOrNull("cardInput", &cardInput) { place throws(DocumentError) in try place.bytes(8...8) }
        info = try members.required("info").bits(Info.names)
        try members.takeOrNull("cryptogram", &cryptogram) { place throws(DocumentError) in
            try place.choice(Self.cryptograms)
        }
        try members.takeOrNull("instructions", &instructions) { place throws(DocumentError) in
            try place.bits(Instructions.names)
        }
    }

    fileprivate var json: JSON {
        .object([
            "data": .orNull(operatorData) { .hex($0) }, "input": .orNull(terminalInput) { .hex($0) },
            "cardInput": .orNull(cardInput) { .hex($0) }, "info": .bits(info, Info.names),
            "cryptogram": .orNull(cryptogram) { .name($0, Self.cryptograms) },
            "instructions": .orNull(instructions) { .bits($0, Instructions.names) },
        ])
    }
}

extension Kernel2Configuration.DataStorage.SlotWrite.Info {
    fileprivate static let names: [(String, Self)] = [
        ("permanentSlot", .permanentSlot), ("volatileSlot", .volatileSlot), ("lowVolatility", .lowVolatility),
        ("declineOnError", .declineOnError),
    ]
}

extension Kernel2Configuration.DataStorage.SlotWrite.Instructions {
    fileprivate static let names: [(String, Self)] = [
        ("usableForTC", .usableForTC), ("usableForARQC", .usableForARQC), ("usableForAAC", .usableForAAC),
        ("stopIfNotWritable", .stopIfNotWritable), ("stopIfWriteFailed", .stopIfWriteFailed),
    ]
}

extension Place {
    fileprivate func tag() throws(DocumentError) -> Tag {
        guard case .text(let text) = value, let tag = Tag(hex: text) else { throw wrong(ConfigurationFault.notATag) }
        return tag
    }

    func bits<Bits: OptionSet>(_ names: [(String, Bits)]) throws(DocumentError) -> Bits {
        var bits = Bits()
        for place in try list() { bits.formUnion(try place.choice(names)) }
        return bits
    }
}

extension JSON {
    static func bits<Bits: OptionSet>(_ bits: Bits, _ names: [(String, Bits)]) -> JSON {
        .list(names.filter { bits.isSuperset(of: $0.1) }.map { .text($0.0) })
    }
}
