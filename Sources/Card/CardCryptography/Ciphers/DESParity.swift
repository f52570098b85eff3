/// Sets the last bit of each byte for an odd number of ones, as in DES keys (NIST SP 800-67, 3.2).
func setOddParity(_ key: inout [UInt8]) {
    for index in key.indices {
        let bits = key[index] & 0xFE
        key[index] = bits | UInt8(truncatingIfNeeded: 1 - bits.nonzeroBitCount % 2)
    }
}
