public import CardInspection
public import Console

/// The findings of an inspection for people, the most severe first.
public enum InspectionText {
    public static func show(_ findings: [CardFinding], of image: CardImage, on console: Console) {
        print("\(image)")
        for severity in CardFinding.Severity.allCases.reversed() {
            for finding in findings where finding.severity == severity {
                print(
                    "\(console.paint(severity.name, color(severity))) \(console.paint("\(finding.place)", .bold)): \(finding.summary)"
                )
                print("  \(console.paint("\(finding.kind.rawValue), \(finding.source)", .dim))")
            }
        }
        print(findings.isEmpty ? "no findings" : count(findings))
    }

    private static func count(_ findings: [CardFinding]) -> String {
        CardFinding.Severity.allCases.reversed().compactMap { severity in
            let number = findings.count { $0.severity == severity }
            return number == 0 ? nil : "\(number) \(severity.name)\(number == 1 ? "" : "s")"
        }.joined(separator: ", ")
    }

    private static func color(_ severity: CardFinding.Severity) -> Console.Color {
        switch severity {
        case .error: .red
        case .warning: .yellow
        case .remark: .cyan
        }
    }
}

/// The findings for programs.
public struct InspectionDocument: Codable, Sendable {
    public struct Finding: Codable, Sendable {
        public let kind: String
        public let severity: String
        public let place: String
        public let summary: String
        public let source: String

        private enum CodingKeys: String, CodingKey {
            case kind, severity, place
            case summary = "words"
            case source
        }
    }

    public let applications: Int
    public let findings: [Finding]

    public init(_ findings: [CardFinding], of image: CardImage) {
        applications = image.applications.count
        self.findings = findings.map {
            Finding(
                kind: $0.kind.rawValue, severity: $0.severity.name, place: "\($0.place)", summary: $0.summary,
                source: $0.source)
        }
    }
}
