public import CardCapture
public import DeviceIO

/// A reader that was found and opened, as far as its family has the parts.
public enum OpenedReader: Sendable {
    /// A place for chip cards, which wants a kernel above it.
    case chip(any CardSlot)
    /// A place for swipes, which needs a ``CardCapture/MagstripeReader`` above it.
    case magstripe(any MagstripeSlot)
    /// Both of one device, which wants a kernel above the chip.
    case chipAndMagstripe(any CardSlot, any MagstripeSlot)
    /// A reader with an EMV kernel of its own.
    case reader(any CardReader)
}

extension ReaderCatalog.Found {
    /// Opens the device; of a reader with several slots the first.
    ///
    /// - Parameters:
    ///   - clock: For readers with a kernel of their own that are given the time.
    ///   - choose: Asked by readers with a kernel and no display which of the card's applications to use: a place in the names from 0, or nil
    ///     to end the transaction. Without it the first is taken, which the card prefers.
    ///   - interface: Where a card is wanted. A chip card reader with a field and contacts may have it at either.
    /// - Throws: ``DeviceIO/DeviceError``: the device is gone, in use, or not for this user (`cardpresent udev` has the rule).
    public func open(
        clock: @escaping @Sendable () -> Timestamp = Timestamp.now, choose: @escaping @Sendable ([String]) async -> Int? = { _ in 0 },
        interface: ReaderEvent.CardInterface = .contact
    ) async throws(DeviceError) -> OpenedReader {
        try await family.open(ReaderFamily.Opening(node: node, name: name, clock: clock, choose: choose, interface: interface))
    }
}
