import Printing

extension SimulatedPrinter {
    /// Sets the character of a byte in the selected table. A printer has some sign for each byte
    /// of a table that it does not know; here it is U+FFFD.
    mutating func set(_ byte: UInt8, table number: UInt8) {
        let table = profile.codeTables.first { $0.number == number }?.table
        if byte < 0x80 || table != nil, let character = (table ?? CodeTable.all[0]).character(for: byte) {
            return roll.set(character)
        }
        strangeBytes += 1
        roll.set("\u{FFFD}")
    }

    /// The columns of the font of a number, those of the first if there is none.
    func columns(font: UInt8) -> Int {
        let name = ["A", "B", "C"].dropFirst(Int(font)).first
        return (profile.fonts.first { $0.name == name } ?? profile.fonts[0]).columns
    }
}

extension ArraySlice<UInt8> {
    /// The byte at the offset from the first; nil behind the last.
    func at(_ offset: Int) -> UInt8? { dropFirst(offset).first }

    /// Two bytes at the offset, the lower first.
    func word(_ offset: Int) -> Int? {
        guard let low = at(offset), let high = at(offset + 1) else { return nil }
        return Int(low) | Int(high) << 8
    }

    /// So many bytes at the offset; nil if they have not all arrived.
    func bytes(_ offset: Int, _ count: Int) -> [UInt8]? {
        guard count >= 0, self.count - offset >= count else { return nil }
        return Array(dropFirst(offset).prefix(count))
    }
}
