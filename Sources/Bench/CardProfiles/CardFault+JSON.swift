import Bytes
import JSONDocument
import SmartCard
import TLV
import VirtualCard

extension CardFault {
    /// The terminal's commands, then the issuer's.
    private static let instructions: [(String, Instruction)] =
        [
            ("select", .select), ("getProcessingOptions", .getProcessingOptions), ("readRecord", .readRecord),
            ("getData", .getData),
            ("getChallenge", .getChallenge), ("verify", .verify), ("internalAuthenticate", .internalAuthenticate),
            ("externalAuthenticate", .externalAuthenticate), ("generateAC", .generateAC), ("getResponse", .getResponse),
            ("computeCryptographicChecksum", .computeCryptographicChecksum), ("recoverAC", .recoverAC),
            ("exchangeRelayResistanceData", .exchangeRelayResistanceData), ("readData", .readData),
            ("writeData", .writeData),
        ] + Scripts.names

    /// Effects without parameters.
    private static let plain: [(String, Effect)] = [
        ("removal", .removal), ("silence", .silence), ("previousAnswer", .previousAnswer),
        ("endlessChaining", .endlessChaining),
        ("endlessWrongLength", .endlessWrongLength), ("firstFCI", .firstFCI),
        ("oneMoreApplication", .oneMoreApplication),
    ]
    private static let others = [
        "status", "corruption", "truncation", "delay", "cryptogramInformation", "waitingTimeExtensions", "replacement",
        "otherName", "secondCard",
    ]

    init(_ place: Place) throws(DocumentError) {
        let parameters = [
            "status", "byte", "xor", "length", "milliseconds", "cid", "times", "tag", "value", "aid", "name",
        ]
        let members = try place.members(["fault", "step", "command", "occurrence"] + parameters)
        let effectPlace = try members.required("fault")
        let name = try effectPlace.choice((Self.plain.map(\.0) + Self.others).map { ($0, $0) })
        let (effect, taken) = try Self.effect(name, members)
        if let stranger = parameters.first(where: { members[$0] != nil && !taken.contains($0) }),
            let place = members[stranger]
        {
            throw place.wrong(ProfileFault.parameter(stranger, of: name))
        }
        if ["otherName", "secondCard"].contains(name) {
            for key in ["step", "command", "occurrence"] {
                if let place = members[key] { throw place.wrong(ProfileFault.occasion(of: name)) }
            }
        }
        self.init(effect, at: try Self.occasion(members))
    }

    private static func effect(_ name: String, _ members: Members) throws(DocumentError) -> (Effect, [String]) {
        switch name {
        case "status":
            let bytes = try members.required("status").bytes(2...2)
            return (.status(StatusWord(rawValue: UInt16(bytes[0]) << 8 | UInt16(bytes[1]))), ["status"])
        case "corruption":
            var mask: UInt8 = 0xFF
            try members.take("xor", &mask) { place throws(DocumentError) in try place.bytes(1...1)[0] }
            return (.corruption(index: try members.required("byte").number(0...255), mask: mask), ["byte", "xor"])
        case "truncation": return (.truncation(to: try members.required("length").number(0...255)), ["length"])
        case "delay":
            return (.delay(milliseconds: try members.required("milliseconds").number(0...600_000)), ["milliseconds"])
        case "cryptogramInformation":
            return (.cryptogramInformation(try members.required("cid").bytes(1...1)[0]), ["cid"])
        case "waitingTimeExtensions": return (.waitingTimeExtensions(try times(members)), ["times"])
        case "secondCard": return (.secondCard(presentations: try times(members)), ["times"])
        case "replacement":
            return (
                .replacement(try members.required("tag").tag(), value: try members.required("value").bytes(0...252)),
                ["tag", "value"]
            )
        case "otherName":
            return (
                .otherName(
                    try members.required("name").bytes(5...16), insteadOf: try members.required("aid").bytes(5...16)),
                ["aid", "name"]
            )
        default:
            guard let effect = plain.first(where: { $0.0 == name })?.1 else {
                preconditionFailure("the name was chosen from these")
            }
            return (effect, [])
        }
    }

    /// Nil: without end.
    private static func times(_ members: Members) throws(DocumentError) -> Int? {
        var times: Int?
        try members.takeOrNull("times", &times) { place throws(DocumentError) in try place.number(1...10_000) }
        return times
    }

    private static func occasion(_ members: Members) throws(DocumentError) -> Occasion {
        if let place = members["step"] {
            for other in ["command", "occurrence"] {
                if let place = members[other] { throw place.wrong(ProfileFault.besideStep) }
            }
            return .step(try place.number(1...10_000))
        }
        guard let place = members["command"] else {
            if let place = members["occurrence"] { throw place.wrong(ProfileFault.occurrenceWithoutCommand) }
            return .always
        }
        let instruction = try place.choice(instructions)
        guard let place = members["occurrence"] else { return .every(instruction) }
        return .command(instruction, occurrence: try place.number(1...10_000))
    }

    var json: JSON {
        var members: [String: JSON] = [:]
        switch effect {
        case .status(let status):
            members = ["fault": .text("status"), "status": .hex([status.sw1, status.sw2])]
        case .corruption(let index, let mask):
            members = ["fault": .text("corruption"), "byte": .number(index), "xor": .hex([mask])]
        case .truncation(let length): members = ["fault": .text("truncation"), "length": .number(length)]
        case .delay(let milliseconds): members = ["fault": .text("delay"), "milliseconds": .number(milliseconds)]
        case .cryptogramInformation(let value):
            members = ["fault": .text("cryptogramInformation"), "cid": .hex([value])]
        case .waitingTimeExtensions(let times):
            members = ["fault": .text("waitingTimeExtensions"), "times": .orNull(times) { .number($0) }]
        case .secondCard(let times): members = ["fault": .text("secondCard"), "times": .orNull(times) { .number($0) }]
        case .replacement(let tag, let value):
            members = ["fault": .text("replacement"), "tag": .text(tag.description), "value": .hex(value)]
        case .otherName(let name, let aid):
            members = ["fault": .text("otherName"), "aid": .hex(aid), "name": .hex(name)]
        default: members = ["fault": .name(effect, Self.plain)]
        }
        switch occasion {
        case .always: break
        case .step(let step): members["step"] = .number(step)
        case .every(let instruction): members["command"] = .name(instruction, Self.instructions)
        case .command(let instruction, let occurrence):
            members["command"] = .name(instruction, Self.instructions)
            members["occurrence"] = .number(occurrence)
        }
        return .object(sorted: members)
    }
}
