/// A bit field whose bits have names in documents.
package protocol NamedBits: OptionSet where RawValue == UInt64, Element == Self {
    /// The number of bytes of the data element.
    static var byteCount: Int { get }
    /// Each bit of its own, with the name that documents have for it.
    static var names: [(String, Self)] { get }
}
