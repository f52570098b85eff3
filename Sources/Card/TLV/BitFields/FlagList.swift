/// The named bits of a field without a type of its own, byte by byte from bit 8 on; nil for a bit
/// that is part of a number or reserved.
struct FlagList {
    let bytes: [[String?]]

    /// The names of the bits that are set in `value`.
    func meanings(_ value: some Collection<UInt8>) -> [String] {
        zip(value, bytes).flatMap { byte, names in
            names.enumerated().compactMap { index, name in byte & 0x80 >> index == 0 ? nil : name }
        }
    }
}

/// The coding of the cryptograms in card verification results, in bits 8 to 5 of a byte: two bits
/// for the second GENERATE AC, two for the first.
enum CryptogramsOfResults {
    static func meanings(_ byte: UInt8) -> [String] {
        let second = ["Second GENERATE AC returned AAC", "Second GENERATE AC returned TC", "Second GENERATE AC not requested"]
        let first = ["First GENERATE AC returned AAC", "First GENERATE AC returned TC", "First GENERATE AC returned ARQC"]
        func word(_ names: [String], _ index: UInt8) -> String { index < 3 ? names[Int(index)] : "reserved cryptogram type" }
        return [word(second, byte >> 6), word(first, byte >> 4 & 0x03)]
    }
}
