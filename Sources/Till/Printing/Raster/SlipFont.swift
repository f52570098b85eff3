private import CFreeType

/// A font with characters of equal width, as dots in the cells of a slip's columns, by FreeType.
///
/// Printers have fonts of their own; this one draws slips for those that take pictures only, and
/// the pictures of the simulated printer. Any TrueType or OpenType font does, such as DejaVu Sans
/// Mono of Debian's `fonts-dejavu-core`. It belongs to one thread at a time.
@safe public final class SlipFont {
    /// The file is not a font, or has no characters that FreeType can draw.
    public struct NotAFont: Error, Equatable, CustomStringConvertible {
        public init() {}
        public var description: String {
            "not a font that FreeType can draw: give a TrueType font of equal widths, such as DejaVuSansMono.ttf"
        }
    }

    /// The size of a cell in dots.
    public struct Cell: Sendable, Hashable {
        public let width: Int
        public let height: Int

        /// Twice as high as wide, for so many columns on a line.
        public init(dots: Int, columns: Int) {
            width = max(1, dots / max(1, columns))
            height = width * 2
        }
    }

    private let library: FT_Library
    private let face: FT_Face
    /// FreeType reads the file as long as the face lives.
    private let file: UnsafeMutableBufferPointer<UInt8>
    private var drawn: [Cell: [Character: Bitmap]] = [:]
    /// Characters of one cell that are kept: more than a language has.
    private static let maximumDrawn = 8192

    /// - Parameter bytes: The file of the font.
    public init(_ bytes: [UInt8]) throws(NotAFont) {
        let file = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: bytes.count)
        _ = unsafe file.initialize(from: bytes)
        var library: FT_Library?
        var face: FT_Face?
        guard unsafe FT_Init_FreeType(&library) == 0, let library = unsafe library else {
            unsafe file.deallocate()
            throw NotAFont()
        }
        guard unsafe FT_New_Memory_Face(library, file.baseAddress, FT_Long(clamping: bytes.count), 0, &face) == 0,
            let face = unsafe face
        else {
            unsafe FT_Done_FreeType(library)
            unsafe file.deallocate()
            throw NotAFont()
        }
        unsafe (self.library, self.face, self.file) = (library, face, file)
    }

    deinit {
        unsafe FT_Done_Face(face)
        unsafe FT_Done_FreeType(library)
        unsafe file.deallocate()
    }

    /// The character in its cell; nil if the font does not have it. Marks are drawn over the
    /// character that they belong to.
    public func glyph(_ character: Character, in cell: Cell) -> Bitmap? {
        if let known = drawn[cell]?[character] { return known }
        var glyph = Bitmap(width: cell.width, height: cell.height)
        for scalar in character.unicodeScalars {
            guard draw(scalar, cell, &glyph) else { return nil }
        }
        if drawn[cell]?.count ?? 0 >= Self.maximumDrawn { drawn[cell] = nil }
        drawn[cell, default: [:]][character] = glyph
        return glyph
    }

    private func draw(_ scalar: Unicode.Scalar, _ cell: Cell, _ glyph: inout Bitmap) -> Bool {
        let index = unsafe FT_Get_Char_Index(face, FT_ULong(scalar.value))
        // A letter of DejaVu Sans Mono is 0.6 em wide.
        let size = FT_UInt(clamping: cell.width * 5 / 3)
        guard index != 0, unsafe FT_Set_Pixel_Sizes(face, 0, size) == 0,
            unsafe FT_Load_Glyph(face, index, cardpresent_load_monochrome) == 0,
            let slot = unsafe face.pointee.glyph
        else { return false }
        let dots = unsafe slot.pointee.bitmap
        let left = unsafe Int(slot.pointee.bitmap_left)
        // A fifth of the cell is below the line of writing.
        let top = unsafe cell.height * 4 / 5 - Int(slot.pointee.bitmap_top)
        let pitch = unsafe Int(dots.pitch)
        guard pitch > 0, let buffer = unsafe dots.buffer else { return true }
        for row in 0..<(unsafe Int(dots.rows)) {
            for column in 0..<(unsafe Int(dots.width)) {
                let byte = unsafe buffer[row * pitch + column / 8]
                if byte & (0x80 >> UInt8(truncatingIfNeeded: column % 8)) != 0 {
                    glyph[left + column, top + row] = true
                }
            }
        }
        return true
    }
}
