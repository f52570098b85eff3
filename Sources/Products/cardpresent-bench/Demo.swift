import BenchCards
import Bytes
import CardCryptography
import Console
import EMVExplanation
import EMVKernel
import EMVReplay
import Foundation
import PaymentTerminal
import Receipts
import Reports
import SmartCard
import TLV
import TerminalFiles
import VirtualCard

/// The demo: each act performs an operation of a shop, and records whether the result is as
/// expected.
struct Demo {
    let workplace: Workplace
    /// Nil if the folder is not found: the demo then examines no logs.
    let vectors: URL?
    /// The first card; the second is a Mastercard.
    let card: BenchCard
    let log: LaneLog
    /// Nil for no output.
    let screen: Console?

    func run() async throws -> DemoDocument {
        var document = DemoDocument()
        try await sellAndKeep(&document)
        try await sellAndRegisterAtOnce(&document)
        try await examineCaptures(&document)
        let good = document.steps.count { $0.succeeded }
        screen?.heading(
            document.succeeded
                ? "All \(good) of \(document.steps.count) checks passed."
                : "Only \(good) of \(document.steps.count) checks passed.")
        return document
    }

    private func note(_ succeeded: Bool, name: String, detail: String, document: inout DemoDocument) {
        document.steps.append(DemoDocument.Step(name: name, succeeded: succeeded, detail: detail))
        screen?.check(succeeded, name, detail: detail)
    }

    /// Unique even if several demos share a vault.
    private func orderID(_ name: String) throws -> OrderID {
        try OrderID("\(name)-\(String(UInt64.random(in: 0...UInt64.max), radix: 36))".prefix(24).description)
    }

    // MARK: A sale and a secure card

    private func sellAndKeep(_ document: inout DemoDocument) async throws {
        let lane = try await BenchLane(at: workplace.host, folder: workplace.folder, card: card, log: log)
        defer { try? lane.close() }
        try await sell(lane, &document)
        screen?.heading("Secure card")
        let reference = try MerchantReference("demo-\(String(UInt64.random(in: 0...UInt64.max), radix: 36))")
        let saved = try await lane.terminal.registerSecureCard(SecureCard(merchantReference: reference))
        note(
            saved.description == "Secure Card Saved" && saved.secureCardReference != nil, name: "register",
            detail: describe(saved),
            document: &document)

        var kept = try await lane.terminal.retrieveSecureCard(reference)
        note(
            kept.cardReference == saved.secureCardReference, name: "retrieve by merchant reference",
            detail: "\(kept.card?.maskedPAN ?? "no card"), token \(kept.cardReference.map { "\($0)" } ?? "none")",
            document: &document)

        kept.details.email = "cardholder@example.com"
        let edited = try await lane.terminal.editSecureCard(kept)
        let changed = try await lane.terminal.retrieveSecureCard(reference)
        note(
            edited.description == "Secure Card Updated" && changed.details.email == kept.details.email, name: "edit",
            detail: "\(edited.description), e-mail \(changed.details.email ?? "none")", document: &document)

        guard let token = saved.secureCardReference else { return }
        let amount = Money(minorUnits: 500, currency: .euro)
        let charged = try await lane.terminal.processSale(
            Sale(orderID: orderID("token"), amount: amount, source: .secureCard(token)))
        note(
            charged.outcome == .approved, name: "sale by token",
            detail: "\(charged.description), \(charged.uniqueReference ?? "no reference")", document: &document
        )

        let deleted = try await lane.terminal.deleteSecureCard(reference)
        note(
            deleted.description == "Secure Card Deleted" && deleted.secureCardReference == nil, name: "delete",
            detail: "\(deleted.description), no token in the answer", document: &document)
        do {
            let refused = try await lane.terminal.processSale(
                Sale(orderID: orderID("deleted"), amount: amount, source: .secureCard(token)))
            note(false, name: "sale by the deleted token", detail: refused.description, document: &document)
        } catch let error as TerminalError {
            note(
                error.code == .refused(.secureCardDeleted), name: "sale by the deleted token",
                detail: "refused: \(error.message)",
                document: &document)
        }
    }

    private func sell(_ lane: BenchLane, _ document: inout DemoDocument) async throws {
        let amount = Money(minorUnits: 1234, currency: .euro)
        screen?.heading("Sale of \(amount), contact chip, online")
        log.start()
        let response = try await lane.terminal.processSale(Sale(orderID: orderID("sale"), amount: amount))
        let steps = log.takeSteps()
        document.sale = steps.map { step in
            let milliseconds = Double(step.elapsed / .microseconds(1)) / 1000
            return DemoDocument.Phase(
                phase: step.event.phase.rawValue, result: step.event.summary, milliseconds: milliseconds)
        }
        if let screen {
            for phase in document.sale {
                let time = String(format: "%7.2f ms", phase.milliseconds)
                print("  \(screen.padded(phase.phase, 34)) \(screen.paint(time, .dim))  \(phase.result)")
            }
        }
        explainResults(response, steps.map(\.event), &document)
        let events = steps.map(\.event)
        note(
            response.outcome == .approved, name: "sale",
            detail: "\(response.description), approval code \(response.approvalCode ?? "none")", document: &document)
        let abilities = lane.profile.interchangeProfile
        if !abilities.isDisjoint(with: [.cdaSupported, .xdaSupported]) {
            note(
                events.contains(.combinedSignature(nil)), name: abilities.contains(.xdaSupported) ? "XDA" : "CDA",
                detail: "the card's signature on its cryptogram is verified", document: &document)
        }
        note(
            response.responseCode == "00" && response.approvalCode != nil, name: "ARQC",
            detail: "the issuer recomputed the card's cryptogram", document: &document)
        if abilities.contains(.issuerAuthenticationSupported) {
            let method = lane.profile.cryptograms.version.responseMethod == .method1 ? 1 : 2
            note(
                events.contains(.issuerAuthentication(succeeded: true)), name: "ARPC, method \(method)",
                detail: "the card verified the issuer's cryptogram", document: &document)
        }
        note(
            response.receipt.chip?.cryptogramType == "TC", name: "TC", detail: "the card approved", document: &document)
        document.receipt = response.receipt.text(for: .cardholder)
        if let screen {
            screen.heading("Receipt")
            print(
                document.receipt.map {
                    $0.split(separator: "\n", omittingEmptySubsequences: false).map { "    " + $0 }.joined(
                        separator: "\n")
                } ?? "")
        }
    }

