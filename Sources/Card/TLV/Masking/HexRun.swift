/// Bytes in a text: pairs of hexadecimal digits, without anything between them or with one space,
/// colon or hyphen between two pairs.
struct HexRun {
    let bytes: [UInt8]
    /// Of the digits in the text, two for each byte.
    let places: [Int]

    /// A card number in characters has at least as many.
    private static let fewestBytes = 12

    static func all(in scalars: [Unicode.Scalar]) -> [HexRun] {
        var runs: [HexRun] = []
        var (bytes, places): ([UInt8], [Int]) = ([], [])
        func end() {
            if bytes.count >= fewestBytes { runs.append(HexRun(bytes: bytes, places: places)) }
            (bytes, places) = ([], [])
        }
        var at = 0
        while at < scalars.count {
            if at + 1 < scalars.count, let high = value(scalars[at]), let low = value(scalars[at + 1]) {
                bytes.append(high << 4 | low)
                places += [at, at + 1]
                at += 2
                // One character between two pairs.
                if at + 1 < scalars.count, [" ", ":", "-"].contains(scalars[at]), value(scalars[at + 1]) != nil {
                    at += 1
                }
            } else {
                end()
                at += 1
            }
        }
        end()
        return runs
    }

    private static func value(_ scalar: Unicode.Scalar) -> UInt8? {
        switch scalar {
        case "0"..."9": UInt8(truncatingIfNeeded: scalar.value - 0x30)
        case "A"..."F": UInt8(truncatingIfNeeded: scalar.value - 0x37)
        case "a"..."f": UInt8(truncatingIfNeeded: scalar.value - 0x57)
        default: nil
        }
    }
}
