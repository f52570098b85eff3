/// The output of `decode` for JSON, masked like the text.
struct DecodedDocument: Encodable {
    let lines: [DecodedLine]
}

struct DecodedLine: Encodable {
    /// The number of enclosing templates.
    let depth: Int
    let text: String
    /// For a data object's own line.
    let tag, value: String?

    init(_ text: String, depth: Int = 0, tag: String? = nil, value: String? = nil) {
        self.depth = depth
        self.text = text
        self.tag = tag
        self.value = value
    }
}
