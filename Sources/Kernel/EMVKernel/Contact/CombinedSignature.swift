package import TLV

/// The part of its answer that a card signs with CDA (EMV 4.4 Book 2, 6.6.1).
public enum CombinedSignature {
    /// The data objects of an answer to GENERATE AC in their order, with tags and lengths, without
    /// the signature.
    public static func signedPart(of response: [UInt8]) -> [UInt8] {
        objects(of: response, without: [.signedDynamicApplicationData])
    }

    /// The same without any of `tags`.
    package static func objects(of response: [UInt8], without tags: [Tag]) -> [UInt8] {
        guard let contents = Template.contents(of: response, tag: .responseTemplate2) else { return [] }
        var part: [UInt8] = []
        var walker = TLVWalker()
        while let node = try? walker.next(in: contents.span) {
            guard node.depth == 0 else { continue }
            walker.skipContents(of: node)
            if !tags.contains(node.tag) { part += contents[node.start..<node.value.upperBound] }
        }
        return part
    }
}
