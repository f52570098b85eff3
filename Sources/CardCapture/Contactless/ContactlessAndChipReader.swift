import Contactless

/// A contactless reader and a chip reader as one reader of cards: the card is tapped, and inserted where the tap asks for it.
///
/// The chip reader waits for a card only then: when amount, card or kernel sends the payment to another interface
/// (EMV Contactless Book A, 6.2: Try Another Interface). Nothing was booked by the tap, and the issuer was not asked.
public final class ContactlessAndChipReader: CardReader {
    public let name: String
    public let capabilities: ReaderCapabilities
    /// Of both readers.
    public let events = ReaderEvents()
    private let contactless: any CardReader
    private let chip: any CardReader
    private let use = ExclusiveUse()
    private let forwarders: [Task<Void, Never>]

    /// A reader of both interfaces.
    ///
    /// - Parameters:
    ///   - contactless: The reader that the card is tapped at first.
    ///   - chip: The reader that goes on where the tap asks for the contacts.
    public init(contactless: ContactlessReader, chip: any CardReader) {
        name = "\(contactless.name) and \(chip.name)"
        capabilities = contactless.capabilities.union(chip.capabilities)
        self.contactless = contactless
        self.chip = chip
        forwarders = [contactless.events.stream(), chip.events.stream()].map { [events] stream in
            Task { for await event in stream { events.send(event) } }
        }
    }

    public var testOnlyReason: String? { contactless.testOnlyReason ?? chip.testOnlyReason }

    deinit { for forwarder in forwarders { forwarder.cancel() } }

    public func capture(
        _ request: CaptureRequest, authorize: @escaping @Sendable (CapturedCard) async -> IssuerAnswer
    ) async throws(CaptureError) -> CaptureOutcome {
        try await use.exclusively(orElse: ExclusiveUse.captureRefusal) { () async throws(CaptureError) in
            let tapped = try await contactless.capture(request, authorize: authorize)
            guard tapped.asksForContacts else { return tapped }
            if Task.isCancelled { throw .cancelled }
            events.send(.prompt([UserInterfaceRequest.Message.insertCard.text]))
            return try await chip.capture(request, authorize: authorize)
        }
    }
}
