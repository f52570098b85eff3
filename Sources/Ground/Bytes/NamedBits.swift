/// A bit field whose bits have names in documents.
package protocol NamedBits: OptionSet where RawValue == UInt64, Element == Self {
    /// The number of bytes of the data element.
    static var byteCount: Int { get }
    static var names: [(String, Self)] { get }
}
