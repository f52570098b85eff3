public import EMVKernel

/// A cardholder that takes the first application that is shown.
public struct FirstChoice: Cardholder {
    public let pinPad: (any PINPad)?

    public init(pinPad: (any PINPad)? = nil) { self.pinPad = pinPad }

    public func chooseApplication(_ candidates: [Candidate]) async -> Int? { 0 }
}
