/// How a scanner is set to send its codes.
public struct ScanFormat: Sendable, Equatable {
    /// What ends a scan.
    public enum End: Sendable, Equatable {
        /// Enter or Tab, CR or LF. A scan whose end does not come within two seconds is refused.
        case terminator
        /// Nothing is sent behind the code: it ends when nothing came for so long. 100 ms are safe
        /// over Bluetooth.
        case silence(Duration)
    }

    /// The most bytes of a code: the largest QR code has 7,089 digits.
    public static let maximumLength = 8192
    static let patience = Duration.seconds(2)

    public var end: End
    /// Sent before and behind each code, and taken off. What comes without them is refused.
    public var prefix: [UInt8]
    public var suffix: [UInt8]

    public init(end: End = .terminator, prefix: [UInt8] = [], suffix: [UInt8] = []) {
        self.end = end
        self.prefix = prefix
        self.suffix = suffix
    }
}
