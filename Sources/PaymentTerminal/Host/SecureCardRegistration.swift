public import Bytes
public import CardCapture

/// A card to be kept at the host: the data that the token will stand for, and what goes with them.
public struct SecureCardRegistration: Sendable {
    public let merchantReference: MerchantReference
    public let details: SecureCard.Details
    public let card: CardDetails
    public let entryMode: CapturedCard.EntryMode
    /// The reader that read the card; nil if none did.
    public let readerName: String?
    /// Three or four ASCII digits to validate the card with, never kept; nil unless they were keyed.
    public let cvv: SecretBytes?

    public init(
        merchantReference: MerchantReference, details: SecureCard.Details, card: CardDetails, entryMode: CapturedCard.EntryMode,
        readerName: String? = nil, cvv: SecretBytes? = nil
    ) {
        self.merchantReference = merchantReference
        self.details = details
        self.card = card
        self.entryMode = entryMode
        self.readerName = readerName
        self.cvv = cvv
    }
}

extension SecureCardRegistration: CustomStringConvertible, CustomReflectable {
    public var description: String { "registration of \(merchantReference)" }
    public var customMirror: Mirror { Mirror(self, children: []) }
}
