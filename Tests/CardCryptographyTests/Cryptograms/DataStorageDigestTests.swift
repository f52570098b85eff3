import Bytes
import CardCryptography
import PeerPrograms
import Testing

@Suite("DS digest H of integrated data storage") struct DataStorageDigestTests {
    @Test("Both functions agree with an independent computation") func peer() throws {
        let lines = try PeerProgram.python(file: "owhf2.py", ["7", "40"]).split(separator: "\n")
        #expect(lines.count == 40)
        for line in lines {
            let fields = line.split(separator: " ").map(String.init)
            let digest: DataStorageDigest = fields[0] == "1" ? .version1 : .version2
            let result = try digest.compute(
                input: hex(fields[3]), identifier: hex(fields[1]), operatorIdentifier: hex(fields[2]))
            #expect(result == (try hex(fields[4])), "\(line)")
        }
    }

    /// The operator's first four bytes are only in the data, the others in the key, too.
    @Test("Each byte of input, card and operator counts", arguments: [DataStorageDigest.version1, .version2])
    func everyByte(_ digest: DataStorageDigest) throws {
        let fields = [try hex("0011223344556677"), try hex("5413330089600119"), try hex("7A45123EE59C7F40")]
        func result(_ fields: [[UInt8]]) throws -> [UInt8] {
            try digest.compute(input: fields[0], identifier: fields[1], operatorIdentifier: fields[2])
        }
        let original = try result(fields)
        for field in fields.indices {
            for index in fields[field].indices {
                var changed = fields
                changed[field][index] ^= 0x02
                #expect(try result(changed) != original, "byte \(index) of field \(field)")
            }
        }
    }

    @Test("Fields of other lengths are refused") func lengths() throws {
        let (eight, seven) = ([UInt8](repeating: 1, count: 8), [UInt8](repeating: 1, count: 7))
        for digest in [DataStorageDigest.version1, .version2] {
            #expect(throws: CryptogramError.self) {
                try digest.compute(input: seven, identifier: eight, operatorIdentifier: eight)
            }
            #expect(throws: CryptogramError.self) {
                try digest.compute(input: eight, identifier: seven, operatorIdentifier: eight)
            }
            #expect(throws: CryptogramError.self) {
                try digest.compute(input: eight, identifier: eight, operatorIdentifier: seven)
            }
            #expect(throws: CryptogramError.self) {
                try digest.compute(input: eight, identifier: .init(repeating: 1, count: 12), operatorIdentifier: eight)
            }
        }
    }
}
