internal import PaymentTerminal

extension Bitmap {
    /// The strokes of a signature, with a pen two dots wide.
    init(_ signature: Signature) {
        self.init(width: Signature.width, height: Signature.height)
        for stroke in signature.strokes where stroke.count > 1 {
            for (start, end) in zip(stroke, stroke.dropFirst()) {
                let steps = max(1, max(abs(end.x - start.x), abs(end.y - start.y)))
                for step in 0...steps {
                    let x = start.x + (end.x - start.x) * step / steps
                    let y = start.y + (end.y - start.y) * step / steps
                    fill(x: x - 1, y: y - 1, width: 2, height: 2)
                }
            }
        }
    }
}
