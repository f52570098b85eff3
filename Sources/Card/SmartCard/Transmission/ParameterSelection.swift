/// Protocol and parameters selection, the exchange by which a reader and a card agree on a protocol
/// and a rate (ISO/IEC 7816-3:2006, 9).
public enum ParameterSelection {
    /// PPSS, PPS0, PPS1 and the check byte.
    public static func request(_ spoken: CardParameters.TransmissionProtocol, _ rate: BitRate) -> [UInt8] {
        let body: [UInt8] = [0xFF, 0x10 | spoken.rawValue, rate.code]
        return body + [body.reduce(0, ^)]
    }

    /// The rate that the card agrees to: the requested one, or the initial one if the answer has no
    /// PPS1; nil if the answer does not match the request.
    public static func agreed(_ answer: [UInt8], spoken: CardParameters.TransmissionProtocol, rate: BitRate) -> BitRate?
    {
        guard (3...6).contains(answer.count), answer[0] == 0xFF, answer.reduce(0, ^) == 0,
            answer[1] & 0x0F == spoken.rawValue
        else {
            return nil
        }
        guard answer[1] & 0x10 != 0 else { return answer.count == 3 ? .initial : nil }
        return answer.count == 4 && answer[1] & 0x60 == 0 && answer[2] == rate.code ? rate : nil
    }
}
