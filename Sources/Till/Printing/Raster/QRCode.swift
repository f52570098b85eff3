private import CQREncode

/// A QR code of version 1 to 40 with error correction M (ISO/IEC 18004), by libqrencode.
public struct QRCode: Sendable, Equatable {
    /// The most bytes that a code of correction M holds.
    public static let maximumSize = 2331

    /// Modules in a row, without the margin.
    public let size: Int
    private let modules: [Bool]

    /// Nil without data, and for more than ``maximumSize`` bytes.
    public init?(_ data: [UInt8]) {
        guard !data.isEmpty, data.count <= Self.maximumSize,
            let code = unsafe QRcode_encodeData(CInt(clamping: data.count), data, 0, QR_ECLEVEL_M)
        else { return nil }
        defer { unsafe QRcode_free(code) }
        let width = unsafe Int(code.pointee.width)
        size = width
        modules = unsafe UnsafeBufferPointer(start: code.pointee.data, count: width * width).map { $0 & 1 != 0 }
    }

    /// The code in black cells of so many dots, with the quiet zone of four cells around it.
    public func bitmap(cell: Int) -> Bitmap {
        var bitmap = Bitmap(width: (size + 8) * cell, height: (size + 8) * cell)
        for (index, isBlack) in modules.enumerated() where isBlack {
            bitmap.fill(x: (index % size + 4) * cell, y: (index / size + 4) * cell, width: cell, height: cell)
        }
        return bitmap
    }
}
