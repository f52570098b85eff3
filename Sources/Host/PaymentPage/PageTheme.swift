/// How a payment page looks, as the checkout's SDK has it (`ThemeManager`).
public struct PageTheme: Sendable, Equatable {
    public var isDark = false
    /// In the bar at the top; empty for the merchant's name.
    public var merchantText = ""
    public var fontFamily: PageFont = .roboto
    /// Its background is white or black, whichever contrasts more.
    public var toolbarTextColor: PageColor = .white
    /// As ``toolbarTextColor``.
    public var buttonTextColor: PageColor = .white

    public init() {}
}

/// The font families of the checkout's SDK (`ICFontFamily`), as it spells them. The page serves no
/// font: the customer's system has the family, or what stands for it.
public enum PageFont: String, Sendable, Hashable, CaseIterable {
    case caros
    case lato
    case montserrat = "montseratt"
    case opensans
    case raleway
    case roboto
    case robotoSlab
    case sfProDisplay

    /// The families in the order in which a browser looks for them. Caros and SF Pro Display are
    /// their makers' own: Lato and Inter stand for them.
    var css: String {
        switch self {
        case .caros: "\"Caros\", \"Lato\", system-ui, sans-serif"
        case .lato: "\"Lato\", system-ui, sans-serif"
        case .montserrat: "\"Montserrat\", system-ui, sans-serif"
        case .opensans: "\"Open Sans\", system-ui, sans-serif"
        case .raleway: "\"Raleway\", system-ui, sans-serif"
        case .roboto: "\"Roboto\", system-ui, sans-serif"
        case .robotoSlab: "\"Roboto Slab\", ui-serif, serif"
        case .sfProDisplay: "\"SF Pro Display\", \"Inter\", system-ui, sans-serif"
        }
    }
}
