import BenchHost
import Bytes
import CardCapture
import CardCryptography
import CardProfiles
import EMVKernel
import PaymentTerminal
import TLV
import VirtualCard

/// The issuer of a case: the bench's test issuer, or the behavior in the case.
struct PlanIssuer: OnlineAuthorizer {
    private let behavior: TestCase.Issuer
    /// Nil for a card in a reader: its keys are unknown.
    private let host: BenchHost?

    init(_ test: TestCase, _ profile: CardProfile) throws {
        behavior = test.issuer
        let scripts = test.scripts.map { IssuerScript($0) }
        let digits = String(decoding: profile.account.pan.revealed(), as: UTF8.self)
        var known = IssuerProfile(
            leadingDigits: digits, masterKeys: profile.issuerMasterKeys, cryptogram: profile.cryptograms.version,
            pin: BenchIssuer.pin)
        known.takeTracks(of: profile.contactless)
        let issuer = TestIssuer(
            profiles: [known], pinKey: try BenchIssuer.baseDerivationKey(), scripts: ScriptPolicy { _ in scripts })
        host = try BenchHost.temporary(issuer: issuer)
    }

    /// The issuer of a card in a reader.
    init(of test: TestCase) {
        behavior = test.issuer
        host = nil
    }

    func authorize(_ request: OnlineRequest) async -> OnlineAnswer {
        await answer { try await answer(of: $0, request) }
    }

    /// The answer for a card that was tapped.
    ///
    /// - Parameter amount: In minor units.
    func authorize(_ card: CapturedCard, amount: UInt64) async -> IssuerAnswer {
        guard case .answered(let response) = await answer({ try await answer(of: $0, card, amount: amount) }) else {
            return .unreachable
        }
        return .answered(
            IssuerAnswer.Answer(
                responseCode: String(decoding: response.responseCode, as: UTF8.self),
                issuerAuthenticationData: response.authenticationData, scripts: response.scripts))
    }

    private func answer(_ ask: (BenchHost) async throws -> IssuerResponse) async -> OnlineAnswer {
        switch behavior {
        case .cannotBeReached: return .unableToGoOnline
        case .wantsACall: return .answered(IssuerResponse(responseCode: Array("01".utf8)))
        case .answers, .answersWithWrongCryptogram, .answersWithoutCryptogram: break
        }
        guard let host else { return .answered(IssuerResponse(responseCode: Array("00".utf8))) }
        guard var response = try? await ask(host) else { return .unableToGoOnline }
        switch behavior {
        case .answersWithWrongCryptogram: response.authenticationData?[0] ^= 0x01
        case .answersWithoutCryptogram: response.authenticationData = nil
        case .answers, .cannotBeReached, .wantsACall: break
        }
        return .answered(response)
    }

    private func answer(of host: BenchHost, _ request: OnlineRequest) async throws -> IssuerResponse {
        let data = request.data
        guard let pan = data.card[.applicationPAN].flatMap({ BCD.digits($0) }),
            let expiry = data.card[.applicationExpirationDate],
            let amount = data.terminal.number(.amountAuthorised)
        else { throw PlanError("no card") }
        let card = CapturedCard(
            entryMode: .chip, pan: SecretBytes(pan), expiry: expiry.prefix(2).hex,
            panSequenceNumber: data.card[.panSequenceNumber]?.first, chip: ChipData(elements: data.shareable),
            pin: request.pin.map { EncipheredPINBlock(format: .iso0, block: $0.pinBlock, ksn: $0.ksn) })
        return try await answer(of: host, card, amount: amount)
    }

    private func answer(of host: BenchHost, _ card: CapturedCard, amount: UInt64) async throws -> IssuerResponse {
        let response = try await host.authorize(
            AuthorizationRequest(
                orderID: OrderID("case"), purpose: .sale,
                amount: Money(minorUnits: Int64(clamping: amount), currency: .euro),
                timestamp: Timestamp(secondsSince1970: 1_795_262_400), terminalID: "BENCH001", card: .captured(card)))
        return IssuerResponse(
            responseCode: Array(response.issuer.responseCode.utf8),
            authenticationData: response.issuer.issuerAuthenticationData,
            scripts: response.issuer.scripts)
    }
}

extension IssuerScript {
    fileprivate init(_ script: TestCase.Script) {
        self.init(
            script.moment == .beforeFinalCryptogram ? .beforeFinalCryptogram : .afterFinalCryptogram,
            script.commands.map { command in
                switch command {
                case .applicationBlock: .applicationBlock
                case .applicationUnblock: .applicationUnblock
                case .cardBlock: .cardBlock
                case .pinUnblock: .pinUnblock
                }
            })
        spoilsMACs = script.hasWrongMAC
    }
}
