public import CardCapture
public import DeviceIO

/// A reader that was found and opened, with the parts that its family has.
public enum OpenedReader: Sendable {
    /// A place for chip cards, which needs a kernel above it.
    case chip(any CardSlot)
    /// A place for swipes, which needs a ``CardCapture/MagstripeReader`` above it.
    case magstripe(any MagstripeSlot)
    /// Both parts of one device. The chip slot needs a kernel above it.
    case chipAndMagstripe(any CardSlot, any MagstripeSlot)
    /// A reader with an EMV kernel of its own.
    case reader(any CardReader)
}

extension ReaderCatalog.Found {
    /// Opens the device, and asks it who it is where its protocol can; with several slots, the
    /// first. A reader that only sends, such as a keyboard wedge, can be opened and not be asked.
    ///
    /// - Parameters:
    ///   - clock: For readers with a kernel of their own that need the time.
    ///   - choose: Called by readers with a kernel and no display to select one of the card's
    ///     applications: returns an index into the names, from 0, or nil to end the transaction.
    ///     Without it the first is used, which the card prefers.
    ///   - interface: The interface where a card is expected. A chip card reader with field and
    ///     contacts may have it at either.
    /// - Throws: ``DeviceIO/DeviceError``: the device is gone, in use, silent, another than was
    ///   expected, or not accessible to this user (`cardpresent udev` prints the rule).
    public func open(
        clock: @escaping @Sendable () -> Timestamp = Timestamp.now,
        choose: @escaping @Sendable ([String]) async -> Int? = { _ in 0 },
        interface: ReaderEvent.CardInterface = .contact
    ) async throws(DeviceError) -> OpenedReader {
        try await family.open(
            ReaderFamily.Opening(node: node, name: name, clock: clock, choose: choose, interface: interface))
    }
}

extension DeviceError.Message {
    package static let chipCardSlot = Self("chip card slot")
    package static let magstripeSlot = Self("magnetic stripe slot")
}
