/// The layout that a keyboard wedge is configured for: it presses the keys that type its characters
/// on a computer with this layout.
public enum KeyboardLayout: String, Sendable, CaseIterable {
    /// United States; the default of readers.
    case american = "us"
    /// United Kingdom.
    case british = "gb"
    /// Germany; the accents of its dead keys are taken into account.
    case german = "de"
    /// France; digits are typed with shift.
    case french = "fr"

    /// Keys with consecutive codes (linux/input-event-codes.h), beginning with the first: their
    /// characters alone, with shift, and with AltGr. Characters outside ASCII are not used.
    typealias Row = (first: UInt16, plain: String, shifted: String, alternate: String)

    /// The rows of letters and digits, and the key beside the left shift, after xkeyboard-config's
    /// symbols.
    var rows: [Row] {
        switch self {
        case .american:
            [
                (2, "1234567890-=", "!@#$%^&*()_+", ""), (16, "qwertyuiop[]", "QWERTYUIOP{}", ""),
                (30, "asdfghjkl;'`", "ASDFGHJKL:\"~", ""), (43, "\\zxcvbnm,./", "|ZXCVBNM<>?", ""),
            ]
        case .british:
            [
                (2, "1234567890-=", "!\"£$%^&*()_+", ""), (16, "qwertyuiop[]", "QWERTYUIOP{}", ""),
                (30, "asdfghjkl;'`", "ASDFGHJKL:@¬", ""), (43, "#zxcvbnm,./", "~ZXCVBNM<>?", ""), (86, "\\", "|", ""),
            ]
        case .german:
            [
                (2, "1234567890ß´", "!\"§$%&/()=?`", "¹²³¼½¬{[]}\\¸"),
                (16, "qwertzuiopü+", "QWERTZUIOPÜ*", "@ł€¶ŧ←↓→øþ¨~"),
                (30, "asdfghjklöä^", "ASDFGHJKLÖÄ°", ""), (43, "#yxcvbnm,.-", "'YXCVBNM;:_", ""), (86, "<", ">", "|"),
            ]
        case .french:
            [
                (2, "&é\"'(-è_çà)=", "1234567890°+", "¹~#{[|`\\^@]}"), (16, "azertyuiop^$", "AZERTYUIOP¨£", ""),
                (30, "qsdfghjklmù²", "QSDFGHJKLM%~", ""), (43, "*wxcvbn,;:!", "µWXCVBN?./§", ""), (86, "<", ">", ""),
            ]
        }
    }

    /// The dead key: its accent is typed with the next key, or alone with the space bar.
    var deadKey: UInt16? {
        switch self {
        case .american, .british: nil
        case .german: 41
        case .french: 26
        }
    }

    /// The numeric keypad and the space bar are the same in all layouts.
    static let commonRows: [Row] = [
        (55, "*", "*", ""), (57, " ", " ", ""), (71, "789-456+1230.", "789-456+1230.", ""), (98, "/", "/", ""),
    ]
}
