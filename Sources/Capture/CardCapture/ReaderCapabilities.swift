/// What a reader can do.
public struct ReaderCapabilities: OptionSet, Sendable, Hashable {
    public let rawValue: UInt32
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// It has contacts for chip cards.
    public static let contactChip = Self(rawValue: 1 << 0)
    /// It has a field for contactless cards.
    public static let contactlessChip = Self(rawValue: 1 << 1)
    /// It reads magnetic stripes.
    public static let magneticStripe = Self(rawValue: 1 << 2)
    /// It runs the EMV transaction itself.
    public static let ownKernel = Self(rawValue: 1 << 3)
    /// Cardholders enter PINs at the reader, which enciphers them or sends them directly to the
    /// card.
    public static let pinPad = Self(rawValue: 1 << 4)
    /// It shows prompts to the cardholder.
    public static let display = Self(rawValue: 1 << 5)
    /// It returns the data of stripes only encrypted.
    public static let encryptsMagstripes = Self(rawValue: 1 << 6)
    /// It runs on a battery and reports its state (``CardReader/battery()``).
    public static let battery = Self(rawValue: 1 << 7)
    /// It can write stripes.
    public static let writesMagstripes = Self(rawValue: 1 << 8)
    /// It reports by itself when a card is inserted or removed.
    public static let cardEvents = Self(rawValue: 1 << 9)

    /// Each with its name, in the order in which they are listed.
    public static let names: [(Self, String)] = [
        (.contactChip, "chip"), (.contactlessChip, "contactless"), (.magneticStripe, "stripe"),
        (.ownKernel, "own EMV kernel"),
        (.pinPad, "PIN pad"), (.display, "display"), (.encryptsMagstripes, "encrypts stripes"), (.battery, "battery"),
        (.writesMagstripes, "writes stripes"), (.cardEvents, "tells of cards"),
    ]
}

extension ReaderCapabilities: CustomStringConvertible {
    public var description: String { Self.names.filter { contains($0.0) }.map(\.1).joined(separator: ", ") }
}
