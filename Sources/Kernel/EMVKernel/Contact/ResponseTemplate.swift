package import SmartCard
package import TLV

/// The answer to GET PROCESSING OPTIONS, INTERNAL AUTHENTICATE and GENERATE AC: format 1 (80),
/// values one after the other, or format 2 (77), data objects (EMV 4.4 Book 3, 6.5.5.4, 6.5.8.4 and
/// 6.5.9.4).
package enum ResponseTemplate {
    /// The data objects of the answer; `format1` lists the data objects of a format 1 answer.
    package static func parse(
        _ bytes: [UInt8], of instruction: Instruction, format1: ([UInt8]) throws(Termination) -> DataElements
    ) throws(Termination) -> DataElements {
        if let value = Template.contents(of: bytes, tag: .responseTemplate1) { return try format1(value) }
        guard let place = Template.place(in: bytes, tag: .responseTemplate2) else {
            throw .malformedAnswer(instruction, nil)
        }
        var elements = DataElements()
        let repeated: [Tag]
        do throws(TLVError) {
            repeated = try elements.append(parsing: bytes.span.extracting(place)) { _ in true }
        } catch {
            throw .malformedAnswer(instruction, error)
        }
        if let twice = repeated.first { throw .repeatedData(twice) }
        return elements
    }
}

package enum Template {
    /// The value of the data object `tag` if `bytes` are only that object, followed by nothing but
    /// zeros (EMV 4.4 Book 3, annex B1).
    package static func contents(of bytes: [UInt8], tag: Tag) -> [UInt8]? {
        place(in: bytes, tag: tag).map { Array(bytes[$0]) }
    }

    /// The range of ``contents(of:tag:)``.
    package static func place(in bytes: [UInt8], tag: Tag) -> Range<Int>? {
        var walker = TLVWalker()
        guard let node = try? walker.next(in: bytes.span), node.tag == tag, node.start == 0,
            bytes[node.value.upperBound...].allSatisfy({ $0 == 0 })
        else { return nil }
        return node.value
    }

    /// Visits all data objects within the single template `tag` that `bytes` consist of, ignoring
    /// padding around it.
    /// - Parameters:
    ///   - ignoringRest: Whether well-formed data objects after the template are skipped.
    ///   - body: Receives the tags of the templates between `tag` and the data object, outermost
    ///     first, and the data object.
    /// - Returns: False if `bytes` are not well formed, or not that single template.
    package static func visit(
        _ bytes: [UInt8], tag: Tag, ignoringRest: Bool = false, _ body: ([Tag], TLVNode) -> Void
    ) -> Bool {
        var walker = TLVWalker()
        var path: [Tag] = []
        path.reserveCapacity(TLVWalker.maximumDepth)
        var count = 0
        do throws(TLVError) {
            while let node = try walker.next(in: bytes.span) {
                if node.depth == 0 {
                    count += 1
                    guard count == 1 ? node.tag == tag : ignoringRest else { return false }
                    continue
                }
                guard count == 1 else { continue }
                if path.count >= node.depth { path.removeLast(path.count - node.depth + 1) }
                body(path, node)
                if node.tag.isConstructed { path.append(node.tag) }
            }
        } catch {
            return false
        }
        return count > 0
    }
}
