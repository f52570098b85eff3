extension PrinterProfile {
    /// The slip as this printer's commands, with the cut.
    ///
    /// - Parameters:
    ///   - fontIndex: Of ``fonts``; the slip was laid out in its columns.
    ///   - pictureFont: Draws the slip for a printer that takes pictures only; no other one needs
    ///     it.
    public func encode(_ slip: Slip, fontIndex: Int = 0, pictureFont: SlipFont?) -> PrintedSlip {
        guard let commands = language.commands else {
            guard let pictureFont else { return PrintedSlip(blocks: [], events: [.noFont]) }
            let picture = slip.picture(dots: dots, font: pictureFont)
            return PrintedSlip(blocks: StarRaster.blocks(picture.bitmap), events: picture.events)
        }
        var encoder = SlipEncoder(profile: self, commands: commands)
        encoder.start(font: fonts.indices.contains(fontIndex) ? fonts[fontIndex].name : "A")
        for (index, item) in slip.items.enumerated() { encoder.add(item, index) }
        encoder.end()
        return PrintedSlip(blocks: encoder.blocks, events: encoder.events)
    }

    /// The dots of a cell of a QR code of so many modules, with a margin of four on each side; nil
    /// if the code is wider than the paper. At most 8, which every printer takes.
    func cell(modules: Int) -> UInt8? {
        let cell = dots / (modules + 8)
        return cell > 0 ? UInt8(clamping: min(cell, 8)) : nil
    }
}

/// Writes the items of a slip one after the other.
private struct SlipEncoder {
    let profile: PrinterProfile
    let commands: any PrinterCommands
    private(set) var blocks: [[UInt8]] = []
    private(set) var events: [PrintedSlip.Event] = []
    private var style: SlipStyle = []

    init(profile: PrinterProfile, commands: any PrinterCommands) {
        self.profile = profile
        self.commands = commands
    }

    mutating func start(font: String) {
        blocks.append(commands.start(font: font == "C" ? 2 : font == "B" ? 1 : 0))
    }

    mutating func add(_ item: Slip.Item, _ index: Int) {
        switch item {
        case .line(let line): blocks.append(text(line, index))
        case .signature(let signature):
            blocks += commands.picture(Bitmap(signature).centred(in: profile.dots))
        case .qr(let data): blocks += qr(data, index)
        }
    }

    mutating func end() { blocks.append(commands.cut(profile.cut)) }

    private mutating func text(_ line: Slip.Line, _ index: Int) -> [UInt8] {
        var bytes: [UInt8] = []
        for run in line.runs {
            bytes += commands.style(from: style, to: run.style)
            style = run.style
            bytes += characters(run.characters, index)
        }
        // A line's height is that of its characters: an empty line has normal ones.
        bytes += commands.style(from: style, to: [])
        style = []
        return bytes + [0x0A]
    }

    /// The table is selected before the characters that need it, in every run: a printer that was
    /// switched off in between has another one.
    private mutating func characters(_ characters: [Character], _ index: Int) -> [UInt8] {
        var bytes: [UInt8] = []
        var current: PrinterProfile.NumberedTable?
        for character in characters {
            if let ascii = CodeTable.ascii(character) {
                bytes.append(ascii)
            } else if let byte = current?.table.byte(for: character) {
                bytes.append(byte)
            } else if let table = profile.codeTables.first(where: { $0.table.byte(for: character) != nil }),
                let byte = table.table.byte(for: character)
            {
                current = table
                bytes += commands.select(table: table.number) + [byte]
            } else {
                bytes.append(CodeTable.ascii(CodeTable.substitute) ?? 0x3F)
                events.append(.substituted(character, line: index))
            }
        }
        return bytes
    }

    private mutating func qr(_ data: [UInt8], _ index: Int) -> [[UInt8]] {
        guard let code = QRCode(data), let cell = profile.cell(modules: code.size) else {
            events.append(.omittedQR(line: index))
            return []
        }
        if profile.qr == .native, let native = commands.qr(data, cell: cell) { return [native] }
        return commands.picture(code.bitmap(cell: Int(cell)).centred(in: profile.dots))
    }
}
