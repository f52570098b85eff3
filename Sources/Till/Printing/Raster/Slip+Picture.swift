private import PaymentTerminal

extension Slip {
    /// The whole slip as a picture of that width in dots, and what could not be drawn.
    public func picture(dots: Int, font: SlipFont) -> (bitmap: Bitmap, events: [PrintedSlip.Event]) {
        let cell = SlipFont.Cell(dots: dots, columns: columns)
        var bitmaps: [Bitmap] = []
        var events: [PrintedSlip.Event] = []
        for (index, item) in items.enumerated() {
            switch item {
            case .line(let line):
                let drawn = line.picture(dots: dots, cell: cell, font: font)
                bitmaps.append(drawn.bitmap)
                events += drawn.missing.map { .substituted($0, line: index) }
            case .signature(let signature): bitmaps.append(Bitmap(signature).centred(in: dots))
            case .qr(let data):
                if let code = QRCode(data), dots >= code.size + 8 {
                    let cell = min(dots / (code.size + 8), 8)
                    bitmaps.append(code.bitmap(cell: cell).centred(in: dots))
                } else {
                    events.append(.omittedQR(line: index))
                }
            }
        }
        return (Bitmap(width: dots, stacking: bitmaps), events)
    }
}

extension Slip.Line {
    /// The line in its height, and the characters that the font does not have.
    public func picture(dots: Int, cell: SlipFont.Cell, font: SlipFont) -> (bitmap: Bitmap, missing: [Character]) {
        let isHigh = runs.contains { $0.style.contains(.doubleHeight) }
        let height = cell.height * (isHigh ? 2 : 1)
        var bitmap = Bitmap(width: dots, height: height)
        var missing: [Character] = []
        var x = 0
        for run in runs {
            let scale = (run.style.columnsPerCharacter, run.style.contains(.doubleHeight) ? 2 : 1)
            let (width, tall) = (cell.width * scale.0, cell.height * scale.1)
            let start = x
            for character in run.characters {
                var glyph = font.glyph(character, in: cell)
                if glyph == nil {
                    missing.append(character)
                    glyph = font.glyph(CodeTable.substitute, in: cell)
                }
                if let glyph {
                    bitmap.draw(glyph, x: x, y: height - tall, scale: scale)
                    if run.style.contains(.bold) { bitmap.draw(glyph, x: x + 1, y: height - tall, scale: scale) }
                }
                x += width
            }
            if run.style.contains(.underline) { bitmap.fill(x: start, y: height - 2, width: x - start, height: 1) }
            if run.style.contains(.inverse) {
                bitmap.invert(x: start, y: height - tall, width: x - start, height: tall)
            }
        }
        return (bitmap, missing)
    }
}

extension Bitmap {
    /// The pictures one below the other, in a height that is a multiple of 8.
    public init(width: Int, stacking bitmaps: [Bitmap]) {
        let height = bitmaps.reduce(0) { $0 + $1.height }
        self.init(width: width, height: (height + 7) / 8 * 8)
        var y = 0
        for bitmap in bitmaps {
            draw(bitmap, x: 0, y: y)
            y += bitmap.height
        }
    }
}
