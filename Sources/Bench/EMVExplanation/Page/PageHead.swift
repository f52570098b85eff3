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
