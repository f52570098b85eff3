package import DeviceIO

/// The framing of messages on a serial line: between frame delimiters, with direction and length
/// first (DynaFlex family programmer's manual, table 2.61).
package enum MMSLine {
    static let delimiter: UInt8 = 0xC0
    static let escape: UInt8 = 0xDB
    /// 115200 bits per second, eight bits, no parity.
    package static let settings = SerialLine(rate: 115_200)

    package static func frame(_ message: [UInt8], fromHost: Bool = true) -> [UInt8] {
        let count = message.count
        let body = [fromHost ? 0x00 : 0x02] + [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: count >> $0) } + message
        return [delimiter] + body.flatMap { $0 == delimiter ? [escape, 0xDC] : $0 == escape ? [escape, 0xDD] : [$0] }
            + [delimiter]
    }

    /// Finds the frames in received bytes.
    package struct Assembler: Sendable {
        private var frame: [UInt8] = []
        private var isEscaped = false

        package init() {}

        /// - Returns: The message, if `byte` completes one.
        /// - Throws: ``DeviceError/malformed(_:_:)`` for a frame with a wrong length, or one that
        ///   is too long; the next delimiter starts a new frame.
        package mutating func take(_ byte: UInt8) throws(DeviceError) -> [UInt8]? {
            guard byte != MMSLine.delimiter else {
                defer {
                    frame = []
                    isEscaped = false
                }
                return frame.isEmpty ? nil : try message()
            }
            if isEscaped {
                isEscaped = false
                guard byte == 0xDC || byte == 0xDD else { throw .malformed(.mmsFrame, .invalid) }
                frame.append(byte == 0xDC ? MMSLine.delimiter : MMSLine.escape)
            } else if byte == MMSLine.escape {
                isEscaped = true
            } else {
                frame.append(byte)
            }
            guard frame.count <= MMSMessage.longest + 5 else {
                defer { frame = [] }
                throw .malformed(.mmsFrame, .tooLong(frame.count))
            }
            return nil
        }

        private func message() throws(DeviceError) -> [UInt8]? {
            guard frame.count >= 5 else { throw .malformed(.mmsFrame, .truncated) }
            guard frame[0] != 0x03 else { throw .rejected(.messageTooLong) }
            let count = frame[1..<5].reduce(0) { $0 << 8 | Int($1) }
            guard frame[0] == 0x02, frame.count == 5 + count else { throw .malformed(.mmsFrame, .truncated) }
            return Array(frame[5...])
        }
    }
}
