package import DeviceIO

/// Decides which bytes of a GemPC Twin's line a recording may show: frame and CCID header of a
/// command that is sent. Echo and answers may contain card data at any position, because reads may
/// split them anywhere.
package enum GemPCRedaction {
    package static let redaction: WireRecorder.Redaction = { direction, _, bytes in
        let shown = direction == .sent ? 12 : 0
        return bytes.count > shown ? [shown..<bytes.count] : []
    }
}
