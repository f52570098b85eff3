/// What `decode` prints, as JSON has it. What the text masks is masked here too.
struct DecodedDocument: Encodable {
    let lines: [DecodedLine]
}

struct DecodedLine: Encodable {
    /// How many templates enclose it.
    let depth: Int
    let text: String
    /// Of a data object's own line.
    let tag, value: String?

    init(_ text: String, depth: Int = 0, tag: String? = nil, value: String? = nil) {
        self.depth = depth
        self.text = text
        self.tag = tag
        self.value = value
    }
}
