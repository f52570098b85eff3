public import PaymentTerminal

/// A signature as the gateway takes it: points on a canvas of 300 by 100 pixels, four characters
/// each, two for x and two for y, in base 28 (`0` to `9`, `a` to `r`). The point `0000` lifts the
/// pen.
public struct SignatureStrokes: Sendable, Equatable {
    /// Most points and pen lifts that a message has room for.
    public static let maximumCount = 400
    /// Strokes of a pad that are sent: with two points each, all of them have room.
    private static let maximumStrokes = 100
    /// Lines, each drawn without lifting the pen; x from 0 to 299, y from 0 to 99.
    public let strokes: [[Signature.Point]]

    /// Nil if a point is off the canvas or in its very corner, which means something else, or if
    /// there are none or too many.
    public init?(_ strokes: [[Signature.Point]]) {
        let points = strokes.joined()
        guard points.allSatisfy({ (0..<300).contains($0.x) && (0..<100).contains($0.y) && ($0.x, $0.y) != (0, 0) }),
            strokes.allSatisfy({ !$0.isEmpty }), (1...Self.maximumCount).contains(Self.count(strokes))
        else { return nil }
        self.strokes = strokes
    }

    /// What of the signature the message has room for: the longest strokes, and of each so many
    /// points that all of them fit, with its ends.
    public init(_ signature: Signature) {
        let longest = Set(
            signature.strokes.indices.sorted { signature.strokes[$0].count > signature.strokes[$1].count }.prefix(
                Self.maximumStrokes))
        let kept = signature.strokes.indices.filter { longest.contains($0) && !signature.strokes[$0].isEmpty }
            .map { signature.strokes[$0].map(Self.onCanvas) }
        var step = 1
        var strokes = kept
        while Self.count(strokes) > Self.maximumCount {
            step += 1
            strokes = kept.map { stroke in
                stroke.indices.filter { $0.isMultiple(of: step) || $0 == stroke.indices.last }.map { stroke[$0] }
            }
        }
        self.strokes = strokes
    }

    /// Nil if the text is not such a signature.
    public init?(_ text: String) {
        let digits = Array(text.utf8)
        guard digits.count.isMultiple(of: 4), (1...Self.maximumCount).contains(digits.count / 4) else { return nil }
        var strokes: [[Signature.Point]] = [[]]
        for start in stride(from: 0, to: digits.count, by: 4) {
            guard let x = Self.number(digits[start], digits[start + 1]),
                let y = Self.number(digits[start + 2], digits[start + 3])
            else {
                return nil
            }
            if (x, y) == (0, 0) {
                strokes.append([])
            } else {
                strokes[strokes.endIndex - 1].append(Signature.Point(x: x, y: y))
            }
        }
        self.init(strokes.filter { !$0.isEmpty })
    }

    /// The signature that the points draw; nil for dots alone.
    public var signature: Signature? { Signature(strokes: strokes) }

    public var text: String {
        strokes.map { $0.map { Self.digits($0.x) + Self.digits($0.y) }.joined() }.joined(separator: "0000")
    }

    /// Points and pen lifts.
    private static func count(_ strokes: [[Signature.Point]]) -> Int { strokes.joined().count + strokes.count - 1 }

    /// The last column and row of a pad's canvas are one pixel off the gateway's, and its corner
    /// lifts the pen.
    private static func onCanvas(_ point: Signature.Point) -> Signature.Point {
        let (x, y) = (min(point.x, 299), min(point.y, 99))
        return Signature.Point(x: (x, y) == (0, 0) ? 1 : x, y: y)
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
