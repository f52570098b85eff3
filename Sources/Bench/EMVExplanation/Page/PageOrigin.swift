/// What a page was made of, by what and when, so that whoever gets it can ask for more.
public struct PageOrigin: Sendable {
    /// The name of each log that the page is about.
    public let logs: [String]
    /// The version of the program.
    public let version: String
    /// The day on which it was made, as year, month and day (ISO 8601).
    public let date: String

    public init(logs: [String], version: String, date: String) {
        self.logs = logs
        self.version = version
        self.date = date
    }

    /// The last line of a page.
    ///
    /// - Parameter command: The command that makes such pages.
    static func line(_ origin: PageOrigin?, command: String) -> String {
        let names = origin.map { " from \($0.logs.joined(separator: " and "))" } ?? ""
        let version = origin.map { " of version \($0.version), on \($0.date)" } ?? ""
        return "Made\(names) by \(command)\(version); the page needs no network and runs no script."
    }
}
