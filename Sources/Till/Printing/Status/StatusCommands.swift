/// Asks a printer to say when all data before it are printed.
enum EndMarker {
    /// `GS ( H` function 48 with the number as four hexadecimal digits, or Star's document counter
    /// with the number in its two free bytes.
    static func request(_ number: UInt16, _ language: PrinterProfile.Language) -> [UInt8] {
        switch language {
        case .escPOS:
            let digits = String(number, radix: 16, uppercase: true)
            return [0x1D, 0x28, 0x48, 6, 0, 0x30, 0x30]
                + Array((String(repeating: "0", count: max(0, 4 - digits.count)) + digits).utf8)
        case .starLine, .starPRNT, .starRaster: return [0x1B, 0x1D, 0x03, 1] + number.littleEndian2
        }
    }
}

/// Makes a printer tell of its own accord that its paper ends or its cover opens.
enum AutomaticStatus {
    /// `GS a 15`: drawer, line, errors, paper; or Star's `ESC RS a 1`.
    static func on(_ language: PrinterProfile.Language) -> [UInt8] {
        switch language {
        case .escPOS: [0x1D, 0x61, 0x0F]
        case .starLine, .starPRNT: [0x1B, 0x1E, 0x61, 1]
        // In raster mode these bytes would be data.
        case .starRaster: []
        }
    }
}
