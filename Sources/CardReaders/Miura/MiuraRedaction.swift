package import DeviceIO

/// What of a Miura PIN pad's line may be shown in a recording: how many bytes went, and of a command what it is. Cards may be in every answer.
package enum MiuraRedaction {
    /// Shows node, control byte, length and the four bytes of a command's header where a packet that is sent begins.
    package static let redaction: WireRecorder.Redaction = { direction, _, bytes in
        let shown = direction == .sent ? 7 : 0
        return bytes.count > shown ? [shown..<bytes.count] : []
    }
}
