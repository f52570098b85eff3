import BenchHost
import Bytes
import CardCapture
import CardCryptography
import EMVKernel
import FoundationEssentials
import PaymentTerminal
import TLV
import VirtualCard

/// The bench's test issuer for the kernel, with other behaviour if a case specifies it.
final class CaseIssuer: OnlineAuthorizer {
    private let host: BenchHost
    private let folder: String
    private let behavior: TraceCase.Issuer

    static func pinKey() throws -> TDESKey {
        try TDESKey(SecretBytes([UInt8](hex: "0123456789ABCDEFFEDCBA9876543210")))
    }

    init(_ example: TraceCase) throws {
        behavior = example.issuer
        folder = FileManager.default.temporaryDirectory.appending(path: "make-traces-\(UUID().uuidString)").path(
            percentEncoded: false)
        let scripts = example.scripts
        let digits = String(decoding: example.profile.account.pan.revealed(), as: UTF8.self)
        let issuer = TestIssuer(
            profiles: [
                IssuerProfile(
                    leadingDigits: digits, masterKeys: example.profile.issuerMasterKeys,
                    cryptogram: example.profile.cryptograms.version,
                    pin: PIN(ascii: "1234".utf8))
            ], pinKey: try Self.pinKey(), scripts: ScriptPolicy { _ in scripts })
        host = try BenchHost(folder: folder, vaultKey: SecretBytes([UInt8](repeating: 0x5A, count: 32)), issuer: issuer)
    }

    deinit { try? FileManager.default.removeItem(atPath: folder) }

    func authorize(_ request: OnlineRequest) async -> OnlineAnswer {
        switch behavior {
        case .cannotBeReached: return .unableToGoOnline
        case .wantsACall: return .answered(IssuerResponse(responseCode: Array("01".utf8)))
        default: break
        }
        guard var response = try? await answer(request) else { return .unableToGoOnline }
        switch behavior {
        case .answersWithWrongCryptogram: response.authenticationData?[0] ^= 0x01
        case .answersWithoutCryptogram: response.authenticationData = nil
        default: break
        }
        return .answered(response)
    }

    private func answer(_ request: OnlineRequest) async throws -> IssuerResponse {
        let data = request.data
        guard let pan = data.card[.applicationPAN].flatMap({ BCD.digits($0) }),
            let expiry = data.card[.applicationExpirationDate],
            let amount = data.terminal.number(.amountAuthorised)
        else { throw CaseError("no card") }
        let card = CapturedCard(
            entryMode: .chip, pan: SecretBytes(pan), expiry: expiry.prefix(2).hex,
            panSequenceNumber: data.card[.panSequenceNumber]?.first,
            chip: ChipData(elements: data.shareable),
            pin: request.pin.map { EncipheredPINBlock(format: .iso0, block: $0.pinBlock, ksn: $0.ksn) })
        let response = try await host.authorize(
            AuthorizationRequest(
                // fits: the amounts of the cases
                orderID: OrderID("case"), purpose: .sale, amount: Money(minorUnits: Int64(amount), currency: .euro),
                timestamp: Timestamp(secondsSince1970: 1_795_262_400), terminalID: "BENCH001", card: .captured(card)))
        return IssuerResponse(
            responseCode: Array(response.issuer.responseCode.utf8),
            authenticationData: response.issuer.issuerAuthenticationData,
            scripts: response.issuer.scripts)
    }
}
