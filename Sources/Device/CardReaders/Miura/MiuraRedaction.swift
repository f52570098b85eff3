package import DeviceIO

/// Decides which bytes of a Miura PIN pad's line a recording may show: only lengths, and the
/// headers of commands. Every answer may contain card data.
package enum MiuraRedaction {
    /// Shows the beginning of each sent packet: node, control byte, length and the four bytes of
    /// the command header.
    package static let redaction: WireRecorder.Redaction = { direction, _, bytes in
        let shown = direction == .sent ? 7 : 0
        return bytes.count > shown ? [shown..<bytes.count] : []
    }
}
