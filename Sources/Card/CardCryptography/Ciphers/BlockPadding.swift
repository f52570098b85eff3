/// How data are padded to whole blocks before a MAC is computed (ISO/IEC 9797-1, 6.3).
public enum BlockPadding: Sendable, Equatable {
    /// Padding method 1: zeros; nothing if the data already ends on a block.
    case zeros
    /// Padding method 2: one byte 80, then zeros (EMV 4.4 Book 2, A1.2).
    case method2

    func pad(_ data: [UInt8], blockSize: Int) -> [UInt8] {
        var padded = data
        if self == .method2 { padded.append(0x80) }
        let excess = padded.count % blockSize
        if excess != 0 || padded.isEmpty { padded.append(contentsOf: repeatElement(0, count: blockSize - excess)) }
        return padded
    }

    /// The data without the padding of method 2; nil without such padding.
    static func removeMethod2(_ padded: [UInt8]) -> [UInt8]? {
        guard let last = padded.lastIndex(where: { $0 != 0 }), padded[last] == 0x80 else { return nil }
        return Array(padded[..<last])
    }
}
