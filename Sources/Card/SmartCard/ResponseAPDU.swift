private import Bytes

/// The answer of a card: data and status word (ISO/IEC 7816-4, 5.1).
///
/// The data are wiped when the last answer that has them goes, unless an array that was taken from
/// it still has them.
public struct ResponseAPDU: Hashable, Sendable {
    private var content: Wiped
    public var status: StatusWord

    public var data: [UInt8] {
        get { content.wrappedValue }
        set { content.wrappedValue = newValue }
        _modify { yield &content.wrappedValue }
    }

    public init(_ data: consuming [UInt8] = [], status: StatusWord = .success) {
        content = Wiped(wrappedValue: data)
        self.status = status
    }

    /// The answer coded in `bytes`, or nil if they contain no status word.
    public init?(bytes: consuming [UInt8]) {
        guard let low = bytes.popLast(), let high = bytes.popLast() else { return nil }
        self.init(bytes, status: StatusWord(rawValue: UInt16(high) << 8 | UInt16(low)))
    }

    /// The same, with `bytes` wiped where they were.
    package init?(wiping bytes: inout [UInt8]) {
        defer { wipe(&bytes) }
        self.init(bytes: bytes)
    }

    /// Adds the data of the next part of an answer, and takes its status word.
    mutating func append(_ next: ResponseAPDU) {
        content.append(contentsOf: next.data)
        status = next.status
    }

    public var bytes: [UInt8] { data + [status.sw1, status.sw2] }
}

extension ResponseAPDU: CustomStringConvertible, CustomReflectable {
    /// Length and status only: the data may be a track.
    public var description: String { "\(data.count) bytes, \(status)" }
    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension ResponseAPDU {
    /// What a card sends over a transmission protocol that passes whole commands: an answer longer
    /// than the command allows becomes `6Cxx` (ISO/IEC 7816-4:2005, 5.1.3); a command without a
    /// length gets the whole answer.
    package func bytes(fitting command: CommandAPDU) -> [UInt8] {
        guard let expected = command.expectedLength, expected < data.count else { return bytes }
        return data.count <= 256 ? [0x6C, UInt8(truncatingIfNeeded: data.count)] : [0x67, 0x00]
    }
}
