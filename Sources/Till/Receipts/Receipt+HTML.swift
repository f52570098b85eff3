public import PaymentTerminal

extension Receipt {
    /// The receipt as a page of HTML for a roll 80 mm wide: for a browser to print, or for an
    /// e-mail. It has no external resources and no scripts, which its security policy enforces.
    public func html(for copy: Copy) -> String {
        let lines = lines(for: copy)
        return """
            <!DOCTYPE html>
            <html lang="en">
            <head>
            <meta charset="utf-8">
            <meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
            <title>\(Self.escaped("\(merchantName), order \(orderID.text)"))</title>
            <style>
            @page { size: 80mm \(Self.height(lines))mm; margin: 0 }
            body { width: 72mm; margin: 0 auto; padding: 4mm 0; color: #000; background: #fff; font: 9pt/1.4 sans-serif }
            h1, h2, p { margin: 0; text-align: center; overflow-wrap: anywhere }
            h1 { font-size: 13pt }
            h2 { font-size: 9pt; font-weight: normal; letter-spacing: .05em }
            div { display: flex; justify-content: space-between; gap: 3mm; font-variant-numeric: tabular-nums }
            div b { font-weight: normal; text-align: right; overflow-wrap: anywhere }
            .amount, .amount b { font-size: 12pt; font-weight: bold }
            .outcome { font-size: 13pt; font-weight: bold }
            hr { border: 0; border-top: 1px dashed #000; margin: 2mm 0 }
            figure { margin: 3mm 0 0; break-inside: avoid; text-align: center; font-size: 8pt }
            figure svg { display: block; width: 60mm; height: 20mm; margin: 0 auto; border-bottom: 1px solid #000 }
            </style>
            </head>
            <body>
            \(lines.map(Self.html).joined(separator: "\n"))
            </body>
            </html>

            """
    }

    private static func html(_ line: Line) -> String {
        switch line {
        case .merchant(let text): "<h1>\(escaped(text))</h1>"
        case .heading(let text): "<h2>\(escaped(text))</h2>"
        case .row(let name, let value): "<div>\(escaped(name)) <b>\(escaped(value))</b></div>"
        case .sum(let name, let money): "<div>\(escaped(name)) <b>\(money)</b></div>"
        case .amount(let money): "<div class=\"amount\">AMOUNT <b>\(money)</b></div>"
        case .outcome(let text): "<p class=\"outcome\">\(escaped(text))</p>"
        case .note(let text): "<p>\(escaped(text))</p>"
        case .gap: "<hr>"
        case .signature(let signature): figure(signature)
        }
    }

    /// The strokes of the signature on the signature line; only the line without a signature.
    private static func figure(_ signature: Signature?) -> String {
        let strokes = (signature?.strokes ?? []).filter { $0.count > 1 }.map { stroke in
            "<polyline points=\"\(stroke.map { "\($0.x),\($0.y)" }.joined(separator: " "))\"/>"
        }
        return """
            <figure>
            <svg viewBox="0 0 \(Signature.width) \(Signature.height)" fill="none" stroke="#000" stroke-width="2" stroke-linecap="round" \
            stroke-linejoin="round">\(strokes.joined())</svg>
            Cardholder signature
            </figure>
            """
    }

    /// The length of the paper in millimetres, rounded up generously: a second page on a roll would
    /// be a second receipt.
    private static func height(_ lines: [Line]) -> Int {
        let tenths = lines.reduce(120) { sum, line in
            switch line {
            case .merchant(let text): sum + 65 * (text.count / 24 + 1)
            case .heading(let text), .note(let text): sum + 45 * (text.count / 40 + 1)
            case .row(let name, let value): sum + 45 * ((name.count + value.count) / 34 + 1)
            case .sum: sum + 45
            case .amount, .outcome: sum + 65
            case .gap: sum + 45
            case .signature: sum + 280
            }
        }
        return (tenths + 9) / 10
    }

    /// Text from merchant, card or host, escaped for an element.
    private static func escaped(_ text: String) -> String {
        text.printable.unicodeScalars.reduce(into: "") { result, scalar in
            switch scalar {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            case "'": result += "&#39;"
            default: result.unicodeScalars.append(scalar)
            }
        }
    }
}
