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
    /// - Throws: ``DeviceIO/DeviceError``: the device is gone, in use, or not for this user (`cardpresent udev` has the rule).
    public func open(
        clock: @escaping @Sendable () -> Timestamp = Timestamp.now, choose: @escaping @Sendable ([String]) async -> Int? = { _ in 0 }
    ) async throws(DeviceError) -> OpenedReader {
        let path = node.node
        switch model.family {
        case .ccid:
            guard let slot = try await CCIDReader(node).open().first else { throw .malformed(.chipCardSlot, .missing) }
            return .chip(slot)
        case .gemPCTwin: return .chip(try GemPCTwinReader(path: path))
        case .phoenix: return .chip(try PhoenixReader(path: path))
        case .abecs:
            let pad = if let address = node.bluetooth?.address { try ABECSReader(address: address) } else { try ABECSReader(path: path) }
            return .chipAndMagstripe(pad, pad)
        case .miura:
            guard let address = node.bluetooth?.address else { return .reader(try MiuraReader(path: path, clock: clock)) }
            return .reader(try MiuraReader(address: address, clock: clock))
        case .magTekMMS:
            return .reader(node.kind == .hid ? try MMSReader(hid: path, name: name) : try MMSReader(serialPort: path, name: name))
        case .magTekDynamo: return .reader(try DynamoReader(hid: path, name: name, choose: choose))
        case .magTekSwipe, .idTechSwipe, .idTechNEO, .msr605, .keyboardWedge, .hidMagstripe:
            guard let slot = try ReaderCatalog.stripeSlot(model.family, path: path, product: node.product) else {
                throw .malformed(.magstripeSlot, .missing)
            }
            return .magstripe(slot)
        }
    }
}
