import Bytes
import SeededNumbers
import TLV
import Testing

@Suite struct TLVWalkerTests {
    private func walk(_ hex: String) throws -> [TLVNode] {
        let bytes = try [UInt8](hex: hex)
        var walker = TLVWalker()
        var nodes: [TLVNode] = []
        while let node = try walker.next(in: bytes.span) { nodes.append(node) }
        return nodes
    }

    /// FCI of the Mastercard test card in Vectors/traces: 6F holds 84 and A5, A5 holds 50 and 87.
    @Test func goesThroughTemplatesInTheOrderOfTheBytes() throws {
        let nodes = try walk("6F1C8407A0000000041010A511500F505043204D43442030342020763230")
        #expect(nodes.map(\.tag) == [0x6F, 0x84, 0xA5, 0x50])
        #expect(nodes.map(\.depth) == [0, 1, 1, 2])
        #expect(nodes.map(\.value) == [2..<30, 4..<11, 13..<30, 15..<30])
    }

    @Test func readsTagsOfTwoAndThreeBytesAndLongLengths() throws {
        let value = String(repeating: "AB", count: 200)
        let nodes = try walk("9F0206000000001000" + "DF810401FF" + "9F4681C8" + value + "9F478200C8" + value)
        #expect(nodes.map(\.tag) == [0x9F02, 0xDF8104, 0x9F46, 0x9F47])
        #expect(nodes.map(\.value.count) == [6, 1, 200, 200])
    }

    /// EMV 4.4 Book 3, annex B1: bytes 00 before, between or after data objects have no meaning.
    @Test func skipsZeroBytesBetweenDataObjects() throws {
        #expect(try walk("0000 5A0112 00 7006 00 82021900 00").map(\.tag) == [0x5A, 0x70, 0x82])
    }

    @Test(arguments: [
        ("9F", TLVError.truncatedTag(offset: 0)),
        ("5A011270019F", .truncatedTag(offset: 5)),
        ("9FFFFFFF01", .tagTooLong(offset: 0)),
        ("5A", .truncatedLength(offset: 1)),
        ("5A81", .truncatedLength(offset: 1)),
        ("5A80", .unsupportedLength(offset: 1)),
        ("5A84000000011", .unsupportedLength(offset: 1)),
        ("5A0312", .valueTooLong(offset: 0, tag: 0x5A, length: 3, available: 1)),
        ("5A82FFFF12", .valueTooLong(offset: 0, tag: 0x5A, length: 65535, available: 1)),
        ("7004 5A03123456", .valueTooLong(offset: 2, tag: 0x5A, length: 3, available: 2)),
    ])
    func namesThePlaceWhereTheBytesLie(hex: String, error: TLVError) {
        #expect(throws: error) { try walk(hex.count % 2 == 0 || hex.contains(" ") ? hex : hex + "0") }
    }

    @Test func stopsAtTheLimitOfDepth() throws {
        func nested(_ levels: Int) -> [UInt8] { (0..<levels).reduce([]) { inner, _ in tlv(0xE1, inner) } }
        #expect(try walk(nested(8).hex).count == 8)
        #expect(throws: TLVError.tooDeep(offset: 16, limit: 8)) { try walk(nested(9).hex) }
    }

    @Test func canPassOverATemplate() throws {
        let bytes = try [UInt8](hex: "7003 5A0112 82021900")
        var walker = TLVWalker()
        let template = try #require(try walker.next(in: bytes.span))
        walker.skipContents(of: template)
        #expect(try walker.next(in: bytes.span)?.tag == .applicationInterchangeProfile)
        #expect(try walker.next(in: bytes.span) == nil)
    }

    @Test("For any bytes, a walk ends, and every value lies within them") func survivesRandomBytes() {
        var random = SplitMix(seed: 1)
        for _ in 0..<20_000 {
            let bytes = (0..<Int.random(in: 0...40, using: &random)).map { _ in
                UInt8.random(in: 0...255, using: &random)
            }
            var walker = TLVWalker()
            var steps = 0
            while let node = try? walker.next(in: bytes.span) {
                #expect(node.value.upperBound <= bytes.count)
                steps += 1
            }
            #expect(steps <= bytes.count)
        }
    }
}
