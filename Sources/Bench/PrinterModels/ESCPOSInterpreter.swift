import Printing

/// Reads ESC/POS (Epson, ESC/POS Command Reference for TM Printers), as far as receipts use it.
struct ESCPOSInterpreter: Interpreter {
    private var table: UInt8 = 0
    private var qr: [UInt8] = []

    /// Real-time commands are seen when they are received.
    func isImmediate(_ bytes: ArraySlice<UInt8>) -> Bool { bytes.starts(with: [0x10, 0x04]) }

    mutating func step(_ bytes: ArraySlice<UInt8>, _ printer: inout SimulatedPrinter) -> Int? {
        guard let head = bytes.first else { return nil }
        switch head {
        case 0x0A:
            printer.roll.feed()
            return 1
        case 0x0D: return 1
        case 0x10: return realTime(bytes, &printer)
        case 0x1B: return escape(bytes, &printer)
        case 0x1C: return bytes.count >= 2 ? 2 : nil
        case 0x1D: return group(bytes, &printer)
        case 0x20...0xFF where head != 0x7F:
            printer.set(head, table: table)
            return 1
        default:
            printer.strangeBytes += 1
            return 1
        }
    }

    private func realTime(_ bytes: ArraySlice<UInt8>, _ printer: inout SimulatedPrinter) -> Int? {
        guard let second = bytes.at(1) else { return nil }
        switch second {
        case 0x04, 0x05: return bytes.count >= 3 ? 3 : nil
        case 0x14: return bytes.count >= 5 ? 5 : nil
        default:
            printer.strangeBytes += 1
            return 1
        }
    }

    // MARK: ESC

    private mutating func escape(_ bytes: ArraySlice<UInt8>, _ printer: inout SimulatedPrinter) -> Int? {
        guard let command = bytes.at(1) else { return nil }
        switch command {
        case 0x40:
            printer.roll.reset(columns: printer.columns(font: 0))
            printer.isAutomatic = false
            table = 0
            return 2
        case 0x32: return 2
        case 0x70:
            guard let pin = bytes.at(2), bytes.count >= 5 else { return nil }
            printer.pulse(drive: Int(pin & 1) + 1, isRealTime: false)
            return 5
        case 0x2A: return columnPicture(bytes, &printer)
        case 0x63, 0x24, 0x5C, 0x42: return bytes.count >= 4 ? 4 : nil
        default: return parameter(command, bytes, &printer)
        }
    }

    /// Commands of one parameter.
    private mutating func parameter(_ command: UInt8, _ bytes: ArraySlice<UInt8>, _ printer: inout SimulatedPrinter)
        -> Int?
    {
        guard let value = bytes.at(2) else { return nil }
        switch command {
        case 0x4D: printer.roll.columns = printer.columns(font: value & 0x0F)
        case 0x61: if printer.roll.isLineEmpty { printer.roll.alignment = .init(rawValue: value & 0x03) ?? .left }
        case 0x45, 0x47: printer.roll.style.turn(.bold, value & 1 != 0)
        case 0x2D: printer.roll.style.turn(.underline, value & 0x03 != 0)
        case 0x21: mode(value, &printer)
        case 0x74: table = value
        case 0x64: for _ in 0..<value { printer.roll.feed() }
        case 0x4A: if value > 0, !printer.roll.isLineEmpty { printer.roll.feed() }
        case 0x33, 0x7B, 0x52, 0x56, 0x20, 0x72: break
        default:
            printer.strangeBytes += 1
            return 2
        }
        return 3
    }

    /// `ESC !`: font and styles at once.
    private func mode(_ value: UInt8, _ printer: inout SimulatedPrinter) {
        printer.roll.columns = printer.columns(font: value & 1)
        printer.roll.style.turn(.bold, value & 0x08 != 0)
        printer.roll.style.turn(.doubleHeight, value & 0x10 != 0)
        printer.roll.style.turn(.doubleWidth, value & 0x20 != 0)
        printer.roll.style.turn(.underline, value & 0x80 != 0)
    }

    /// `ESC *`: 8 or 24 dots high, column by column.
    private func columnPicture(_ bytes: ArraySlice<UInt8>, _ printer: inout SimulatedPrinter) -> Int? {
        guard let mode = bytes.at(2), let width = bytes.word(3) else { return nil }
        let rows = mode >= 32 ? 24 : 8
        guard let columns = bytes.bytes(5, width * rows / 8) else { return nil }
        printer.roll.add(.picture(Bitmap(columns: columns, width: width, height: rows)))
        return 5 + columns.count
    }

