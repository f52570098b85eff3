/// What a model of printer is capable of, as its data file says.
///
/// Maker and model are what the user chooses, not what a USB id says: one id serves several models.
public struct PrinterProfile: Sendable, Equatable {
    /// The commands that a printer understands.
    public enum Language: String, Sendable, CaseIterable {
        /// Epson's ESC/POS and what other makers made of it.
        case escPOS = "escpos"
        /// Star Line Mode.
        case starLine = "star-line"
        /// StarPRNT.
        case starPRNT = "star-prnt"
        /// Star's raster mode only: every slip is a picture.
        case starRaster = "star-raster"
    }

    /// A font of the printer.
    public struct Font: Sendable, Equatable {
        /// A, B or C.
        public let name: String
        /// How many characters a line has.
        public let columns: Int
    }

    /// A code table by the number that selects it.
    public struct NumberedTable: Sendable, Equatable {
        public let table: CodeTable
        public let number: UInt8
    }

    public enum Cut: String, Sendable, CaseIterable {
        /// The paper is torn off by hand.
        case none
        case partial
        case full
    }

    public enum QR: String, Sendable, CaseIterable {
        /// The printer draws the code.
        case native
        /// The code is sent as a picture: a printer without the command would print its bytes as
        /// text.
        case raster
    }

    /// Whether the printer says how it is.
    public enum StatusReports: String, Sendable, CaseIterable {
        /// A printer that is silent is a fault.
        case answers
        /// It never says anything.
        case oneWay = "one-way"
        /// Some of the family answer: silence is not a fault, and says nothing.
        case unknown
    }

    /// By which users choose it: `epson-tm-m30iii`.
    public let id: String
    public let maker: String
    public let name: String
    public let language: Language
    /// The printable width in dots, 96 to 1024, a multiple of 8.
    public let dots: Int
    /// At least one; the first is that of slips unless another is chosen.
    public let fonts: [Font]
    /// In the order of preference; ASCII is in all of them.
    public let codeTables: [NumberedTable]
    public let cut: Cut
    /// Whether there is a socket for a drawer.
    public let hasDrawer: Bool
    public let qr: QR
    /// Whether the printer says when it has printed all data before a marker (Epson `GS ( H`,
    /// Star's document counter).
    public let marksEnd: Bool
    public let status: StatusReports
    /// Where the data come from.
    public let source: String
}

extension PrinterProfile: CustomStringConvertible {
    public var description: String { "\(id) (\(maker) \(name))" }
}
