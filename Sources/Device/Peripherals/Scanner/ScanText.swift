private import Bytes

/// The bytes of a scan as they come, in its format.
struct ScanText: Sendable {
    private let format: ScanFormat
    @Wiped private var bytes: [UInt8]
    private var fault: ScannerEvent.Refusal?

    init(_ format: ScanFormat) {
        self.format = format
        _bytes = Wiped()
    }

    var isUnderWay: Bool { !_bytes.isEmpty || fault != nil }

    /// How long nothing must come for the scan to have ended; nil if nothing has come.
    var silence: Duration? {
        guard isUnderWay else { return nil }
        return switch format.end {
        case .terminator: ScanFormat.patience
        case .silence(let duration): duration
        }
    }

    mutating func append(_ byte: UInt8) {
        guard _bytes.count < ScanFormat.maximumLength else { return fault = fault ?? .tooLong }
        _bytes.append(byte)
    }

    mutating func lose() { fault = fault ?? .torn }

    /// The scan, at its terminator; nil if nothing has come.
    mutating func finish() -> ScannerEvent? {
        guard isUnderWay else { return nil }
        defer { clear() }
        if let fault { return .refused(fault) }
        let all = bytes
        let isFramed =
            all.count >= format.prefix.count + format.suffix.count && all.starts(with: format.prefix)
            && all.suffix(format.suffix.count).elementsEqual(format.suffix)
        guard isFramed else { return .refused(.otherFormat) }
        let framed = all.dropFirst(format.prefix.count).dropLast(format.suffix.count)
        let identifier = AIMIdentifier(framed)
        let data = framed.dropFirst(identifier == nil ? 0 : 3)
        return .scan(Scan(identifier: identifier, data: SecretBytes(data)))
    }

    /// Nothing came for as long as ``silence`` says.
    mutating func fallSilent() -> ScannerEvent? {
        if case .terminator = format.end, fault == nil, isUnderWay { fault = .unfinished }
        return finish()
    }

    private mutating func clear() {
        bytes = []
        fault = nil
    }
}
