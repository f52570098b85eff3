public import Console

/// What `cardpresent monitor` shows: readers with their cards, the transaction in progress, and
/// events. It has only values, which the command sets.
public struct MonitorView: Sendable, Equatable {
    public struct Reader: Sendable, Equatable {
        public var name: String
        public var family: String
        /// The device file, the Bluetooth address, or `pcsc:` and its name in the PC/SC service.
        public var node: String
        /// The program that uses it.
        public var holder: String?
        /// Why it is shown without its cards.
        public var remark: String?
        public var slots: [Slot]

        public init(
            name: String, family: String, node: String, holder: String? = nil, remark: String? = nil, slots: [Slot] = []
        ) {
            self.name = name
            self.family = family
            self.node = node
            self.holder = holder
            self.remark = remark
            self.slots = slots
        }
    }

    public struct Slot: Sendable, Equatable {
        public var name: String
        public var hasCard: Bool

        public init(name: String, hasCard: Bool) {
            self.name = name
            self.hasCard = hasCard
        }
    }

    /// In the order of their arrival.
    public var readers: [Reader] = []
    /// The trace that is followed, and its last steps.
    public var transaction: (name: String, steps: [String])?
    /// The latest last.
    public private(set) var happenings: [String] = []

    private static let maximumHappenings = 200

    public init() {}

    public static func == (left: MonitorView, right: MonitorView) -> Bool {
        left.readers == right.readers && left.happenings == right.happenings
            && left.transaction?.name == right.transaction?.name
            && left.transaction?.steps == right.transaction?.steps
    }

    public mutating func tell(_ line: String) {
        happenings.append(line)
        if happenings.count > Self.maximumHappenings {
            happenings.removeFirst(happenings.count - Self.maximumHappenings)
        }
    }

    /// The screen, exactly `height` lines of `width` columns. Lines that do not fit are omitted:
    /// the last readers, and the oldest steps and events.
    public func lines(width: Int, height: Int, on console: Console) -> [String] {
        guard width > 0, height > 0 else { return [] }
        var lines: [(String, Console.Color?)] = [(title, .bold)]
        let room = height - 1
        // Of the lines below the title, the readers get half if the other parts need theirs; the
        // transaction gets two thirds of the rest.
        let others = (transaction == nil ? 0 : 2) + (happenings.isEmpty ? 0 : 2)
        lines += limited(readerLines, to: others == 0 ? room : max(room / 2, room - others - requested))
        if let transaction {
            let free = height - lines.count - (happenings.isEmpty ? 0 : 2)
            if free >= 2 {
                lines.append(("Transaction in \(transaction.name)", .bold))
                let share = happenings.isEmpty ? free - 1 : max(1, min(transaction.steps.count, (free - 1) * 2 / 3))
                lines += transaction.steps.suffix(share).map { ("  \($0)", nil) }
            }
        }
        if !happenings.isEmpty, height - lines.count >= 2 {
            lines.append(("Events", .bold))
            lines += happenings.suffix(height - lines.count).map { ("  \($0)", nil) }
        }
        lines = Array(lines.prefix(height))
        lines += [(String, Console.Color?)](repeating: ("", nil), count: height - lines.count)
        return lines.map { text, color in
            let fitted = DisplayWidth.fitted(text, width)
            return color.map { console.paint(fitted, $0) } ?? fitted
        }
    }

    private var title: String {
        "cardpresent monitor: \(readers.isEmpty ? "no" : "\(readers.count)") reader\(readers.count == 1 ? "" : "s"). Ctrl-C ends it."
    }

    /// The lines that the other parts need, without their headings.
    private var requested: Int { (transaction?.steps.count ?? 0) + happenings.count }

    private var readerLines: [(String, Console.Color?)] {
        readers.flatMap { reader -> [(String, Console.Color?)] in
            var lines: [(String, Console.Color?)] = [("\(reader.name)  \(reader.family), \(reader.node)", .cyan)]
            if let holder = reader.holder { lines.append(("  in use by \(holder)", .yellow)) }
            if let remark = reader.remark { lines.append(("  \(remark)", .yellow)) }
            lines += reader.slots.map {
                ("  \($0.name): \($0.hasCard ? "a card" : "empty")", $0.hasCard ? .green : nil)
            }
            return lines
        }
    }

    private func limited(_ lines: [(String, Console.Color?)], to count: Int) -> [(String, Console.Color?)] {
        guard lines.count > count else { return lines }
        guard count > 0 else { return [] }
        return lines.prefix(count - 1) + [("… \(lines.count - count + 1) more lines", .dim)]
    }
}
