/// A signature as the gateway takes it: points on a canvas of 300 by 100 pixels, four characters each, two for x and two for y, in base 28
/// (`0` to `9`, `a` to `r`). The point `0000` lifts the pen.
public struct SignatureStrokes: Sendable, Equatable {
    public struct Point: Sendable, Equatable {
        /// From the left, 0 to 299.
        public let x: Int
        /// From the top, 0 to 99.
        public let y: Int

        public init(x: Int, y: Int) {
            self.x = x
            self.y = y
        }
    }

    /// Most points and pen lifts that a message has room for.
    public static let maximumCount = 400
    /// Lines, each drawn without lifting the pen.
    public let strokes: [[Point]]

    /// Nil if a point is off the canvas or in its very corner, which means something else, or if there are none or too many.
    public init?(_ strokes: [[Point]]) {
        let points = strokes.joined()
        guard points.allSatisfy({ (0..<300).contains($0.x) && (0..<100).contains($0.y) && ($0.x, $0.y) != (0, 0) }),
            strokes.allSatisfy({ !$0.isEmpty }), (1...Self.maximumCount).contains(points.count + strokes.count - 1)
        else { return nil }
        self.strokes = strokes
    }

    /// Nil if the text is no such signature.
    public init?(_ text: String) {
        let digits = Array(text.utf8)
        guard digits.count.isMultiple(of: 4), (1...Self.maximumCount).contains(digits.count / 4) else { return nil }
        var strokes: [[Point]] = [[]]
        for start in stride(from: 0, to: digits.count, by: 4) {
            guard let x = Self.number(digits[start], digits[start + 1]), let y = Self.number(digits[start + 2], digits[start + 3]) else {
                return nil
            }
            if (x, y) == (0, 0) {
                strokes.append([])
            } else {
                strokes[strokes.endIndex - 1].append(Point(x: x, y: y))
            }
        }
        self.init(strokes.filter { !$0.isEmpty })
    }

    public var text: String {
        strokes.map { $0.map { Self.digits($0.x) + Self.digits($0.y) }.joined() }.joined(separator: "0000")
    }

    private static func number(_ high: UInt8, _ low: UInt8) -> Int? {
        guard let high = digit(high), let low = digit(low) else { return nil }
        return high * 28 + low
    }

    private static func digit(_ character: UInt8) -> Int? {
        switch character {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): Int(character - UInt8(ascii: "0"))
        case UInt8(ascii: "a")...UInt8(ascii: "r"): Int(character - UInt8(ascii: "a")) + 10
        default: nil
        }
    }

    private static func digits(_ number: Int) -> String {
        let digits = String(number, radix: 28)
        return number < 28 ? "0" + digits : digits
    }
}
