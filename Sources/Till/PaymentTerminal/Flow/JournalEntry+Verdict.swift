/// What an entry has of a verdict.
extension JournalEntry {
    /// Stores the outcome, and the pending message to the host.
    mutating func conclude(_ verdict: PaymentVerdict, _ response: PaymentResponse, _ answer: AuthorizationResponse?) {
        self.response = response
        due = verdict.due.flatMap { Due($0) }
        stage = due == nil ? .finished : .owing
        // If the host refuses to reverse, its authorisation remains valid.
        self.answer = if case .reversal = due { answer } else { nil }
    }
}

extension JournalEntry.Due {
    /// Nil for a payment that cannot be stored.
    init?(_ due: PaymentVerdict.Due) {
        switch due {
        case .confirmation(let chipData): self = .confirmation(chipData: chipData)
        case .reversal(let reason): self = .reversal(reason)
        case .reversalIfOurs(let reason): self = .reversalIfOurs(reason)
        case .advice(let request):
            guard let payment = StoredPayment(request) else { return nil }
            self = .advice(payment)
        case .declineAdvice(let request):
            guard let payment = StoredPayment(request) else { return nil }
            self = .declineAdvice(payment)
        case .authorization(let request):
            guard let payment = StoredPayment(request) else { return nil }
            self = .authorization(payment)
        }
    }
}
