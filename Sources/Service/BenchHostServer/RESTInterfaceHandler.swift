import BenchHost
import Bytes
import CardCapture
import HTTPService
import JSONDocument
import PaymentTerminal
import WorldNet

/// The bench host behind the gateway's REST interface.
struct RESTInterfaceHandler: Sendable {
    let host: BenchHost
    let tokens: TokenStore<APIKeyAccount>
    let senders: Senders<HostReply>
    let audience: String
    /// Whether the server announces and supports the extensions of the published interface.
    let hasExtensions: Bool
    let now: @Sendable () -> Timestamp

    /// - Parameter name: Of the operation, for the log.
    func reply(to request: HostRequest, _ name: String, _ operation: @escaping HostRoutes.Operation) async -> HostReply
    {
        guard let account = await account(of: request) else { return unauthorized(name) }
        return await senders.reply(to: request, from: "key \(account.alias)") {
            do throws(HostError) {
                return try await operation(
                    RESTCall(interface: self, request: request, account: account, operation: name))
            } catch {
                return reply(error, name)
            }
        }
    }

    func authenticate(_ request: HostRequest) async -> HostReply {
        guard let key = credentials(request, scheme: "Basic") else { return unauthorized("authenticate") }
        let found: APIKeyAccount?
        do throws(HostError) {
            found = try await host.account(of: SecretBytes(key.utf8))
        } catch {
            return reply(error, "authenticate")
        }
        guard let account = found else { return unauthorized("authenticate") }
        guard senders.count("key \(account.alias)") else { return .tooMany(request) }
        let token = AccessToken(
            token: await tokens.issue(for: account, of: account.alias), hours: tokens.hours,
            hasExtensions: hasExtensions)
        let document = token.document(audience: audience, alias: account.alias, terminals: account.terminals)
        return HostReply(status: 200, body: document.document, operation: "authenticate")
    }

    private func account(of request: HostRequest) async -> APIKeyAccount? {
        guard let token = credentials(request, scheme: "Bearer") else { return nil }
        return await tokens.account(of: token)
    }

    private func credentials(_ request: HostRequest, scheme: String) -> String? {
        guard let header = request.authorization, header.lowercased().hasPrefix(scheme.lowercased() + " ") else {
            return nil
        }
        return String(header.dropFirst(scheme.count + 1))
    }

    private func unauthorized(_ operation: String) -> HostReply {
        var reply = reply(HostError(.notAuthorized, "no valid credentials"), operation)
        reply.status = 401
        reply.isRefused = true
        reply.headers = [("WWW-Authenticate", "Bearer")]
        return reply
    }

    func reply(_ error: HostError, _ operation: String) -> HostReply {
        let failure = ClientError(error)
        let document = RESTError.document(failure.told, debugIdentifier: failure.identifier)
        return HostReply(
            status: RESTError.status(error), body: document.document, operation: "\(operation): \(failure.logged)")
    }
}
