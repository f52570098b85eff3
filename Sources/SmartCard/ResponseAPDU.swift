/// The answer of a card: data and status word (ISO/IEC 7816-4, 5.1).
public struct ResponseAPDU: Hashable, Sendable {
    public var data: [UInt8]
    public var status: StatusWord

    public init(_ data: [UInt8] = [], status: StatusWord = .success) {
        self.data = data
        self.status = status
    }

    /// The answer coded in `bytes`, or nil if they contain no status word.
    public init?(bytes: consuming [UInt8]) {
        guard let low = bytes.popLast(), let high = bytes.popLast() else { return nil }
        self.init(bytes, status: StatusWord(rawValue: UInt16(high) << 8 | UInt16(low)))
    }

    public var bytes: [UInt8] { data + [status.sw1, status.sw2] }
}

extension ResponseAPDU: CustomStringConvertible, CustomReflectable {
    /// Length and status only: the data may be a track.
    public var description: String { "\(data.count) bytes, \(status)" }
    public var customMirror: Mirror { Mirror(self, children: []) }
}
