/// Scans from a serial line: bytes, with CR or LF behind each code.
package struct SerialScan: Sendable {
    private var text: ScanText

    package init(_ format: ScanFormat) { text = ScanText(format) }

    package var silence: Duration? { text.silence }
    package mutating func fallSilent() -> ScannerEvent? { text.fallSilent() }

    /// - Returns: The scans that the bytes end.
    package mutating func take(_ bytes: [UInt8]) -> [ScannerEvent] {
        bytes.compactMap { byte in
            if byte == 0x0D || byte == 0x0A { return text.finish() }
            text.append(byte)
            return nil
        }
    }
}
