import Console
import PaymentTerminal

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The person at the command line, who calls the issuer when it refers a sale.
final class SaleAttendant: TerminalListener {
    /// From an option; nil to ask for it.
    private let approvalCode: String?
    private let screen: TapScreen?

    /// - Parameter screen: Leaves the terminal to the question.
    init(approvalCode: String?, screen: TapScreen? = nil) {
        self.approvalCode = approvalCode
        self.screen = screen
    }

    static func isApprovalCode(_ text: String) -> Bool {
        text.utf8.count == 6 && text.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber) }
    }

    func onReferral(_ request: ReferralRequest, _ context: TerminalEvent.Context) async {
        if let approvalCode {
            request.submit(approvalCode: approvalCode)
        } else if isatty(STDIN_FILENO) == 1 {
            await screen?.leave()
            ask(request)
        } else {
            request.decline()
        }
    }

    /// An empty line, or the end of the input, declines.
    private func ask(_ request: ReferralRequest) {
        while true {
            Progress.note("Call the issuer about \(request.amount). Approval code, or an empty line to decline:")
            guard let line = readLine(), !line.isEmpty else {
                request.decline()
                return
            }
            if request.submit(approvalCode: line) || Self.isApprovalCode(line) { return }
            Progress.note("An approval code has six letters or digits.")
        }
    }
}
