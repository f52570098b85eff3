/// The person with the card, as far as the kernel asks anything of them.
public protocol Cardholder: Sendable {
    /// Nil if the terminal has none, or if it does not work.
    var pinPad: (any PINPad)? { get }

    /// Asks which of `candidates`, highest priority first, to use. One candidate alone is to be confirmed.
    /// - Returns: An index of `candidates`, or nil to end the transaction.
    func chooseApplication(_ candidates: [Candidate]) async -> Int?
}
