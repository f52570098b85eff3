import Bytes
public import SmartCard

/// An answer to reset as text (ISO/IEC 7816-3, 8.2).
public enum AnswerToResetDescription {
    public static func lines(_ answer: AnswerToReset) -> [String] {
        var lines = ["convention: \(answer.convention == .direct ? "direct (3B)" : "inverse (3F)")"]
        lines.append("protocols: \(answer.protocols.map { "T=\($0)" }.joined(separator: ", "))\(mode(answer))")
        for (index, group) in answer.interfaceBytes.enumerated() {
            let bytes = [("TA", group.ta), ("TB", group.tb), ("TC", group.tc), ("TD", group.td)]
            let named = bytes.compactMap { name, byte in byte.map { "\(name)\(index + 1) \($0.hex)" } }
            if !named.isEmpty { lines.append("interface bytes: \(named.joined(separator: ", "))") }
        }
        if let parameters = CardParameters(answer) {
            let rate = parameters.rate
            lines.append("a bit lasts \(rate.clockRateConversion)/\(rate.adjustment) clock cycles")
        }
        lines.append(
            "historical bytes: \(answer.historicalBytes.isEmpty ? "none" : historical(answer.historicalBytes))")
        return lines + acceptance(answer)
    }

    private static func mode(_ answer: AnswerToReset) -> String {
        answer.specificProtocol.map { "; specific mode, T=\($0)" } ?? "; negotiable mode"
    }

    private static func historical(_ bytes: [UInt8]) -> String {
        let text = String(decoding: bytes.map { (0x20...0x7E).contains($0) ? $0 : UInt8(ascii: ".") }, as: UTF8.self)
        return "\(bytes.hex) \"\(text)\""
    }

    private static func acceptance(_ answer: AnswerToReset) -> [String] {
        do throws(AnswerToResetError) {
            _ = try answer.emvParameters(after: .cold)
            return ["EMV accepts it after a cold reset"]
        } catch {
            return ["\(error)"]
        }
    }
}
