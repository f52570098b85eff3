private import Foundation

/// A color of a page, sRGB.
public struct PageColor: Sendable, Hashable {
    public let red: UInt8
    public let green: UInt8
    public let blue: UInt8

    public init(red: UInt8, green: UInt8, blue: UInt8) {
        self.red = red
        self.green = green
        self.blue = blue
    }

    public static let white = PageColor(red: 255, green: 255, blue: 255)
    public static let black = PageColor(red: 0, green: 0, blue: 0)

    /// `#1d3557`.
    var css: String { "#" + [red, green, blue].map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined() }

    /// White or black, whichever contrasts more. Against one of the two every color has at least
    /// 4.5:1 (WCAG 2.2, 1.4.3).
    var background: PageColor { contrast(.white) >= contrast(.black) ? .white : .black }

    /// The contrast ratio: WCAG 2.2, "contrast ratio" and "relative luminance".
    func contrast(_ other: PageColor) -> Double {
        let (one, two) = (luminance, other.luminance)
        return (max(one, two) + 0.05) / (min(one, two) + 0.05)
    }

    private var luminance: Double {
        func linear(_ value: UInt8) -> Double {
            let part = Double(value) / 255
            return part <= 0.04045 ? part / 12.92 : pow((part + 0.055) / 1.055, 2.4)
        }
        return 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue)
    }
}
