package import DeviceIO

/// What of a GemPC Twin's line may be shown in a recording: of a command that is sent, frame and CCID header. Echo and answers may hold a card's data in any
/// place, since the line cuts them as it likes.
package enum GemPCRedaction {
    package static let redaction: WireRecorder.Redaction = { direction, _, bytes in
        let shown = direction == .sent ? 12 : 0
        return bytes.count > shown ? [shown..<bytes.count] : []
    }
}
