import JSONDocument
public import PaymentTerminal
import WorldNet

extension RESTGateway {
    public func registerSecureCard(_ registration: SecureCardRegistration) async throws(HostError) -> SecureCard {
        let body = try RESTCredentials.document(
            registration, terminalID: account.terminalID, deviceType: account.deviceType, isUpdate: false,
            hasExtensions: try await hasExtensions())
        do throws(HostError) {
            return try SecureCard(
                credentials: try await secureCardCall(
                    "register secure card", method: "POST", path: RESTInterface.credentials, body: body))
        } catch {
            // The published interface has one status for every request that cannot be carried out.
            guard error.code == .refused(.notAllowed), try await has(registration.merchantReference) else {
                throw error
            }
            throw HostError(
                .secureCardExists, "the merchant reference already exists: choose another, or update the secure card")
        }
    }

    /// - Throws: ``HostError/Failure/noAnswer`` if the gateway does not say: a network that repeats
    ///   requests may have registered the card before the one that was refused.
    private func has(_ reference: MerchantReference) async throws(HostError) -> Bool {
        do throws(HostError) {
            _ = try await retrieveSecureCard(reference)
            return true
        } catch {
            guard error.isRefusal else { throw error.afterRequest }
            return false
        }
    }

    public func retrieveSecureCard(_ reference: MerchantReference) async throws(HostError) -> SecureCard {
        try SecureCard(
            credentials: try await secureCardCall(
                "retrieve secure card", method: "GET", path: path(reference, withTerminal: true)))
    }

    public func updateSecureCard(_ registration: SecureCardRegistration) async throws(HostError) -> SecureCard {
        let body = try RESTCredentials.document(
            registration, terminalID: account.terminalID, deviceType: account.deviceType, isUpdate: true,
            hasExtensions: try await hasExtensions())
        let path = path(registration.merchantReference, withTerminal: false)
        return try SecureCard(
            credentials: try await secureCardCall("update secure card", method: "PATCH", path: path, body: body))
    }

    public func deleteSecureCard(_ reference: MerchantReference, token: SecureCardReference) async throws(HostError) {
        // The interface deletes by merchant reference alone: the token is compared first.
        guard try await retrieveSecureCard(reference).cardReference == token else {
            throw HostError(.secureCardUnknown, "no secure card has this reference and token: check both")
        }
        _ = try await secureCardCall("delete secure card", method: "DELETE", path: path(reference, withTerminal: true))
    }

    private func path(_ reference: MerchantReference, withTerminal: Bool) -> String {
        RESTInterface.credentials + "/" + RESTInterface.escaped(reference.text)
            + (withTerminal ? "?terminal=" + RESTInterface.escaped(account.terminalID) : "")
    }

    /// What is not found here is a secure card.
    private func secureCardCall(
        _ operation: StaticString, method: String, path: String, body: JSON? = nil
    ) async throws(HostError) -> JSON {
        do throws(HostError) {
            return try await call(operation, method: method, path: path, body: body)
        } catch {
            throw error.code == .refused(.transactionUnknown) ? HostError(.secureCardUnknown, error.message) : error
        }
    }
}
