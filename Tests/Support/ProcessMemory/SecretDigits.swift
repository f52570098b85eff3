import Glibc

/// Digits of chance, and a look through this process's memory for copies of them: as ASCII, and
/// packed two to a byte.
///
/// They and the buffer of the look are in a mapping of their own, which is passed over.
@safe
public final class SecretDigits: @unchecked Sendable {
    /// How many there are.
    public let count: Int
    /// What stands for them in a template.
    public var placeholder: [UInt8] { [UInt8](repeating: UInt8(ascii: "D"), count: count) }

    private static let size = 1 << 20
    private static let buffer = 4096
    private let region: UnsafeMutableRawPointer
    /// Where in the mapping the forms lie that are looked for.
    private let forms: [Range<Int>]

    /// - Parameter count: Of the digits, all of chance.
    public convenience init(count: Int = 13) { self.init(prefix: "", count: count, hasCheckDigit: false) }

    /// A card number of 16 digits in a range of published test cards, with a right check digit
    /// (ISO/IEC 7812-1, annex B).
    public static func cardNumber() -> SecretDigits {
        SecretDigits(prefix: "476173900", count: 16, hasCheckDigit: true)
    }

    private init(prefix: String, count: Int, hasCheckDigit: Bool) {
        self.count = count
        unsafe region = mmap(nil, Self.size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
        for (index, digit) in prefix.utf8.enumerated() {
            unsafe region.storeBytes(of: digit, toByteOffset: index, as: UInt8.self)
        }
        for index in prefix.utf8.count..<count {
            unsafe region.storeBytes(of: UInt8.random(in: 0x30...0x39), toByteOffset: index, as: UInt8.self)
        }
        // Packed from the first digit on, and from the second.
        var forms = [0..<count]
        for start in 0...1 {
            let place = forms.last?.upperBound ?? 0
            forms.append(place..<(place + (count - start) / 2))
        }
        self.forms = forms
        if hasCheckDigit {
            var sum = 0
            for index in 0..<(count - 1) {
                let value = Int(digit(index)) * ((count - index).isMultiple(of: 2) ? 2 : 1)
                sum += value / 10 + value % 10
            }
            let check = UInt8((10 - sum % 10) % 10)
            unsafe region.storeBytes(of: 0x30 + check, toByteOffset: count - 1, as: UInt8.self)
        }
        for (start, form) in forms.dropFirst().enumerated() {
            for (pair, place) in form.enumerated() {
                let byte = digit(start + 2 * pair) << 4 | digit(start + 2 * pair + 1)
                unsafe region.storeBytes(of: byte, toByteOffset: place, as: UInt8.self)
            }
        }
    }

    deinit { unsafe munmap(region, Self.size) }

    private func digit(_ index: Int) -> UInt8 { unsafe region.load(fromByteOffset: index, as: UInt8.self) & 0x0F }

    /// Calls `body` with `template` and the digits in the placeholder's stead, and wipes that.
    public func fill<Result>(_ template: [UInt8], _ body: ([UInt8]) throws -> Result) rethrows -> Result {
        var bytes = template
        if let start = template.indices.first(where: { template[$0...].starts(with: placeholder) }) {
            for index in 0..<count { bytes[start + index] = unsafe region.load(fromByteOffset: index, as: UInt8.self) }
        }
        defer { for index in bytes.indices { bytes[index] = 0 } }
        return try body(bytes)
    }

    /// Whether `bytes` end with the digits.
    public func isAtEnd(of bytes: Span<UInt8>) -> Bool {
        guard bytes.count >= count else { return false }
        return (0..<count).allSatisfy { index in
            unsafe bytes[bytes.count - count + index] == region.load(fromByteOffset: index, as: UInt8.self)
        }
    }

    /// How often they are in memory that this process may write.
    public func copies() -> Int {
        let memory = unsafe open("/proc/self/mem", O_RDONLY | O_CLOEXEC)
        defer { close(memory) }
        var found = 0
        for range in Self.mappings() where !range.contains(UInt(bitPattern: unsafe region)) {
            found += copies(in: range, memory)
        }
        return found
    }

    private func copies(in range: Range<UInt>, _ memory: CInt) -> Int {
        var found = 0
        var address = range.lowerBound
        let (window, capacity) = unsafe (region + Self.buffer, Self.size - Self.buffer)
        while address < range.upperBound {
            let requested = min(capacity, Int(range.upperBound - address))
            let count = unsafe pread(memory, window, requested, off_t(address))
            // A mapping that was given back meanwhile.
            guard count >= self.count else { break }
            for form in forms {
                var rest = 0
                let first = CInt(unsafe region.load(fromByteOffset: form.lowerBound, as: UInt8.self))
                while count - rest >= form.count,
                    let hit = unsafe memchr(window + rest, first, count - rest - form.count + 1)
                {
                    if unsafe memcmp(hit, region + form.lowerBound, form.count) == 0 { found += 1 }
                    rest = unsafe hit - UnsafeMutableRawPointer(window) + 1
                }
            }
            // One that lies across the end is found with the next window.
            address += UInt(
                count == requested && address + UInt(count) < range.upperBound ? count - self.count + 1 : count)
        }
        return found
    }

    /// proc_pid_maps(5): `first-last rw…`
    private static func mappings() -> [Range<UInt>] {
        var text: [UInt8] = []
        let file = unsafe open("/proc/self/maps", O_RDONLY | O_CLOEXEC)
        defer { close(file) }
        var part = [UInt8](repeating: 0, count: 65536)
        while true {
            let count = unsafe read(file, &part, part.count)
            guard count > 0 else { break }
            text += part.prefix(count)
        }
        return text.split(separator: 0x0A).compactMap { line in
            let fields = String(decoding: line, as: UTF8.self).split(separator: " ")
            guard fields.count > 1, fields[1].hasPrefix("rw") else { return nil }
            let bounds = fields[0].split(separator: "-").compactMap { UInt($0, radix: 16) }
            return bounds.count == 2 ? bounds[0]..<bounds[1] : nil
        }
    }
}