    private func explainResults(_ response: PaymentResponse, _ events: [KernelEvent], _ document: inout DemoDocument) {
        guard let chip = response.receipt.chip else { return }
        func words<Field: BitField>(_ hex: String?, _ field: Field.Type) -> [String] {
            hex.flatMap { try? [UInt8](hex: $0) }.flatMap { Field($0) }?.meanings ?? []
        }
        document.terminalVerificationResults = words(chip.terminalVerificationResults, TerminalVerificationResults.self)
        document.transactionStatusInformation = words(
            chip.transactionStatusInformation, TransactionStatusInformation.self)
        document.cardholderVerification = chip.cardholderVerification ?? "none"
        guard let screen else { return }
        screen.heading("Results")
        for (name, hex, lines) in [
            ("TVR", chip.terminalVerificationResults, document.terminalVerificationResults),
            ("TSI", chip.transactionStatusInformation, document.transactionStatusInformation),
            ("CVM", nil, [document.cardholderVerification]),
        ] {
            print("  \(screen.padded(name, 4)) \(screen.padded(hex ?? "", 11)) \(lines.joined(separator: "; "))")
        }
    }

    /// A second card, whose issuer answers with the other ARPC method.
    private func sellAndRegisterAtOnce(_ document: inout DemoDocument) async throws {
        screen?.heading("Sale that keeps the card at once")
        let lane = try await BenchLane(
            at: workplace.host, folder: workplace.folder, card: .style(.mastercard), log: log)
        defer { try? lane.close() }
        _ = log.takeSteps()
        let reference = try MerchantReference("demo-\(String(UInt64.random(in: 0...UInt64.max), radix: 36))")
        let response = try await lane.terminal.processSale(
            Sale(
                orderID: orderID("register"), amount: Money(minorUnits: 2500, currency: .euro),
                secureCard: SecureCard(merchantReference: reference)))
        let events = log.takeSteps().map(\.event)
        note(
            response.outcome == .approved && response.secureCardReference != nil, name: "sale with registration",
            detail:
                "\(response.description), token \(response.secureCardReference.map { "\($0)" } ?? "none") in the answer",
            document: &document)
        note(
            events.contains(.issuerAuthentication(succeeded: true)), name: "ARPC, method 1",
            detail: "the card verified the issuer's cryptogram",
            document: &document)
    }

    private func describe(_ response: SecureCardResponse) -> String {
        "\(response.description), \(response.secureCard?.card?.maskedPAN ?? "no card"), token \(response.secureCardReference.map { "\($0)" } ?? "none")"
    }

    // MARK: Captured exchanges

    private func examineCaptures(_ document: inout DemoDocument) async throws {
        guard let vectors else {
            document.hasNoLogs = true
            screen?.remark("captured logs", "the folder Vectors was not found: no log is examined")
            return
        }
        let keys = try CAPublicKeyFile.parse(
            InputFile.text(vectors.appending(path: "keys/ca-test-keys.tsv").path(percentEncoded: false)))
        let folder = vectors.appending(path: "traces")
        let files = try FileManager.default.contentsOfDirectory(atPath: folder.path(percentEncoded: false)).filter {
            $0.hasSuffix(".apdu")
        }
        .sorted()
        for file in files {
            let trace: APDUTrace
            do {
                trace = try APDUTrace(parsing: InputFile.text(folder.appending(path: file).path(percentEncoded: false)))
            } catch let error as APDUTraceError {
                throw InputError("\(file): \(error)")
            }
            // Logs of the regression suite are skipped: they only show that nothing has changed.
            guard trace["source"] != nil else { continue }
            let report = try await Replay.run(trace, caKeys: keys)
            // Only the card's evidence: the issuer's answers in these logs are fictitious. What
            // needs an issuer's key that a log does not have is not a check.
            let evidence = Evidence.examine(trace, caKeys: keys, issuer: IssuerKeyMaterial(trace))
                .filter { $0.kind != .issuerAnswer && ($0.isVerified || $0.isDisproved) }
            document.captured.append(ReplayDocument(trace, report: report, evidence: evidence))
            screen?.heading("Captured: \(trace["title"] ?? file)")
            if let screen {
                ExplanationConsole(screen).print(ExplanationText(Explanation(trace)).conversation, indent: "  ")
            }
            for entry in evidence {
                note(entry.isVerified, name: entry.subject, detail: entry.detail, document: &document)
            }
            note(
                report.endsAlike && report.sendsAlike, name: "kernel against the log",
                detail: "log and kernel: \(report.logged.summary)",
                document: &document)
        }
    }
}
