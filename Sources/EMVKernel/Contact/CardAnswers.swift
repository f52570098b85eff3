import SmartCard
import TLV

/// FCI of a selected file: template 6F with the DF name and a proprietary template (EMV 4.4 Book 1, 11.3.4).
struct FileControlInformation {
    /// Tag `84`.
    let name: [UInt8]
    /// Every primitive data object in it.
    let data: DataElements

    /// Nil if the bytes are no such template, or lack the name or the proprietary template.
    init?(_ bytes: [UInt8]) {
        guard let contents = Template.contents(of: bytes, tag: .fciTemplate) else { return nil }
        var walker = TLVWalker()
        var hasProprietaryTemplate = false
        do {
            while let node = try walker.next(in: contents.span) {
                if node.depth == 0 && node.tag == .fciProprietaryTemplate { hasProprietaryTemplate = true }
            }
            data = try DataElements(parsing: contents)
        } catch {
            return nil
        }
        guard hasProprietaryTemplate, let name = data[.dfName], (5...16).contains(name.count) else { return nil }
        self.name = name
    }
}

/// A record of the payment system directory: template 70 with one application template 61 for each entry (EMV 4.4 Book 1, 12.2.3).
enum DirectoryRecord {
    static func entries(_ bytes: [UInt8]) -> [DataElements]? {
        guard let contents = Template.contents(of: bytes, tag: .recordTemplate) else { return nil }
        var walker = TLVWalker()
        var entries: [DataElements] = []
        do {
            while let node = try walker.next(in: contents.span) {
                guard node.depth == 0, node.tag == .applicationTemplate else { continue }
                entries.append(try DataElements(parsing: Array(contents[node.value])))
            }
        } catch {
            return nil
        }
        return entries
    }
}

/// The answer to GET PROCESSING OPTIONS, INTERNAL AUTHENTICATE and GENERATE AC: format 1 (80), values one after the other, or format 2 (77),
/// data objects (EMV 4.4 Book 3, 6.5.8.4).
enum ResponseTemplate {
    /// The data objects of the answer; `format1` tells those of a format 1 apart.
    static func parse(
        _ bytes: [UInt8], of instruction: Instruction, format1: ([UInt8]) throws(Termination) -> DataElements
    ) throws(Termination) -> DataElements {
        if let value = Template.contents(of: bytes, tag: .responseTemplate1) { return try format1(value) }
        guard let contents = Template.contents(of: bytes, tag: .responseTemplate2) else { throw .malformedAnswer(instruction, nil) }
        var elements = DataElements()
        do {
            if let twice = try elements.append(parsing: contents).first { throw Termination.repeatedData(twice) }
        } catch let error as TLVError {
            throw .malformedAnswer(instruction, error)
        } catch let error as Termination {
            throw error
        } catch {
            throw .malformedAnswer(instruction, nil)
        }
        return elements
    }
}

enum Template {
    /// The value of the data object `tag` if `bytes` are that one object and nothing else.
    static func contents(of bytes: [UInt8], tag: Tag) -> [UInt8]? {
        var walker = TLVWalker()
        guard let node = try? walker.next(in: bytes.span), node.tag == tag, node.value.upperBound == bytes.count, node.start == 0 else {
            return nil
        }
        return Array(bytes[node.value])
    }
}
