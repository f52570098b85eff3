extension CodeTable {
    /// ISO/IEC 8859-2: Latin 2, Central European; a row is sixteen characters, from `A0` on.
    private static let latin2Characters = Array(
        ("\u{A0}Ą˘Ł¤ĽŚ§¨ŠŞŤŹ\u{AD}ŽŻ"
            + "°ą˛ł´ľśˇ¸šşťź˝žż"
            + "ŔÁÂĂÄĹĆÇČÉĘËĚÍÎĎ"
            + "ĐŃŇÓÔŐÖ×ŘŮÚŰÜÝŢß"
            + "ŕáâăäĺćçčéęëěíîď"
            + "đńňóôőö÷řůúűüýţ˙").unicodeScalars)

    static func latin2(_ byte: UInt8) -> Unicode.Scalar? { entry(byte, of: latin2Characters) }
}
