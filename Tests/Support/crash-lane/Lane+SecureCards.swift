import BenchHost
import PaymentTerminal

/// Scenarios that change a secure card.
extension Lane {
    private static let email = "jane@example.org"

    /// Performs the scenario, and returns the terminal's answer.
    func changeSecureCard() async throws -> String {
        if scenario != .registerSecureCard {
            _ = try await host.registerSecureCard(
                SecureCardRegistration(
                    merchantReference: try MerchantReference(Self.reference), details: .init(), card: Self.keyed()))
        }
        do throws(TerminalError) {
            return try await change().description
        } catch {
            return error.code == .hostFailed(.noAnswer) ? "unknown" : "\(error.code)"
        }
    }

    private func change() async throws(TerminalError) -> SecureCardResponse {
        guard let reference = try? MerchantReference(Self.reference), let card = try? Self.keyed(),
            let key = try? IdempotencyKey("key")
        else {
            throw TerminalError(.invalidRequest, "the sample is invalid")
        }
        var secureCard = SecureCard(merchantReference: reference, tokenMethod: .keyed(card, cvv: nil))
        switch scenario {
        case .deleteSecureCard:
            let token = try? await host.retrieveSecureCard(reference).cardReference
            return try await terminal.deleteSecureCard(reference, token: token, idempotencyKey: key)
        case .editSecureCard:
            secureCard.details.email = Self.email
            return try await terminal.editSecureCard(secureCard, idempotencyKey: key)
        default: return try await terminal.registerSecureCard(secureCard, idempotencyKey: key)
        }
    }

    /// What does not agree; nothing if all is well.
    func checkSecureCard() async throws -> [String] {
        var complaints: [String] = []
        _ = try await terminal.recoverPending()
        if try await !journal.openEntries().isEmpty { complaints.append("the journal has open entries") }
        let response: SecureCardResponse
        do throws(TerminalError) {
            response = try await change()
            let again = try await change()
            if again.secureCardReference != response.secureCardReference || again.description != response.description {
                complaints.append("the same key got another answer")
            }
        } catch {
            return complaints + ["asked again: \(error)"]
        }
        print("recovered \(response.description)")
        let kept = try? await host.retrieveSecureCard(MerchantReference(Self.reference))
        switch scenario {
        case .deleteSecureCard: if kept != nil { complaints.append("the secure card is still there") }
        case .editSecureCard:
            if kept?.details.email != Self.email { complaints.append("the details were not changed") }
            fallthrough
        default:
            if kept?.cardReference == nil || kept?.cardReference != response.secureCardReference {
                complaints.append("terminal and host have different tokens")
            }
        }
        return complaints
    }
}
