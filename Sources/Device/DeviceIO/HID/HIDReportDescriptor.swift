/// The reports of a device and their fields (USB HID 1.11, 6.2.2).
public struct HIDReportDescriptor: Sendable, Equatable {
    public enum Kind: Sendable, Hashable {
        case input
        case output
        case feature
    }

    /// A run of values of one size in a report.
    public struct Field: Sendable, Equatable {
        public let kind: Kind
        /// Number of the report; 0 if reports have no numbers.
        public let report: UInt8
        /// Page in the upper 16 bits, usage in the lower; one for each value. Values without a
        /// usage of their own have the last one.
        public let usages: [UInt32]
        /// Its offset in the report, in bits, without the report's number.
        public let offset: Int
        /// The size of one value, in bits.
        public let size: Int
        public let count: Int
        /// Only padding.
        public let isConstant: Bool

        /// The usage of value `index`.
        public func usage(_ index: Int) -> UInt32? { index < usages.count ? usages[index] : usages.last }
    }

    public let fields: [Field]
    /// Page and usage of each top-level collection.
    public let collections: [UInt32]
    /// Whether each report begins with its number.
    public let isNumbered: Bool

    /// The maximum number of fields; real descriptors have far fewer.
    static let maximumFields = 512
    static let largestReport = 8192 * 8

    /// Length of a report in bytes, without its number; 0 if it does not exist.
    public func length(_ kind: Kind, report: UInt8 = 0) -> Int {
        let bits =
            fields.filter { $0.kind == kind && $0.report == report }.map { $0.offset + $0.size * $0.count }.max() ?? 0
        return (bits + 7) / 8
    }

    /// The numbers of the reports of a kind, in order.
    public func numbers(_ kind: Kind) -> [UInt8] { Set(fields.filter { $0.kind == kind }.map(\.report)).sorted() }

    /// - Throws: ``DeviceError/malformed(_:_:)`` for truncated items, invalid report sizes, or too
    ///   many fields.
    public init(parsing bytes: [UInt8]) throws(DeviceError) {
        var parser = Parser()
        var rest = bytes[...]
        while let prefix = rest.popFirst() {
            if prefix == 0xFE {
                // A long item. The standard defines no long items.
                guard let size = rest.popFirst(), rest.popFirst() != nil, rest.count >= Int(size) else {
                    throw .malformed(.hidReportDescriptor, .invalid)
                }
                rest = rest.dropFirst(Int(size))
                continue
            }
            let size = [0, 1, 2, 4][Int(prefix & 0x03)]
            guard rest.count >= size else { throw .malformed(.hidReportDescriptor, .invalid) }
            let value = rest.prefix(size).enumerated().reduce(UInt32(0)) { $0 | UInt32($1.element) << (8 * $1.offset) }
            rest = rest.dropFirst(size)
            try parser.take(item: prefix & 0xFC, value: value, size: size)
        }
        fields = parser.fields
        collections = parser.collections
        isNumbered = parser.isNumbered
    }

    /// Global items stay until changed, local ones until the next main item (6.2.2.7 and 6.2.2.8).
    private struct Parser {
        struct Global {
            var page: UInt32 = 0
            var size = 0
            var count = 0
            var report: UInt8 = 0
        }

        struct Place: Hashable {
            let kind: Kind
            let report: UInt8
        }

        var global = Global()
        var stack: [Global] = []
        var usages: [UInt32] = []
        var minimum: UInt32?
        var depth = 0
        var ends: [Place: Int] = [:]
        var fields: [Field] = []
        var collections: [UInt32] = []
        var isNumbered = false

        mutating func take(item: UInt8, value: UInt32, size: Int) throws(DeviceError) {
            switch item {
            case 0x80: try field(.input, value)
            case 0x90: try field(.output, value)
            case 0xB0: try field(.feature, value)
            case 0xA0:
                if depth == 0, let usage = usages.first { collections.append(usage) }
                depth += 1
                clearLocals()
            case 0xC0:
                depth = max(0, depth - 1)
                clearLocals()
            case 0x04: global.page = value << 16
            case 0x74: global.size = try bounded(value)
            case 0x84:
                global.report = UInt8(truncatingIfNeeded: value)
                isNumbered = true
            case 0x94: global.count = try bounded(value)
            case 0xA4:
                guard stack.count < 16 else { throw .malformed(.hidReportDescriptor, .invalid) }
                stack.append(global)
            case 0xB4:
                guard let last = stack.popLast() else { throw .malformed(.hidReportDescriptor, .invalid) }
                global = last
            case 0x08: try add(whole(value, size))
            case 0x18: minimum = whole(value, size)
            case 0x28:
                let maximum = whole(value, size)
                guard let minimum, maximum >= minimum, maximum - minimum < 4096 else { break }
                for usage in minimum...maximum { try add(usage) }
                self.minimum = nil
            default: break
            }
        }

        /// A usage of four bytes includes its page.
        private func whole(_ value: UInt32, _ size: Int) -> UInt32 { size == 4 ? value : global.page | value }

        private mutating func add(_ usage: UInt32) throws(DeviceError) {
            guard usages.count < 4096 else { throw .malformed(.hidReportDescriptor, .invalid) }
            usages.append(usage)
        }

        private func bounded(_ value: UInt32) throws(DeviceError) -> Int {
            guard value <= largestReport else { throw .malformed(.hidReportDescriptor, .invalid) }
            return Int(value)
        }

        private mutating func clearLocals() {
            usages = []
            minimum = nil
        }

        private mutating func field(_ kind: Kind, _ flags: UInt32) throws(DeviceError) {
            let place = Place(kind: kind, report: global.report)
            let offset = ends[place, default: 0]
            let end = offset + global.size * global.count
            guard end <= largestReport, fields.count < maximumFields else {
                throw .malformed(.hidReportDescriptor, .invalid)
            }
            ends[place] = end
            fields.append(
                Field(
                    kind: kind, report: global.report, usages: usages, offset: offset, size: global.size,
                    count: global.count,
                    isConstant: flags & 0x01 != 0))
            clearLocals()
        }
    }
}
