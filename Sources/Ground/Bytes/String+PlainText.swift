/// Texts of strangers: names of devices, messages of hosts, text of logs.
extension StringProtocol {
    /// The text on one line, with a space for each character that steers a terminal or a printer,
    /// or the direction of writing: controls, format characters, separators of lines and
    /// paragraphs (Unicode, general categories Cc, Cf, Zl and Zp).
    ///
    /// - Parameter limit: How many Unicode scalars stay.
    package func onOneLine(atMost limit: Int = .max) -> String {
        var shown = String.UnicodeScalarView()
        for scalar in unicodeScalars.prefix(limit) { shown.append(scalar.steers ? " " : scalar) }
        return String(shown)
    }

    /// Whether the text has characters that ``onOneLine(atMost:)`` replaces.
    package var hasSteeringCharacters: Bool { unicodeScalars.contains { $0.steers } }
}

extension String {
    /// `bytes` as ASCII, a point for every byte outside 20–7E.
    package init(printable bytes: [UInt8]) {
        self.init(decoding: bytes.map { (0x20...0x7E).contains($0) ? $0 : 0x2E }, as: UTF8.self)
    }
}

extension Unicode.Scalar {
    fileprivate var steers: Bool {
        guard !(0x20...0x7E).contains(value) else { return false }
        return switch properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator: true
        default: false
        }
    }
}
