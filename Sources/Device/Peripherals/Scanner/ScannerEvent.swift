public import DeviceIO

/// What comes from a scanner.
public enum ScannerEvent: Sendable {
    case scan(Scan)
    /// Something came that is not a whole scan; the next one is taken as usual.
    case refused(Refusal)
    /// The scanner is gone: unplugged, asleep, or no longer paired. Nothing comes after it.
    case disconnected(DeviceError)

    /// Why something was not a scan.
    public enum Refusal: String, Sendable, CaseIterable {
        /// More than ``ScanFormat/maximumLength`` bytes.
        case tooLong
        /// The system lost keys, or a report is shorter than it must be.
        case torn
        /// The end did not come in time.
        case unfinished
        /// Prefix or suffix is missing: perhaps somebody typed it.
        case otherFormat
    }
}

extension ScannerEvent.Refusal: CustomStringConvertible {
    public var description: String {
        switch self {
        case .tooLong: "the code has more than \(ScanFormat.maximumLength) bytes"
        case .torn: "a part of the code was lost: scan it again"
        case .unfinished: "the end of the code did not come: set the scanner to send Enter behind each code"
        case .otherFormat: "the code lacks the prefix or suffix that the scanner is set to: check its settings"
        }
    }
}
