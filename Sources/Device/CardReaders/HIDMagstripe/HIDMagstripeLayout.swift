import Bytes
package import DeviceIO
package import MagneticStripe

/// The positions of the tracks in the reports of a reader with the magnetic stripe reader page (HID
/// Usage Tables, page 8E): length and data of each, from the report descriptor.
package struct HIDMagstripeLayout: Sendable, Equatable {
    /// Consecutive values in a report, in bits.
    struct Values: Sendable, Equatable {
        let report: UInt8
        let offset: Int
        let size: Int
        let count: Int
    }

    private var lengths: [TrackNumber: Values] = [:]
    private var data: [TrackNumber: Values] = [:]
    /// All tracks as one text.
    private var together: Values?

    static let page: UInt32 = 0x008E_0000

    /// - Throws: ``DeviceError/malformed(_:_:)`` if the descriptor has no tracks on that page.
    package init(_ reports: HIDReportDescriptor) throws(DeviceError) {
        for field in reports.fields where field.kind == .input && !field.isConstant && (1...32).contains(field.size) {
            // Consecutive values of one usage are one run.
            var index = 0
            while index < field.count {
                guard let usage = field.usage(index) else { break }
                var end = index + 1
                while end < field.count, field.usage(end) == usage { end += 1 }
                take(
                    usage,
                    Values(
                        report: field.report, offset: field.offset + index * field.size, size: field.size,
                        count: end - index))
                index = end
            }
        }
        guard !data.isEmpty || together != nil else { throw .malformed(.hidTrack, .missing) }
    }

    private mutating func take(_ usage: UInt32, _ values: Values) {
        guard usage & 0xFFFF_0000 == Self.page else { return }
        switch usage & 0xFFFF {
        case 0x11...0x13: if let track = TrackNumber(rawValue: Int(usage & 0x0F)) { lengths[track] = values }
        case 0x21...0x23: if let track = TrackNumber(rawValue: Int(usage & 0x0F)) { data[track] = values }
        case 0x20: together = values
        default: break
        }
    }

    /// The numbers of the reports that tracks are in.
    package var reports: Set<UInt8> { Set(data.values.map(\.report) + [together].compactMap { $0?.report }) }

    /// Adds the tracks of one report to `swipe`.
    ///
    /// - Throws: ``DeviceError/malformed(_:_:)`` if the report is shorter than its descriptor says,
    ///   or a length does not fit.
    package func add(_ report: HIDReport, to swipe: inout Swipe) throws(DeviceError) {
        var bytes = report.revealed()
        defer { wipe(&bytes) }
        if let together, together.report == report.number {
            var characters = try Self.bytes(bytes, together)
            defer { wipe(&characters) }
            swipe = Swipe(text: characters.prefix { $0 != 0 })
        }
        for track in TrackNumber.allCases {
            guard let place = data[track], place.report == report.number else { continue }
            var characters = try Self.bytes(bytes, place)
            defer { wipe(&characters) }
            var length = characters.firstIndex(of: 0) ?? characters.count
            if let values = lengths[track], values.report == report.number {
                length = try Self.value(bytes, values.offset, values.size)
                guard length <= characters.count else { throw .malformed(.hidTrack, .tooLong(length)) }
            }
            swipe[track] = Self.reading(characters.prefix(length), track)
        }
    }

    /// The usage tables do not say whether sentinels are sent.
    private static func reading(_ characters: ArraySlice<UInt8>, _ track: TrackNumber) -> TrackReading {
        guard let first = characters.first else { return .blank }
        guard !characters.contains(UInt8(ascii: "?")), !"%;+#!&@".utf8.contains(first) else {
            return TrackReading(text: characters, on: track)
        }
        var whole: [UInt8] = []
        defer { wipe(&whole) }
        whole.reserveCapacity(characters.count + 2)
        whole.append(track.codes[0].startSentinel)
        whole += characters
        whole.append(track.codes[0].endSentinel)
        return TrackReading(text: whole, on: track)
    }

    private static func bytes(_ report: [UInt8], _ values: Values) throws(DeviceError) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(values.count)
        for index in 0..<values.count {
            bytes.append(UInt8(truncatingIfNeeded: try value(report, values.offset + index * values.size, values.size)))
        }
        return bytes
    }

    /// Reports are little endian, bit by bit (USB HID 1.11, 5.8).
    private static func value(_ report: [UInt8], _ offset: Int, _ size: Int) throws(DeviceError) -> Int {
        guard offset + size <= report.count * 8 else { throw .malformed(.hidReport, .tooShort(report.count)) }
        var value = 0
        for bit in 0..<size where report[(offset + bit) / 8] >> ((offset + bit) % 8) & 1 != 0 { value |= 1 << bit }
        return value
    }

    /// Only the descriptor says where the tracks are, so everything is hidden.
    package static let redaction: WireRecorder.Redaction = { direction, channel, bytes in
        guard direction == .received, case .report = channel else { return [] }
        return [0..<bytes.count]
    }
}
