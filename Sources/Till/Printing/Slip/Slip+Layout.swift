public import PaymentTerminal

extension Slip {
    /// What a merchant adds to a receipt.
    public struct Additions: Sendable, Equatable {
        /// Below the merchant's name: the place, the merchant's number. Centred.
        public var header: [String]
        /// Below all else. Centred.
        public var footer: [String]
        /// The text of a QR code above the footer; nil for none.
        public var qr: String?
        /// Whether the slip says that it was printed before.
        public var isReprint: Bool

        public init(header: [String] = [], footer: [String] = [], qr: String? = nil, isReprint: Bool = false) {
            self.header = header
            self.footer = footer
            self.qr = qr
            self.isReprint = isReprint
        }
    }

    /// The receipt laid out for a printer of that many columns, at least 16.
    ///
    /// It has what ``PaymentTerminal/Receipt/lines(for:)`` has: the lines that EMV and the card
    /// schemes require, and no card data that must not be on paper.
    public init(_ receipt: Receipt, for copy: Receipt.Copy, columns: Int, additions: Additions = Additions()) {
        self.init(receipt.lines(for: copy), columns: columns, additions: additions)
    }

    /// The same for lines by their meaning.
    public init(_ lines: [Receipt.Line], columns: Int, additions: Additions = Additions()) {
        let layout = SlipLayout(columns: max(columns, 16), amountColumn: Self.amountColumn(lines))
        var items: [Item] = []
        var header = additions.header[...]
        for line in lines {
            items += layout.items(line)
            if case .merchant = line {
                items += header.flatMap { layout.centred($0) }
                header = []
            }
        }
        items = header.flatMap { layout.centred($0) } + items
        if additions.isReprint { items += layout.gap + layout.centred("REPRINT", .bold) }
        if let qr = additions.qr { items += layout.gap + [.qr(Array(qr.utf8))] }
        if !additions.footer.isEmpty { items += layout.gap + additions.footer.flatMap { layout.centred($0) } }
        self.init(columns: layout.columns, items: items)
    }

    /// The columns of the widest amount.
    private static func amountColumn(_ lines: [Receipt.Line]) -> Int {
        lines.reduce(0) { widest, line in
            switch line {
            case .sum(_, let money), .amount(let money): max(widest, money.description.count)
            default: widest
            }
        }
    }
}
