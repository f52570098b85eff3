import EMVKernel
import SmartCard
import TLV
import VirtualCard

extension TraceCase {
    private static let visa: [UInt8] = [0xA0, 0, 0, 0, 0x03, 0x10, 0x10]
    private static let electron: [UInt8] = [0xA0, 0, 0, 0, 0x03, 0x20, 0x10]

    private static func twoApplications(_ profile: inout CardProfile) {
        profile.applications = [
            CardApplication(aid: visa, label: "VISA CREDIT", priority: 1),
            CardApplication(aid: electron, label: "VISA ELECTRON", priority: 2),
        ]
    }

    /// Selection, and when the stripe may be tried (EMV 4.4 Book 1, 12; Book 3, 10.1; Book 4,
    /// 11.2).
    static var selection: [TraceCase] {
        [
            TraceCase(
                "selection-by-directory", "The directory 1PAY.SYS.DDF01 names one application.",
                expect: "approved offline"
            ) {
                $0.terminal = { $0.usesPaymentSystemEnvironment = true }
            },
            TraceCase(
                "selection-without-directory", "The card has no directory: SW 6A82, then the terminal's own list.",
                expect: "approved offline"
            ) {
                $0.profile.hasPaymentSystemEnvironment = false
                $0.terminal = { $0.usesPaymentSystemEnvironment = true }
            },
            TraceCase(
                "selection-by-the-cardholder", "Two applications in common: the cardholder takes the second one.",
                expect: "approved offline"
            ) {
                twoApplications(&$0.profile)
            },
            TraceCase(
                "selection-by-priority",
                "Two applications in common, and nobody to ask: the one of the higher priority.",
                expect: "approved offline"
            ) {
                twoApplications(&$0.profile)
                $0.terminal = { $0.cardholderSelectsApplication = false }
            },
            TraceCase(
                "selection-of-a-blocked-application", "The only application in common is blocked: no fallback.",
                expect: "terminated"
            ) {
                $0.profile.applications[0].isBlocked = true
            },
            TraceCase(
                "selection-passes-a-blocked-application", "One application is blocked, the other is taken.",
                expect: "approved offline"
            ) {
                twoApplications(&$0.profile)
                $0.profile.applications[0].isBlocked = true
            },
            TraceCase(
                "selection-on-a-blocked-card", "SW 6A81 to the first SELECT: the card is blocked.", expect: "terminated"
            ) {
                $0.profile.isBlocked = true
            },
            TraceCase(
                "selection-after-a-refusal",
                "SW 6985 to GET PROCESSING OPTIONS: back to the selection, which has another one.",
                expect: "approved offline"
            ) {
                twoApplications(&$0.profile)
                $0.faults = [
                    CardFault(.status(.conditionsNotSatisfied), at: .command(.getProcessingOptions, occurrence: 1))
                ]
            },
            TraceCase(
                "fallback-nothing-in-common", "The terminal knows no application of the card: the stripe may be tried.",
                expect: "terminated"
            ) {
                $0.profile.applications = [
                    CardApplication(aid: [0xA0, 0, 0, 0x09, 0x99, 0x10, 0x10], label: "UNKNOWN")
                ]
            },
            TraceCase("fallback-silent-chip", "The chip says nothing to its first command.", expect: "terminated") {
                $0.faults = [CardFault(.silence, at: .step(1))]
            },
            TraceCase(
                "fallback-unreadable-record", "A record cannot be read: the chip has failed, the stripe may be tried.",
                expect: "terminated"
            ) {
                $0.faults = [CardFault(.status(StatusWord(rawValue: 0x6A83)), at: .command(.readRecord, occurrence: 2))]
            },
            TraceCase("fallback-no-pan", "No record has the PAN, a mandatory data object.", expect: "terminated") {
                $0.profile.fileLayout = CardFileLayout([
                    CardFileLayout.File(sfi: 1, [[.applicationExpirationDate, .cdol1, .cdol2]])
                ])
            },
            TraceCase(
                "no-fallback-after-a-cryptogram",
                "The chip fails after GENERATE AC: the transaction is the chip's, and ends.",
                expect: "terminated"
            ) {
                $0.faults = [CardFault(.status(StatusWord(rawValue: 0x6F00)), at: .every(.generateAC))]
            },
            TraceCase(
                "removed-while-reading", "The card is taken out while its records are read.", expect: "terminated"
            ) {
                $0.faults = [CardFault(.removal, at: .command(.readRecord, occurrence: 3))]
            },
        ]
    }
}
