import Bytes

extension SecretBytes {
    /// Track 2 of a stripe as text, without sentinels, from the packed form that a card in the
    /// field returns in mag-stripe mode (tags `57` and `9F6B`).
    init(track2 packed: [UInt8]) {
        var characters: [UInt8] = []
        characters.reserveCapacity(2 * packed.count)
        defer { Bytes.wipe(&characters) }
        for byte in packed {
            for digit in [byte >> 4, byte & 0x0F] {
                characters.append(digit == 0x0D ? UInt8(ascii: "=") : digit | 0x30)
            }
        }
        if characters.last == 0x3F { characters.removeLast() }
        self.init(characters)
    }
}
