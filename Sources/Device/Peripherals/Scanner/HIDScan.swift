package import DeviceIO

/// Scans in the reports of a HID point-of-sale scanner, page 8C (USB HID Point of Sale Usage Tables
/// 1.02). Where the data, their identifier and the flag for "continued" are, the report descriptor
/// says; a code is joined until that flag is 0.
package struct HIDScan: Sendable {
    /// Where the parts of a report are, in bytes; the flag in bits.
    private struct Layout: Sendable {
        let report: UInt8
        let data: Range<Int>
        let identifier: [Int]
        let continued: Int?
        /// The byte before the data that counts them; nil if there is none.
        let count: Int?
    }

    private static let page: UInt32 = 0x008C_0000
    private static let decodedData = page | 0xFE
    private static let identifiers: [UInt32] = [page | 0xFB, page | 0xFC, page | 0xFD]
    private static let continued = page | 0xFF

    private let layout: Layout
    private var text: ScanText

    /// Nil if the device has no report with decoded data.
    package init?(_ reports: HIDReportDescriptor, _ format: ScanFormat) {
        guard let layout = Self.layout(reports) else { return nil }
        self.layout = layout
        // The reports say where a code ends.
        text = ScanText(ScanFormat(end: .terminator, prefix: format.prefix, suffix: format.suffix))
    }

    package var silence: Duration? { text.silence }
    package mutating func fallSilent() -> ScannerEvent? { text.fallSilent() }

    package mutating func take(_ report: HIDReport) -> ScannerEvent? {
        guard report.number == layout.report else { return nil }
        return report.withBytes { take($0) }
    }

    private mutating func take(_ bytes: [UInt8]) -> ScannerEvent? {
        guard bytes.count >= layout.data.upperBound, bytes.count > (layout.continued ?? 0) / 8 else {
            text.lose()
            return text.finish()
        }
        if !text.isUnderWay {
            let identifier = layout.identifier.compactMap { $0 < bytes.count ? bytes[$0] : nil }
            if AIMIdentifier(identifier) != nil { for byte in identifier { text.append(byte) } }
        }
        for byte in data(bytes) { text.append(byte) }
        guard let bit = layout.continued, bytes[bit / 8] >> UInt8(truncatingIfNeeded: bit % 8) & 1 == 1 else {
            return text.finish()
        }
        return nil
    }

    /// As many bytes as the report counts; without a count, those before the zeros at its end.
    private func data(_ bytes: [UInt8]) -> ArraySlice<UInt8> {
        let field = bytes[layout.data]
        if let place = layout.count, (1...field.count).contains(Int(bytes[place])) {
            return field.prefix(Int(bytes[place]))
        }
        return field.prefix((field.lastIndex { $0 != 0 } ?? field.startIndex - 1) - field.startIndex + 1)
    }

    private static func layout(_ reports: HIDReportDescriptor) -> Layout? {
        let inputs = reports.fields.filter { $0.kind == .input && $0.offset % 8 == 0 }
        guard let data = inputs.first(where: { $0.usages.contains(decodedData) && $0.size == 8 && $0.count > 0 }) else {
            return nil
        }
        let fields = inputs.filter { $0.report == data.report }
        let flags = reports.fields.filter { $0.kind == .input && $0.report == data.report && !$0.isConstant }
        let identifier = identifiers.compactMap { usage in
            fields.compactMap { field in
                field.size == 8 ? field.usages.firstIndex(of: usage).map { field.offset / 8 + $0 } : nil
            }.first
        }
        let known = Set(identifiers + [decodedData, continued])
        let count = fields.first {
            $0.size == 8 && $0.count == 1 && !$0.isConstant && $0.offset < data.offset
                && known.isDisjoint(with: $0.usages)
        }
        return Layout(
            report: data.report, data: data.offset / 8..<data.offset / 8 + data.count, identifier: identifier,
            continued: flags.first { $0.usages.contains(continued) && $0.size == 1 }.map { field in
                field.offset + (field.usages.firstIndex(of: continued) ?? 0)
            },
            count: count.map { $0.offset / 8 })
    }
}
