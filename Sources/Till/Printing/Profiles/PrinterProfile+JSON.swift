public import JSONDocument

extension PrinterProfile {
    /// Reads a file of profiles, at most 1 MiB, with the keys of the file in this package
    /// (`Profiles/printers.json`). Every error names its line and column.
    public static func profiles(of document: [UInt8]) throws(DocumentError) -> [PrinterProfile] {
        try Place.document(document, maximumSize: 1 << 20) { place throws(DocumentError) in
            let profiles = try place.members(["profiles"]).required("profiles").list(Self.init)
            var known: Set<String> = []
            for (index, profile) in profiles.enumerated() where !known.insert(profile.id).inserted {
                throw DocumentError("profiles[\(index)].id", ProfileFault.repeated(profile.id))
            }
            return profiles
        }
    }

    private init(_ place: Place) throws(DocumentError) {
        let members = try place.members([
            "id", "maker", "name", "language", "dots", "fonts", "tables", "cut", "drawer", "qr", "marker", "status",
            "source",
        ])
        id = try members.required("id").line()
        maker = try members.required("maker").line()
        name = try members.required("name").line()
        language = try members.required("language").choice(Self.named())
        dots = try members.required("dots").number(96...1024)
        guard dots % 8 == 0 else { throw try members.required("dots").wrong(ProfileFault.partOfByte) }
        fonts = try members.required("fonts").list(Font.init)
        guard !fonts.isEmpty else { throw try members.required("fonts").wrong(ProfileFault.noFont) }
        codeTables = try members.required("tables").list(NumberedTable.init)
        cut = try members.required("cut").choice(Self.named())
        hasDrawer = try members.required("drawer").flag()
        qr = try members.required("qr").choice(Self.named())
        marksEnd = try members.required("marker").flag()
        status = try members.required("status").choice(Self.named())
        source = try members.required("source").line()
    }

    private static func named<Value: RawRepresentable<String> & CaseIterable>() -> [(String, Value)] {
        Value.allCases.map { ($0.rawValue, $0) }
    }

    /// A fault of a file of profiles.
    enum ProfileFault: DocumentError.Reason {
        case repeated(String)
        case partOfByte
        case noFont

        var description: String {
            switch self {
            case .repeated(let id): "another profile has the id '\(id)'"
            case .partOfByte: "a multiple of 8 is required"
            case .noFont: "at least one font is required"
            }
        }
    }
}

extension PrinterProfile.Font {
    fileprivate init(_ place: Place) throws(DocumentError) {
        let members = try place.members(["name", "columns"])
        name = try members.required("name").choice(["A", "B", "C"].map { ($0, $0) })
        columns = try members.required("columns").number(16...96)
    }
}

extension PrinterProfile.NumberedTable {
    fileprivate init(_ place: Place) throws(DocumentError) {
        let members = try place.members(["name", "number"])
        table = try members.required("name").choice(CodeTable.all.map { ($0.name, $0) })
        number = try members.required("number").number(0...255)
    }
}
