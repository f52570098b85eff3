import CReference
import TLV

/// Walking and indexing what a card sends in a transaction, against a C walker over the same bytes.
enum TLVBenchmark {
    static func run() async -> [Comparison] {
        let corpus = makeCorpus()
        let expected = corpus.withUnsafeBufferPointer { reference_tlv_walk($0.baseAddress, $0.count, 0) }
        var walking = Comparison(
            "TLV: walk \(corpus.count) bytes, \(expected) data objects", against: "a C walker, `-O2`", limit: 1.9)
        var seen = 0
        var counted = 0
        await walking.measure(times: 2000) {
            seen += (try? count(corpus.span)) ?? 0
        } reference: {
            counted += corpus.withUnsafeBufferPointer { reference_tlv_walk($0.baseAddress, $0.count, 0) }
        }
        precondition(seen == counted, "both walk the same data objects")

        var indexing = Comparison("TLV: index the same by tag", against: "the same walker", limit: 4.8)
        var indexed = 0
        await indexing.measure(times: 2000) {
            indexed += (try? DataElements(parsing: corpus))?.count ?? 0
        } reference: {
            counted += corpus.withUnsafeBufferPointer { reference_tlv_walk($0.baseAddress, $0.count, 0) }
        }
        precondition(indexed > 0)
        return [walking, indexing]
    }

    @inline(never)
    private static func count(_ bytes: Span<UInt8>) throws(TLVError) -> Int {
        var walker = TLVWalker()
        var count = 0
        while try walker.next(in: bytes) != nil { count += 1 }
        return count
    }

    /// Records as a card with SDA and CDA has them: 50 data objects, about 900 bytes.
    private static func makeCorpus() -> [UInt8] {
        func bytes(_ count: Int) -> [UInt8] { (0..<count).map { UInt8(truncatingIfNeeded: $0 * 37 + 1) } }
        func record(_ contents: [(Tag, Int)]) -> [UInt8] {
            tlv(.recordTemplate) { builder in for (tag, count) in contents { builder.append(tag, bytes(count)) } }
        }
        return record([(0x57, 17), (0x5F20, 15), (0x9F1F, 16), (0x5F30, 2), (0x9F05, 8)])
            + record([
                (0x5A, 8), (0x5F24, 3), (0x5F25, 3), (0x5F28, 2), (0x5F34, 1), (0x8C, 33), (0x8D, 12), (0x8E, 12),
                (0x9F07, 2), (0x9F08, 2),
                (0x9F0D, 5), (0x9F0E, 5), (0x9F0F, 5), (0x9F42, 2), (0x9F44, 1), (0x9F4A, 1),
            ]) + record([(0x90, 176)]) + record([(0x8F, 1), (0x9F32, 1), (0x92, 36), (0x9F47, 1), (0x9F48, 42)])
            + record([(0x9F46, 144)]) + record([(0x93, 144)])
            + record([
                (0x9F49, 3), (0x9F14, 1), (0x9F23, 1), (0x9F13, 2), (0x9F36, 2), (0x9F17, 1), (0x9F4F, 20),
                (0x5F50, 10), (0x9F0B, 27),
                (0x5F2D, 4), (0x9F11, 1), (0x9F12, 10),
            ])
    }
}
