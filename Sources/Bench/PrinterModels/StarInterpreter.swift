import Printing

/// Reads Star Line Mode and StarPRNT (Star Line Mode Command Specifications; StarPRNT Command
/// Specifications 2.25), as far as receipts use them.
struct StarInterpreter: Interpreter {
    private var table: UInt8 = 0
    private var qr: [UInt8] = []

    func isImmediate(_ bytes: ArraySlice<UInt8>) -> Bool { bytes.starts(with: [0x1B, 0x06]) }

    mutating func step(_ bytes: ArraySlice<UInt8>, _ printer: inout SimulatedPrinter) -> Int? {
        guard let head = bytes.first else { return nil }
        switch head {
        case 0x0A: printer.roll.feed()
        case 0x0D: break
        case 0x18: printer.roll.drop()
        case 0x07: printer.pulse(drive: 1, isRealTime: false)
        case 0x1A: printer.pulse(drive: 2, isRealTime: false)
        case 0x1B: return escape(bytes, &printer)
        case 0x20...0xFF where head != 0x7F: printer.set(head, table: table)
        default: printer.strangeBytes += 1
        }
        return 1
    }

    private mutating func escape(_ bytes: ArraySlice<UInt8>, _ printer: inout SimulatedPrinter) -> Int? {
        guard let command = bytes.at(1) else { return nil }
        switch command {
        case 0x40:
            printer.roll.reset(columns: printer.columns(font: 0))
            table = 0
            return 2
        case 0x45, 0x46: printer.roll.style.turn(.bold, command == 0x45)
        case 0x34, 0x35: printer.roll.style.turn(.inverse, command == 0x34)
        case 0x30: return 2
        case 0x1D: return group(bytes, &printer)
        case 0x1E: return record(bytes, &printer)
        case 0x58: return columnPicture(bytes, &printer)
        case 0x69:
            guard let high = bytes.at(2), let wide = bytes.at(3) else { return nil }
            printer.roll.style.turn(.doubleHeight, high != 0)
            printer.roll.style.turn(.doubleWidth, wide != 0)
            return 4
        case 0x07: return bytes.count >= 4 ? 4 : nil
        default: return parameter(command, bytes, &printer)
        }
        return 2
    }

    private func parameter(_ command: UInt8, _ bytes: ArraySlice<UInt8>, _ printer: inout SimulatedPrinter) -> Int? {
        guard let value = bytes.at(2) else { return nil }
        switch command {
        case 0x2D: printer.roll.style.turn(.underline, value & 1 != 0)
        case 0x64:
            if !printer.roll.isLineEmpty { printer.roll.feed() }
            printer.roll.add(.cut)
        case 0x06: printer.answers += printer.starStatus
        case 0x7A: break
        default:
            printer.strangeBytes += 1
            return 2
        }
        return 3
    }

    /// `ESC RS`: the font, and the automatic status.
    private func record(_ bytes: ArraySlice<UInt8>, _ printer: inout SimulatedPrinter) -> Int? {
        guard let command = bytes.at(2), let value = bytes.at(3) else { return nil }
        switch command {
        case 0x46: printer.roll.columns = printer.columns(font: value & 0x0F)
        case 0x61:
            printer.isAutomatic = value != 0
            if value != 0 { printer.answers += printer.starStatus }
        default: printer.strangeBytes += 1
        }
        return 4
    }

    /// `ESC X`: 24 dots high, column by column.
    private func columnPicture(_ bytes: ArraySlice<UInt8>, _ printer: inout SimulatedPrinter) -> Int? {
        guard let width = bytes.word(2), let columns = bytes.bytes(4, width * 3) else { return nil }
        // The line feed behind it moves the paper by the band.
        guard let feed = bytes.at(4 + columns.count) else { return nil }
        printer.roll.add(.picture(Bitmap(columns: columns, width: width, height: 24)))
        return 4 + columns.count + (feed == 0x0A ? 1 : 0)
    }

    // MARK: ESC GS

    private mutating func group(_ bytes: ArraySlice<UInt8>, _ printer: inout SimulatedPrinter) -> Int? {
        guard let command = bytes.at(2), let value = bytes.at(3) else { return nil }
        switch command {
        case 0x74: table = value
        case 0x61: if printer.roll.isLineEmpty { printer.roll.alignment = .init(rawValue: value & 0x03) ?? .left }
        case 0x03:
            guard let marker = bytes.bytes(3, 3) else { return nil }
            count(marker, &printer)
            return 6
        case 0x53: return picture(bytes, &printer)
        case 0x79: return code(value, bytes, &printer)
        case 0x41, 0x52: return bytes.count >= 5 ? 5 : nil
        default: printer.strangeBytes += 1
        }
        return 4
    }

    /// The document counter: 0 asks for it, 1 counts up when all before is printed.
    private func count(_ marker: [UInt8], _ printer: inout SimulatedPrinter) {
        guard printer.profile.marksEnd, marker[0] <= 2 else { return }
        if marker[0] == 2 { return printer.documents = 0 }
        if marker[0] == 1 { printer.documents &+= 1 }
        printer.answers += [0x1B, 0x1D, 0x03] + marker + [printer.documents, 0]
    }

    /// `ESC GS S`.
    private func picture(_ bytes: ArraySlice<UInt8>, _ printer: inout SimulatedPrinter) -> Int? {
        guard let width = bytes.word(4), let height = bytes.word(6), let data = bytes.bytes(9, width * height) else {
            return nil
        }
        printer.roll.add(.picture(Bitmap(width: width * 8, height: height, bytes: data)))
        return 9 + data.count
    }

    /// `ESC GS y`: QR codes.
    private mutating func code(_ function: UInt8, _ bytes: ArraySlice<UInt8>, _ printer: inout SimulatedPrinter) -> Int?
    {
        switch function {
        case 0x53: return bytes.count >= 6 ? 6 : nil
        case 0x44:
            guard let count = bytes.word(6), let data = bytes.bytes(8, count) else { return nil }
            qr = data
            return 8 + count
        case 0x50:
            // The line feed behind it moves the paper by the code.
            guard let feed = bytes.at(4) else { return nil }
            if !qr.isEmpty { printer.roll.add(.qr(qr)) }
            return feed == 0x0A ? 5 : 4
        default:
            printer.strangeBytes += 1
            return 4
        }
    }
}
