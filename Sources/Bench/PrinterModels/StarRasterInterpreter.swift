import Printing

/// Reads Star's raster mode: rows of dots between the beginning and the end of a page.
struct StarRasterInterpreter: Interpreter {
    private static let widest = 1024
    private var isPage = false

    func isImmediate(_ bytes: ArraySlice<UInt8>) -> Bool { bytes.starts(with: [0x1B, 0x06]) }

    mutating func step(_ bytes: ArraySlice<UInt8>, _ printer: inout SimulatedPrinter) -> Int? {
        guard let head = bytes.first else { return nil }
        switch head {
        case 0x1B: return escape(bytes, &printer)
        case 0x62 where isPage:
            guard let count = bytes.word(1), let data = bytes.bytes(3, count) else { return nil }
            let row = data.prefix(Self.widest / 8)
            printer.roll.add(.picture(Bitmap(width: printer.profile.dots, height: 1, bytes: row)))
            return 3 + data.count
        case 0x07: printer.pulse(drive: 1, isRealTime: false)
        case 0x1A: printer.pulse(drive: 2, isRealTime: false)
        default: printer.strangeBytes += 1
        }
        return 1
    }

    private mutating func escape(_ bytes: ArraySlice<UInt8>, _ printer: inout SimulatedPrinter) -> Int? {
        guard let command = bytes.at(1), let value = bytes.at(2) else { return nil }
        switch command {
        case 0x06: printer.answers += printer.starStatus
        case 0x0C: printer.roll.add(.cut)
        case 0x07: return bytes.count >= 4 ? 4 : nil
        case 0x2A where value == 0x72: return raster(bytes, &printer)
        default:
            printer.strangeBytes += 1
            return 2
        }
        return 3
    }

    /// `ESC * r`: A and B enter and leave the mode; P and Y have digits that a zero ends.
    private mutating func raster(_ bytes: ArraySlice<UInt8>, _ printer: inout SimulatedPrinter) -> Int? {
        guard let command = bytes.at(3) else { return nil }
        switch command {
        case 0x41, 0x42:
            isPage = command == 0x41
            return 4
        case 0x50, 0x59:
            guard let end = bytes.dropFirst(4).firstIndex(of: 0) else { return bytes.count > 16 ? 4 : nil }
            let digits = String(decoding: bytes.dropFirst(4)[..<end], as: UTF8.self)
            if command == 0x59, let rows = Int(digits), (1...1024).contains(rows) {
                printer.roll.add(.picture(Bitmap(width: printer.profile.dots, height: rows)))
            }
            return end - bytes.startIndex + 1
        default:
            printer.strangeBytes += 1
            return 4
        }
    }
}
