/// A message of D-Bus (D-Bus Specification, Message Protocol).
struct DBusMessage: Hashable, Sendable {
    /// Other kinds must be ignored.
    struct Kind: RawRepresentable, Hashable, Sendable {
        let rawValue: UInt8
        static let call = Kind(rawValue: 1)
        static let answer = Kind(rawValue: 2)
        static let failure = Kind(rawValue: 3)
        static let signal = Kind(rawValue: 4)
    }

    /// Codes of the header's fields.
    private enum Field: UInt8 {
        case path = 1
        case interface, member, failure, answers, destination, sender, signature
    }

    /// The maximum length that is accepted, in bytes. A bus may send 128 MiB, but bluetoothd's list
    /// of very many devices has only some hundred kilobytes.
    static let largest = 4 << 20
    /// The length of the fixed part of the header.
    private static let start = 16
    private static let noAutoStart: UInt8 = 0x02

    var kind: Kind
    var serial: UInt32 = 0
    /// Whether the bus may start the program that the message is for.
    var startsProgram = false
    var path: String?
    var interface: String?
    var member: String?
    /// The name of the error.
    var failure: String?
    /// The serial number of the call that this one answers.
    var answers: UInt32?
    var destination: String?
    var sender: String?
    var body: [DBusValue] = []

    init(_ kind: Kind) { self.kind = kind }

    static func call(
        _ destination: String, path: String, interface: String, member: String, body: [DBusValue] = []
    ) -> DBusMessage {
        var message = DBusMessage(.call)
        message.destination = destination
        message.path = path
        message.interface = interface
        message.member = member
        message.body = body
        return message
    }

    func encoded() -> [UInt8] {
        var content = DBusWriter()
        for value in body { content.write(value) }
        var writer = DBusWriter()
        for byte in [UInt8(ascii: "l"), kind.rawValue, startsProgram ? 0 : Self.noAutoStart, 1] {
            writer.write(.byte(byte))
        }
        writer.write(.uint32(UInt32(clamping: content.bytes.count)))
        writer.write(.uint32(serial))
        writer.write(.array(fields, of: .structure([.byte, .variant])))
        writer.align(8)
        return writer.bytes + content.bytes
    }

    private var fields: [DBusValue] {
        var fields: [DBusValue] = []
        func add(_ field: Field, _ value: DBusValue?) {
            if let value { fields.append(.structure([.byte(field.rawValue), .variant(value)])) }
        }
        add(.path, path.map { .objectPath($0) })
        add(.interface, interface.map { .string($0) })
        add(.member, member.map { .string($0) })
        add(.failure, failure.map { .string($0) })
        add(.answers, answers.map { .uint32($0) })
        add(.destination, destination.map { .string($0) })
        add(.sender, sender.map { .string($0) })
        let signature = body.flatMap(\.type.signature)
        add(.signature, signature.isEmpty ? nil : .signature(String(decoding: signature, as: UTF8.self)))
        return fields
    }

    /// The length of the message that begins with `bytes`; nil if there are too few of them.
    ///
    /// - Throws: ``DeviceError/malformed(_:_:)`` if the bytes do not begin a message, or it is too
    ///   long.
    static func length(beginning bytes: [UInt8]) throws(DeviceError) -> Int? {
        guard bytes.count >= start else { return nil }
        guard bytes[0] == UInt8(ascii: "l") || bytes[0] == UInt8(ascii: "B"), bytes[3] == 1 else {
            throw .malformed(.dbusMessage, .invalid)
        }
        var reader = DBusReader(bytes, from: 4, isBigEndian: bytes[0] == UInt8(ascii: "B"))
        guard let body = reader.number(size: 4), reader.number(size: 4) != nil, let fields = reader.number(size: 4)
        else { return nil }
        let length = start + Int(clamping: fields + 7) / 8 * 8 + Int(clamping: body)
        guard length <= largest else { throw .malformed(.dbusMessage, .tooLong(length)) }
        return length
    }

    /// Nil if the bytes are not a complete message.
    init?(_ bytes: [UInt8]) {
        guard let length = try? Self.length(beginning: bytes), length == bytes.count, bytes[1] != 0 else { return nil }
        let isBigEndian = bytes[0] == UInt8(ascii: "B")
        kind = Kind(rawValue: bytes[1])
        startsProgram = bytes[2] & Self.noAutoStart == 0
        var header = DBusReader(bytes, from: 8, isBigEndian: isBigEndian)
        guard let serial = header.number(size: 4), serial != 0,
            let fields = header.read([.array(.structure([.byte, .variant]))])?.first?.elements, header.align(8)
        else { return nil }
        self.serial = UInt32(truncatingIfNeeded: serial)
        var signature = ""
        for field in fields {
            guard case .structure(let parts) = field, case .byte(let code) = parts[0] else { return nil }
            switch Field(rawValue: code) {
            case .path: path = parts[1].text
            case .interface: interface = parts[1].text
            case .member: member = parts[1].text
            case .failure: failure = parts[1].text
            case .answers:
                if case .variant(.number(let number, _)) = parts[1] { answers = UInt32(truncatingIfNeeded: number) }
            case .destination: destination = parts[1].text
            case .sender: sender = parts[1].text
            case .signature: signature = parts[1].text ?? ""
            case nil: break
            }
        }
        // The body's alignment counts from its own beginning, which is a multiple of eight.
        var content = DBusReader(Array(bytes[header.offset...]), isBigEndian: isBigEndian)
        guard let types = DBusType.parse(signature.utf8), let values = content.read(types), content.isAtEnd else {
            return nil
        }
        body = values
    }
}
