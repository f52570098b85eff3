/// Reads comma-separated values (RFC 4180) piece by piece, so that only the row in progress is
/// kept. Lines end with CR LF or LF; empty lines are left out; a byte order mark is skipped.
public struct CSVReader: Sendable {
    /// What a document may have at most.
    public struct Limits: Sendable, Equatable {
        /// In bytes, of the document.
        public var size = 64 << 20
        public var rows = 100_000
        /// Of a row.
        public var fields = 64
        /// In bytes, of a field.
        public var fieldSize = 4096

        public init() {}
    }

    /// What fields are separated by.
    public enum Separator: UInt8, Sendable {
        case comma = 0x2C
        case semicolon = 0x3B
        case tab = 0x09
    }

    private enum State {
        case start, plain, quoted
        /// After a quote within quotes: the field ends, or another quote stands for one.
        case quote
        /// After CR: LF must follow.
        case carriageReturn
    }

    private let separator: Separator
    private let limits: Limits
    private var state = State.start
    private var field: [UInt8] = []
    private var fieldPlace = CSVPlace(line: 1, column: 1)
    private var fields: [CSVField] = []
    private var place = CSVPlace(line: 1, column: 1)
    private var size = 0
    private var rowCount = 0
    private var wasQuoted = false
    /// How many bytes of a byte order mark were there; nil after the beginning.
    private var mark: Int? = 0

    public init(_ separator: Separator = .comma, limits: Limits = Limits()) {
        self.separator = separator
        self.limits = limits
    }

    /// The rows that end in these bytes.
    public mutating func append(_ bytes: [UInt8]) throws(CSVError) -> [CSVRow] {
        guard bytes.count <= limits.size - size else { throw CSVError(.tooLarge, at: place) }
        size += bytes.count
        var rows: [CSVRow] = []
        for byte in bytes {
            if try isOfMark(byte) { continue }
            try take(byte, &rows)
        }
        return rows
    }

    /// The last row, if no line break ends it.
    public mutating func finish() throws(CSVError) -> [CSVRow] {
        var rows: [CSVRow] = []
        if let mark, mark > 0 { throw CSVError(.notUTF8, at: place) }
        switch state {
        case .quoted: throw CSVError(.unterminatedQuote, at: fieldPlace)
        case .carriageReturn: throw CSVError(.carriageReturn, at: place)
        case .start, .plain, .quote: try endRow(&rows)
        }
        return rows
    }

    private mutating func isOfMark(_ byte: UInt8) throws(CSVError) -> Bool {
        guard let count = mark else { return false }
        guard byte == [0xEF, 0xBB, 0xBF][count] else {
            mark = nil
            guard count == 0 else { throw CSVError(.notUTF8, at: place) }
            return false
        }
        mark = count == 2 ? nil : count + 1
        return true
    }

    private mutating func take(_ byte: UInt8, _ rows: inout [CSVRow]) throws(CSVError) {
        let isSeparator = byte == separator.rawValue
        switch (state, byte) {
        case (.quoted, UInt8(ascii: "\"")): state = .quote
        case (.quoted, _): try keep(byte)
        case (.quote, UInt8(ascii: "\"")):
            try keep(byte)
            state = .quoted
        case (.carriageReturn, UInt8(ascii: "\n")): try endRow(&rows)
        case (.carriageReturn, _): throw CSVError(.carriageReturn, at: place)
        case (_, UInt8(ascii: "\n")): try endRow(&rows)
        case (_, UInt8(ascii: "\r")): state = .carriageReturn
        case _ where isSeparator: try endField()
        case (.quote, _): throw CSVError(.textAfterQuote, at: place)
        case (.start, UInt8(ascii: "\"")):
            state = .quoted
            wasQuoted = true
        case (.plain, UInt8(ascii: "\"")): throw CSVError(.quoteInField, at: place)
        case (.start, _), (.plain, _):
            try keep(byte)
            state = .plain
        }
        advance(byte)
        if isSeparator, state == .start { fieldPlace = place }
        if byte == UInt8(ascii: "\n"), state == .start { fieldPlace = place }
    }

    private mutating func advance(_ byte: UInt8) {
        if byte == UInt8(ascii: "\n") {
            place = CSVPlace(line: place.line + 1, column: 1)
        } else if byte & 0xC0 != 0x80 {
            place = CSVPlace(line: place.line, column: place.column + 1)
        }
    }

    private mutating func keep(_ byte: UInt8) throws(CSVError) {
        guard field.count < limits.fieldSize else { throw CSVError(.fieldTooLong, at: fieldPlace) }
        field.append(byte)
    }

    private mutating func endField() throws(CSVError) {
        guard fields.count < limits.fields else { throw CSVError(.tooManyFields, at: fieldPlace) }
        guard let text = String(validating: field, as: UTF8.self) else { throw CSVError(.notUTF8, at: fieldPlace) }
        fields.append(CSVField(text: text, place: fieldPlace))
        field.removeAll(keepingCapacity: true)
        state = .start
    }

    private mutating func endRow(_ rows: inout [CSVRow]) throws(CSVError) {
        let isEmpty = fields.isEmpty && field.isEmpty && !wasQuoted
        wasQuoted = false
        guard !isEmpty else {
            state = .start
            return
        }
        try endField()
        guard rowCount < limits.rows else { throw CSVError(.tooManyRows, at: fields[0].place) }
        rowCount += 1
        rows.append(CSVRow(fields: fields))
        fields.removeAll(keepingCapacity: true)
    }
}

/// A row; it has at least one field.
public struct CSVRow: Sendable, Equatable {
    public let fields: [CSVField]
}

public struct CSVField: Sendable, Equatable {
    public let text: String
    /// Of its first character, or of the quote before it.
    public let place: CSVPlace
}

/// A place in a document, both from 1 on.
public struct CSVPlace: Sendable, Equatable {
    public let line: Int
    /// In Unicode scalars.
    public let column: Int

    public init(line: Int, column: Int) {
        self.line = line
        self.column = column
    }
}

extension CSVPlace: CustomStringConvertible {
    public var description: String { "line \(line), column \(column)" }
}

/// Why a document is not CSV, and where.
public struct CSVError: Error, Sendable, Equatable {
    public let fault: Fault
    public let place: CSVPlace

    init(_ fault: Fault, at place: CSVPlace) {
        self.fault = fault
        self.place = place
    }

    public enum Fault: Sendable, Equatable {
        case tooLarge, tooManyRows, tooManyFields, fieldTooLong
        /// A quote in a field that does not begin with one.
        case quoteInField
        /// Anything but a separator or the end of the line after the quote that ends a field.
        case textAfterQuote
        /// The document ends within quotes, which begin at the place.
        case unterminatedQuote
        /// CR without LF.
        case carriageReturn
        case notUTF8
    }
}

extension CSVError: CustomStringConvertible {
    public var description: String {
        let text =
            switch fault {
            case .tooLarge: "the document is too large"
            case .tooManyRows: "the document has too many rows"
            case .tooManyFields: "the row has too many fields"
            case .fieldTooLong: "the field is too long: look for a quote that is missing"
            case .quoteInField: "a quote within a field: put the field in quotes, and write the quote twice"
            case .textAfterQuote: "text after the quote that ends a field: write a quote within a field twice"
            case .unterminatedQuote: "the quote is never closed"
            case .carriageReturn: "the line ends with CR only: save it with LF, or CR and LF"
            case .notUTF8: "the text is not UTF-8: save it as UTF-8"
            }
        return "\(place): \(text)"
    }
}