    // MARK: GS

    private mutating func group(_ bytes: ArraySlice<UInt8>, _ printer: inout SimulatedPrinter) -> Int? {
        guard let command = bytes.at(1), let value = bytes.at(2) else { return nil }
        switch command {
        case 0x28: return function(value, bytes, &printer)
        case 0x76: return picture(bytes, &printer)
        case 0x6B: return barcode(value, bytes, &printer)
        case 0x56: return cut(value, bytes, &printer)
        case 0x4C, 0x57, 0x50: return bytes.count >= 4 ? 4 : nil
        case 0x21:
            printer.roll.style.turn(.doubleWidth, value & 0xF0 != 0)
            printer.roll.style.turn(.doubleHeight, value & 0x0F != 0)
        case 0x42: printer.roll.style.turn(.inverse, value & 1 != 0)
        case 0x61:
            printer.isAutomatic = value != 0
            if value != 0 { printer.answers += printer.automaticStatus }
        case 0x72: printer.answers.append(printer.roll.isAtEnd ? 0x0C : 0)
        case 0x68, 0x77, 0x48, 0x66: break
        default:
            printer.strangeBytes += 1
            return 2
        }
        return 3
    }

    private func cut(_ mode: UInt8, _ bytes: ArraySlice<UInt8>, _ printer: inout SimulatedPrinter) -> Int? {
        if mode >= 0x41 { guard bytes.count >= 4 else { return nil } }
        if !printer.roll.isLineEmpty { printer.roll.feed() }
        printer.roll.add(.cut)
        return mode >= 0x41 ? 4 : 3
    }

    /// `GS v 0`.
    private func picture(_ bytes: ArraySlice<UInt8>, _ printer: inout SimulatedPrinter) -> Int? {
        guard let width = bytes.word(4), let height = bytes.word(6) else { return nil }
        guard let data = bytes.bytes(8, width * height) else { return nil }
        printer.roll.add(.picture(Bitmap(width: width * 8, height: height, bytes: data)))
        return 8 + data.count
    }

    private func barcode(_ kind: UInt8, _ bytes: ArraySlice<UInt8>, _ printer: inout SimulatedPrinter) -> Int? {
        if kind >= 65 {
            guard let count = bytes.at(3), let data = bytes.bytes(4, Int(count)) else { return nil }
            printer.roll.add(.barcode(kind: kind, data))
            return 4 + data.count
        }
        guard let end = bytes.dropFirst(3).firstIndex(of: 0) else { return nil }
        printer.roll.add(.barcode(kind: kind, Array(bytes.dropFirst(3)[..<end])))
        return end - bytes.startIndex + 1
    }

    /// `GS ( x pL pH`: QR codes, end markers, and others that nothing is done for.
    private mutating func function(_ family: UInt8, _ bytes: ArraySlice<UInt8>, _ printer: inout SimulatedPrinter)
        -> Int?
    {
        guard let count = bytes.word(3), let data = bytes.bytes(5, count) else { return nil }
        switch (family, data.first, data.dropFirst().first) {
        case (0x6B, 0x31, 0x50): if printer.profile.qr == .native { qr = Array(data.dropFirst(3)) }
        case (0x6B, 0x31, 0x51): if !qr.isEmpty { printer.roll.add(.qr(qr)) }
        case (0x48, 0x30, 0x30):
            if printer.profile.marksEnd { printer.answers += [0x37, 0x22] + data.dropFirst(2) + [0] }
        default: break
        }
        return 5 + data.count
    }
}

extension SlipStyle {
    mutating func turn(_ style: SlipStyle, _ isOn: Bool) {
        if isOn { insert(style) } else { remove(style) }
    }
}

extension Bitmap {
    /// Columns of dots, the top bit of each byte uppermost.
    init(columns bytes: [UInt8], width: Int, height: Int) {
        self.init(width: width, height: height)
        let perColumn = height / 8
        for (index, byte) in bytes.enumerated() where perColumn > 0 {
            for bit in 0..<8 where byte & (0x80 >> UInt8(truncatingIfNeeded: bit)) != 0 {
                self[index / perColumn, index % perColumn * 8 + bit] = true
            }
        }
    }
}
