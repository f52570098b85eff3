internal import Mustache

/// HTML escaping by Unicode scalar.
///
/// The library's own type escapes whole characters: a quotation mark with a combining mark behind it
/// is another character to it, stays as it is, and would end an attribute.
struct ScalarEscaping: MustacheContentType {
    static let name = "SCALARS"

    func escapeText(_ text: String) -> String {
        var escaped = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            switch scalar {
            case "<", ">", "&", "\"", "'", "`", "=": escaped.append(contentsOf: "&#\(scalar.value);".unicodeScalars)
            default: escaped.append(scalar)
            }
        }
        return String(escaped)
    }
}
