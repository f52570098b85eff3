/// Why bytes are not a sequence of BER-TLV data objects. Offsets count bytes from the start of the
/// input.
public enum TLVError: Error, Equatable, Sendable {
    /// The input ends within a tag.
    case truncatedTag(offset: Int)
    /// The tag has more than four bytes.
    case tagTooLong(offset: Int)
    /// The input ends within a length field.
    case truncatedLength(offset: Int)
    /// The length field is `80` (indefinite) or has more than three bytes; EMV uses neither (EMV
    /// 4.4 Book 3, annex B2).
    case unsupportedLength(offset: Int)
    /// The data object at `offset` has length `length`, but only `available` bytes follow within
    /// its template.
    case valueTooLong(offset: Int, tag: Tag, length: Int, available: Int)
    /// Templates are nested deeper than the limit given to the walker.
    case tooDeep(offset: Int, limit: Int)
}

extension TLVError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .truncatedTag(let offset): "the data ends within the tag at byte \(offset)"
        case .tagTooLong(let offset): "the tag at byte \(offset) is longer than four bytes"
        case .truncatedLength(let offset): "the data ends within the length at byte \(offset)"
        case .unsupportedLength(let offset): "the length at byte \(offset) is in a form that EMV does not use"
        case .valueTooLong(let offset, let tag, let length, let available):
            "data object \(tag) at byte \(offset) announces \(length) bytes but \(available) follow"
        case .tooDeep(let offset, let limit): "the template at byte \(offset) is nested deeper than \(limit) levels"
        }
    }
}
