private import Bytes
public import CardCapture
public import JSONDocument
private import TLV

extension Terminal {
    /// The readers that a terminal may connect, and the cards that each refuses
    /// (docs/device-files.md).
    ///
    /// A reader that is not listed is not connected. A refused card is read, and the host is not
    /// asked about it.
    public struct DeviceList: Sendable, Equatable {
        /// One reader, or several of the same name.
        public struct Reader: Sendable, Equatable {
            /// As the reader is discovered: its maker and model with a space between them, or the
            /// name that its driver has for it.
            public var name: String
            /// As the reader or its descriptor reports it; nil for every reader of this name.
            public var serialNumber: String?
            /// Whether the terminal may connect it.
            public var isEnabled: Bool
            /// The cards that it refuses.
            public var refusedCards: [CardKind]

            /// A reader in the list.
            ///
            /// - Parameter serialNumber: Nil for every reader of this name.
            public init(
                name: String, serialNumber: String? = nil, isEnabled: Bool = true, refusedCards: [CardKind] = []
            ) {
                self.name = name
                self.serialNumber = serialNumber
                self.isEnabled = isEnabled
                self.refusedCards = refusedCards
            }
        }

        /// Cards with everything that is given here.
        public struct CardKind: Sendable, Equatable {
            /// The first digits of the card number, 2 to 8: those of the issuer; nil for any. More
            /// than a reader shows of an encrypted number fit no such card.
            public var issuer: String?
            /// The brand by the first digits of the card number; nil for any.
            public var brand: CardBrand?
            /// The beginning of the application's identifier, 5 to 16 bytes; nil for any. A stripe
            /// has none, and does not fit.
            public var applicationIdentifier: [UInt8]?

            /// Nil unless one part at least is given, and each is in its bounds.
            public init?(issuer: String? = nil, brand: CardBrand? = nil, applicationIdentifier: [UInt8]? = nil) {
                guard issuer != nil || brand != nil || applicationIdentifier != nil else { return nil }
                if let issuer {
                    guard (2...8).contains(issuer.utf8.count), issuer.utf8.allSatisfy({ (0x30...0x39).contains($0) })
                    else { return nil }
                }
                if let applicationIdentifier {
                    guard (5...16).contains(applicationIdentifier.count) else { return nil }
                }
                self.issuer = issuer
                self.brand = brand
                self.applicationIdentifier = applicationIdentifier
            }
        }

        /// The first entry that fits a reader counts.
        public var readers: [Reader]

        /// A list; an empty one allows no reader.
        public init(readers: [Reader]) { self.readers = readers }

        /// Whether the terminal may connect the reader.
        ///
        /// - Parameters:
        ///   - name: The name that it was discovered by, or that its driver has for it.
        ///   - identity: What is known of it.
        public func isEnabled(name: String, identity: ReaderIdentity) -> Bool {
            entry(name, identity)?.isEnabled ?? false
        }

        /// Whether the reader refuses the card.
        ///
        /// - Parameters:
        ///   - card: As the reader gave it.
        ///   - name: As for ``isEnabled(name:identity:)``.
        ///   - identity: What is known of the reader.
        public func refuses(_ card: CapturedCard, readBy name: String, identity: ReaderIdentity) -> Bool {
            entry(name, identity)?.refusedCards.contains { $0.fits(card) } ?? false
        }

        private func entry(_ name: String, _ identity: ReaderIdentity) -> Reader? {
            let names = [name, [identity.maker, identity.model].compactMap(\.self).joined(separator: " ")]
            return readers.first { reader in
                names.contains(reader.name) && reader.serialNumber.map { $0 == identity.serialNumber } ?? true
            }
        }
    }
}

extension Terminal.DeviceList.CardKind {
    fileprivate func fits(_ card: CapturedCard) -> Bool {
        if let applicationIdentifier {
            guard let identifier = card.chip?.elements[.dfName] ?? card.chip?.elements[.adfName],
                identifier.starts(with: applicationIdentifier)
            else { return false }
        }
        guard issuer != nil || brand != nil else { return true }
        let digits = Self.leadingDigits(of: card)
        if let issuer { guard digits.starts(with: issuer.utf8) else { return false } }
        return brand.map { $0 == CardBrand(leadingDigits: digits) } ?? true
    }

    /// Eight, or as many as a reader that encrypts shows.
    private static func leadingDigits(of card: CapturedCard) -> [UInt8] {
        guard var digits = card.pan?.revealed() else {
            return Array(card.maskedPAN.utf8.prefix { (0x30...0x39).contains($0) })
        }
        defer { wipe(&digits) }
        return Array(digits.prefix(8))
    }
}

extension Terminal {
    /// - Throws: ``TerminalError/Code/readerNotEnabled`` if the terminal has a list of devices
    ///   without this reader.
    func refuseNotEnabled(_ name: String, _ identity: ReaderIdentity) throws(TerminalError) {
        guard let devices = configuration.devices, !devices.isEnabled(name: name, identity: identity) else { return }
        throw TerminalError(
            .readerNotEnabled, "the list of devices does not enable \(name): use another reader, or enable it there")
    }

    /// Why the connected reader refuses `card`; nil if it does not.
    func refusal(of card: CapturedCard) -> TerminalError? {
        guard let devices = configuration.devices, let reader = deviceState.reader,
            devices.refuses(card, readBy: reader.name, identity: reader.identity)
        else { return nil }
        return TerminalError(.cardKindRefused, "this reader does not take such cards: use another card")
    }
}

extension Terminal.DeviceList {
    /// Reads a document (docs/device-files.md).
    ///
    /// - Throws: `DocumentError` with the place of the error.
    public init(parsing text: String) throws(DocumentError) {
        readers = try Place.document(text) { document throws(DocumentError) in
            try document.members(["readers"]).required("readers").list { place throws(DocumentError) in
                try Reader(place)
            }
        }
    }

    /// Reads a file with such a document, of at most 1 MiB.
    ///
    /// - Throws: `DocumentError` with the place of the error.
    public static func load(_ path: String) throws(DocumentError) -> Terminal.DeviceList {
        let text = try ConfigurationFile(path: path, place: "devices", maximumSize: 1 << 20).text()
        do throws(DocumentError) {
            return try Terminal.DeviceList(parsing: text)
        } catch {
            throw DocumentError("devices", ConfigurationFault.document(path, error))
        }
    }
}

extension Terminal.DeviceList.Reader {
    fileprivate init(_ place: Place) throws(DocumentError) {
        let members = try place.members(["name", "serialNumber", "enabled", "refusedCards"])
        self.init(name: try members.required("name").line())
        try members.takeOrNull("serialNumber", &serialNumber) { place throws(DocumentError) in try place.line() }
        try members.take("enabled", &isEnabled) { place throws(DocumentError) in try place.flag() }
        try members.take("refusedCards", &refusedCards) { place throws(DocumentError) in
            try place.list { place throws(DocumentError) in try Terminal.DeviceList.CardKind(place) }
        }
    }
}

extension Terminal.DeviceList.CardKind {
    private static let brands: [(String, CardBrand)] = CardBrand.allCases.map { ($0.rawValue, $0) }

    fileprivate init(_ place: Place) throws(DocumentError) {
        let members = try place.members(["issuer", "brand", "aid"])
        let kind = Self(
            issuer: try members["issuer"]?.digits(2...8), brand: try members["brand"]?.choice(Self.brands),
            applicationIdentifier: try members["aid"]?.bytes(5...16))
        guard let kind else { throw place.wrong(ConfigurationFault.cardKindWithoutKey) }
        self = kind
    }
}
