private import Bytes
public import JSONDocument

extension Terminal.DeviceList {
    /// Reads a document (docs/device-files.md).
    ///
    /// - Throws: `DocumentError` with the place of the error.
    public init(parsing text: String) throws(DocumentError) {
        let members = try Place(parsing: text).members(["readers"])
        readers = try members.required("readers").list { place throws(DocumentError) in try Reader(place) }
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
