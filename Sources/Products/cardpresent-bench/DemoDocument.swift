import Console
import Foundation
import Reports

/// The results of the demo, for JSON and for its exit status.
struct DemoDocument: Encodable {
    struct Step: Encodable {
        let name: String
        let succeeded: Bool
        let detail: String
    }

    struct Phase: Encodable {
        let phase, result: String
        let milliseconds: Double
    }

    var sale: [Phase] = []
    var terminalVerificationResults: [String] = []
    var transactionStatusInformation: [String] = []
    var cardholderVerification = ""
    var receipt: String?
    var steps: [Step] = []
    var captured: [ReplayDocument] = []
    /// Whether there was no folder of logs to examine.
    var hasNoLogs = false
    var succeeded: Bool { !steps.isEmpty && steps.allSatisfy(\.succeeded) && (hasNoLogs || !captured.isEmpty) }

    private enum CodingKeys: String, CodingKey {
        case sale, terminalVerificationResults, transactionStatusInformation, cardholderVerification, receipt, steps,
            captured, succeeded
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(sale, forKey: .sale)
        try container.encode(terminalVerificationResults, forKey: .terminalVerificationResults)
        try container.encode(transactionStatusInformation, forKey: .transactionStatusInformation)
        try container.encode(cardholderVerification, forKey: .cardholderVerification)
        try container.encodeIfPresent(receipt, forKey: .receipt)
        try container.encode(steps, forKey: .steps)
        try container.encode(captured, forKey: .captured)
        try container.encode(succeeded, forKey: .succeeded)
    }

    func json() throws -> String {
        return try JSONText.of(self)
    }
}
