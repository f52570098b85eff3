private import Bytes

/// Finds card numbers in a sequence of characters.
struct CardNumberRanges {
    /// Numbers that stand alone, or in groups as printed on cards.
    let alone: [Range<Int>]
    /// Also numbers that are recognised only because a payment system issues such numbers.
    let all: [Range<Int>]
    private let issuedAlone: [Range<Int>]

    /// A run of digits.
    private struct Group {
        let range: Range<Int>
        let digits: [UInt8]
        /// The number of separators before it; nil if there are other characters or too many
        /// separators.
        let gap: Int?
        /// Whether what is before it is more often something else than a part of a number: weak
        /// separators, or many.
        let isWeak: Bool
    }

    /// The maximum number of consecutive separators between two groups of a number.
    private static let widestGap = 3
    /// The same between groups of one length.
    private static let widestWeakGap = 16

    init(_ symbols: [CardNumberSymbol]) {
        let groups = Self.groups(symbols)
        var alone: [Range<Int>] = []
        var all: [Range<Int>] = []
        var issuedAlone: [Range<Int>] = []
        var first = 0
        while first < groups.count {
            if let (last, isAlone) = Self.number(groups, from: first) {
                let range = groups[first].range.lowerBound..<groups[last].range.upperBound
                all.append(range)
                if isAlone {
                    alone.append(range)
                    if PaymentNumbering.issues(groups[first...last].flatMap(\.digits)) { issuedAlone.append(range) }
                }
                first = last + 1
            } else {
                all += Self.within(groups[first])
                first += 1
            }
        }
        (self.alone, self.all, self.issuedAlone) = (alone, all, issuedAlone)
    }

    /// Whether `range` stands alone and a payment system issues such numbers.
    func isIssuedAlone(_ range: Range<Int>) -> Bool { issuedAlone.contains(range) }

    /// Whether a payment system issues the number in `range`.
    func isIssued(_ range: Range<Int>) -> Bool { isIssuedAlone(range) || !alone.contains(range) }

    private static func groups(_ symbols: [CardNumberSymbol]) -> [Group] {
        var groups: [Group] = []
        var at = 0
        var gap: Int?
        var isWeak = false
        while at < symbols.count {
            switch symbols[at] {
            case .digit:
                let digits = symbols[at...].prefix { $0.asciiDigit != nil }
                groups.append(
                    Group(
                        range: at..<digits.endIndex, digits: digits.compactMap(\.asciiDigit), gap: gap, isWeak: isWeak))
                at = digits.endIndex
                (gap, isWeak) = (0, false)
            case .separator, .weakSeparator:
                gap = gap.flatMap { $0 < widestWeakGap ? $0 + 1 : nil }
                if case .weakSeparator = symbols[at] { isWeak = true }
                if let gap, gap > widestGap { isWeak = true }
                at += 1
            case .other:
                gap = nil
                at += 1
            }
        }
        return groups
    }

    /// The number that begins with the group `first`: its last group, and whether it stands alone.
    private static func number(_ groups: [Group], from first: Int) -> (last: Int, isAlone: Bool)? {
        var digits: [UInt8] = []
        for last in first..<groups.count {
            if last > first, groups[last].gap == nil { return nil }
            digits += groups[last].digits
            guard digits.count <= 19 else { return nil }
            guard digits.count >= 12, digits[0] != 0x30, Luhn.isValid(digits) else { continue }
            if groups[first...last].dropFirst().contains(where: \.isWeak) {
                guard haveOneLength(groups[first...last]), PaymentNumbering.issues(digits) else { continue }
                return (last, false)
            }
            if last == first || isOnCards(groups[first...last]) { return (last, true) }
            if PaymentNumbering.issues(digits) { return (last, false) }
        }
        return nil
    }

    /// Groups as printed on cards: of four digits, where the last may be shorter, or 4-6-5 and
    /// 4-6-4, with one character between them. Other groups are more often dates and order numbers
    /// than card numbers.
    private static func isOnCards(_ groups: ArraySlice<Group>) -> Bool {
        let counts = groups.map(\.digits.count)
        return groups.dropFirst().allSatisfy { $0.gap == 1 }
            && (counts == [4, 6, 5] || counts == [4, 6, 4]
                || counts.dropLast().allSatisfy { $0 == 4 } && (1...4).contains(counts.last ?? 0))
    }

    /// Groups of one length, of which the last may be shorter, or those of a card. Dates and times
    /// have other groups, and the addresses of devices have twelve digits.
    private static func haveOneLength(_ groups: ArraySlice<Group>) -> Bool {
        let counts = groups.map(\.digits.count)
        guard counts.reduce(0, +) > 12, let first = counts.first, let last = counts.last else { return false }
        return counts.dropLast().allSatisfy { $0 == first } && last <= first || counts == [4, 6, 5]
            || counts == [4, 6, 4]
    }

    /// Card numbers within a run of digits that is not one itself.
    private static func within(_ group: Group) -> [Range<Int>] {
        var found: [Range<Int>] = []
        var at = 0
        while at + 12 <= group.digits.count {
            let length = PaymentNumbering.lengths.first { length in
                at + length <= group.digits.count && PaymentNumbering.issues(group.digits[at..<(at + length)])
                    && Luhn.isValid(group.digits[at..<(at + length)])
            }
            guard let length else {
                at += 1
                continue
            }
            let start = group.range.lowerBound + at
            found.append(start..<(start + length))
            at += length
        }
        return found
    }
}

/// The prefixes and lengths of payment card numbers, as published by the payment systems.
private enum PaymentNumbering {
    /// The lengths of card numbers, the most common first.
    static let lengths = [16, 15, 19, 18, 17, 14, 13, 12]

    /// Whether a payment system issues numbers with the prefix and the length of the ASCII
    /// `digits`.
    static func issues(_ digits: some BidirectionalCollection<UInt8>) -> Bool {
        let prefix = digits.prefix(4).reduce(0) { $0 * 10 + Int($1 & 0x0F) }
        let count = digits.count
        switch prefix {
        case 2200...2204: return (16...19).contains(count)  // Mir
        case 2221...2720, 5100...5599: return count == 16  // Mastercard
        case 3000...3059, 3095...3099, 3600...3699, 3800...3999: return (14...19).contains(count)  // Diners Club
        case 3400...3499, 3700...3799: return count == 15  // American Express
        case 3528...3589: return (16...19).contains(count)  // JCB
        case 4000...4999: return [13, 16, 18, 19].contains(count)  // Visa
        case 5000...5099, 5600...5899, 6300...6399, 6700...6799: return (12...19).contains(count)  // Maestro
        // Discover, UnionPay, RuPay
        case 6000...6299, 6400...6699, 6800...6999, 8100...8171: return (16...19).contains(count)
        case 9792: return count == 16  // Troy
        default: return false
        }
    }
}
