/// A signature from a pad: strokes of points on a canvas of 300 by 100.
public struct Signature: Sendable, Equatable, Codable {
    /// A point of the pen on the canvas.
    public struct Point: Sendable, Equatable, Codable {
        /// From the left edge, 0 to 300.
        public var x: Int
        /// From the upper edge, 0 to 100.
        public var y: Int

        /// Any point; ``Signature/init(strokes:)`` refuses those outside the canvas.
        public init(x: Int, y: Int) {
            self.x = x
            self.y = y
        }
    }

    /// Width of the canvas: scale the pad's x coordinates to it.
    public static let width = 300
    /// Height of the canvas: scale the pad's y coordinates to it.
    public static let height = 100
    /// The maximum number of points and strokes; a pad that sends more is broken.
    public static let maximumPoints = 10_000

    /// Each stroke goes from pen down to pen up.
    public let strokes: [[Point]]

    /// Nil if there is no stroke of two points, a point is outside the canvas, or there are more
    /// than ``maximumPoints``.
    public init?(strokes: [[Point]]) {
        let points = strokes.lazy.flatMap { $0 }
        guard strokes.contains(where: { $0.count > 1 }), strokes.reduce(0, { $0 + $1.count }) <= Self.maximumPoints,
            points.allSatisfy({ (0...Self.width).contains($0.x) && (0...Self.height).contains($0.y) })
        else { return nil }
        self.strokes = strokes
    }
}
