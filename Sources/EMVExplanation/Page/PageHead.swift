/// The beginning of every page, up to its body: no script, nothing from elsewhere.
enum PageHead {
    /// - Parameter style: What the page needs besides ``PageStyle``.
    static func html(_ title: String, style: String = "") -> String {
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
        \(PageStyle.text)
        \(style)</style>
        </head>
        <body>

        """
    }
}
