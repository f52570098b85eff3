public import Printing

extension SimulatedPrinter {
    /// The paper as a picture: what is under the knife is a dashed line.
    public func picture(font: SlipFont) -> Bitmap {
        let dots = profile.dots
        let cell = SlipFont.Cell(dots: dots, columns: profile.fonts[0].columns)
        return Bitmap(
            width: dots,
            stacking: items.map { item in
                switch item {
                case .line(let line): line.picture(dots: dots, cell: cell, font: font).bitmap
                case .picture(let bitmap): bitmap
                case .qr(let data):
                    QRCode(data).map { code in
                        let drawn = code.bitmap(cell: max(1, min(dots / (code.size + 8), 8)))
                        var centred = Bitmap(width: dots, height: drawn.height)
                        centred.draw(drawn, x: max(0, (dots - drawn.width) / 2), y: 0)
                        return centred
                    } ?? Bitmap(width: dots, height: 0)
                case .barcode: Bitmap(width: dots, height: 0)
                case .cut: Self.cutLine(dots)
                }
            })
    }

    private static func cutLine(_ dots: Int) -> Bitmap {
        var bitmap = Bitmap(width: dots, height: 24)
        for x in stride(from: 0, to: dots, by: 16) { bitmap.fill(x: x, y: 12, width: 8, height: 1) }
        return bitmap
    }
}
