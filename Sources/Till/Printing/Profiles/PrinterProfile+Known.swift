extension PrinterProfile {
    /// The models of this package's own file.
    public static let known: [PrinterProfile] = {
        do { return try profiles(of: PackageResources.printers_json) } catch {
            preconditionFailure("printers.json is damaged: \(error)")
        }
    }()

    /// The profile of the id, nil if there is none.
    public static func named(_ id: String) -> PrinterProfile? { known.first { $0.id == id } }
}
