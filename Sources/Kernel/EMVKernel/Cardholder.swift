/// The person with the card: everything that the kernel asks them.
public protocol Cardholder: Sendable {
    /// Nil if the terminal has no PIN pad, or if the PIN pad does not work.
    var pinPad: (any PINPad)? { get }

    /// Asks which of `candidates`, highest priority first, to use. A single candidate is to be
    /// confirmed.
    /// - Returns: An index of `candidates`, or nil to end the transaction.
    func chooseApplication(_ candidates: [Candidate]) async -> Int?

    /// Asks which of the terminal's `languages`, the local one first, to use. The kernel asks only
    /// if no language that the card prefers is among them (EMV 4.4 Book 4, 11.1).
    /// - Returns: Nil (the default) if the terminal cannot ask; the local language is then used.
    func chooseLanguage(_ languages: [Language]) async -> Language?

    /// From now on, screen and PIN pad show every message in `language`.
    ///
    /// Called only for a terminal with several languages: once before GET PROCESSING OPTIONS, and
    /// also earlier if the card reports its preference before the application is selected. The
    /// default does nothing.
    func use(_ language: Language) async
}

extension Cardholder {
    public func chooseLanguage(_ languages: [Language]) async -> Language? { nil }
    public func use(_ language: Language) async {}
}
