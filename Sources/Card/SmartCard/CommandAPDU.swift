private import Bytes

/// A command to a card (ISO/IEC 7816-4, 5.1): header, data, and the number of bytes expected in
/// return.
///
/// `data` of up to 255 bytes and `expectedLength` of up to 256 are coded in short form; anything
/// longer in extended form. The data are wiped as those of ``ResponseAPDU``.
public struct CommandAPDU: Hashable, Sendable {
    public var cla: UInt8
    public var ins: UInt8
    public var p1: UInt8
    public var p2: UInt8
    private var content: Wiped
    public var data: [UInt8] {
        get { content.wrappedValue }
        set { content.wrappedValue = newValue }
        _modify { yield &content.wrappedValue }
    }
    /// Ne, the number of bytes expected: 256 (coded `00`) requests all available bytes; nil for
    /// none.
    public var expectedLength: Int?

    public init(
        cla: UInt8 = 0x00, ins: UInt8, p1: UInt8 = 0, p2: UInt8 = 0, data: consuming [UInt8] = [],
        expectedLength: Int? = nil
    ) {
        self.cla = cla
        self.ins = ins
        self.p1 = p1
        self.p2 = p2
        content = Wiped(wrappedValue: data)
        self.expectedLength = expectedLength
    }

    /// CLA INS P1 P2.
    public var header: [UInt8] { [cla, ins, p1, p2] }

    /// The command as bytes: case 1 to 4, short or extended.
    public var bytes: [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(data.count + 9)
        bytes += [cla, ins, p1, p2]
        let extended = data.count > 255 || (expectedLength ?? 0) > 256
        if extended { bytes.append(0) }
        if !data.isEmpty {
            if extended { bytes.append(UInt8(truncatingIfNeeded: data.count >> 8)) }
            bytes.append(UInt8(truncatingIfNeeded: data.count))
            bytes += data
        }
        if let expectedLength {
            if extended { bytes.append(UInt8(truncatingIfNeeded: expectedLength >> 8)) }
            bytes.append(UInt8(truncatingIfNeeded: expectedLength))
        }
        return bytes
    }

    /// The command coded in `bytes`, or nil if their length matches no case.
    public init?(_ bytes: [UInt8]) {
        guard bytes.count >= 4 else { return nil }
        self.init(cla: bytes[0], ins: bytes[1], p1: bytes[2], p2: bytes[3])
        let body = bytes[4...]
        switch body.count {
        case 0: return
        case 1: expectedLength = body[4] == 0 ? 256 : Int(body[4])
        default:
            let extended = body[4] == 0 && body.count >= 3
            let lengthSize = extended ? 3 : 1
            let length = extended ? Int(body[5]) << 8 | Int(body[6]) : Int(body[4])
            if extended && body.count == 3 {
                expectedLength = length == 0 ? 65536 : length
                return
            }
            let rest = body.count - lengthSize - length
            guard length > 0, rest == 0 || rest == lengthSize - (extended ? 1 : 0) else { return nil }
            data = Array(body[(4 + lengthSize)..<(4 + lengthSize + length)])
            if rest > 0 {
                let coded = body.suffix(rest).reduce(0) { $0 << 8 | Int($1) }
                expectedLength = coded == 0 ? (extended ? 65536 : 256) : coded
            }
        }
    }
}

extension CommandAPDU: CustomStringConvertible, CustomReflectable {
    /// Header and lengths only: the data may be a PIN.
    public var description: String { "\(header.hex), \(data.count) bytes of data" }
    public var customMirror: Mirror { Mirror(self, children: []) }
}
