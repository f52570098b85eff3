/// The beginning of every page, up to its body: no script, no external resources.
package enum PageHead {
    /// - Parameter style: Additional styles beside ``PageStyle``.
    static func html(_ title: String, style: String = "") -> String {
        html(title, styles: "\(PageStyle.text)\n\(style)")
    }

    /// - Parameter styles: The whole style sheet.
    package static func html(_ title: String, styles: String) -> String {
        """
        <!DOCTYPE html>
        <html lang="en">
        <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'" />
        <meta name="referrer" content="no-referrer" />
        <title>\(Markup.escaped(title))</title>
        <style>
        \(styles)</style>
        </head>
        <body>

        """
    }
}

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
