private import JSONDocument

/// A table of characters of a printer: ASCII from 20 to 7E, and another 128 characters above.
///
/// Characters are compared as Swift does, by canonical equivalence: an `é` of two scalars is the
/// one of the table. Tables that are written from right to left are left out.
public struct CodeTable: Sendable, Equatable {
    /// `cp858`, `windows-1252`, `iso-8859-15` and the like.
    public let name: String
    /// Of the bytes 80 to FF; nil for a byte without a printed character.
    private let upper: [Character?]
    private let bytes: [Character: UInt8]

    /// The character that stands for those in no table.
    public static let substitute: Character = "?"

    private init(name: String, rows: [String]) {
        self.name = name
        upper = rows.joined().unicodeScalars.map { $0 == "\u{FFFD}" ? nil : Character($0) }
        bytes = Dictionary(
            zip(0x80...0xFF as ClosedRange<UInt8>, upper).compactMap { byte, character in character.map { ($0, byte) } }
        ) { first, _ in first }
    }

    /// The byte of the character, nil if the table has none.
    public func byte(for character: Character) -> UInt8? { Self.ascii(character) ?? bytes[character] }

    /// The character of the byte, nil for control characters and for bytes without a character.
    public func character(for byte: UInt8) -> Character? {
        switch byte {
        case 0x20...0x7E: Character(Unicode.Scalar(byte))
        case 0x80...0xFF: upper.dropFirst(Int(byte) - 0x80).first ?? nil
        default: nil
        }
    }

    /// The byte of a character that is in every table.
    static func ascii(_ character: Character) -> UInt8? {
        guard let byte = character.asciiValue, (0x20...0x7E).contains(byte) else { return nil }
        // A line break of two characters has the value of the second.
        return character.utf8.count == 1 ? byte : nil
    }

    /// All tables of this package's file.
    public static let all: [CodeTable] = {
        do {
            return try Place.document(PackageResources.code_tables_json, maximumSize: 64 << 10) {
                place throws(DocumentError) in
                try place.members(["source", "tables"]).required("tables").list { place throws(DocumentError) in
                    let members = try place.members(["name", "rows"])
                    let rows = try members.required("rows").list { place throws(DocumentError) in
                        try place.text(16...16)
                    }
                    return CodeTable(name: try members.required("name").line(), rows: rows)
                }
            }
        } catch {
            preconditionFailure("code-tables.json is damaged: \(error)")
        }
    }()
}
