import BenchHost
import CardCryptography
import EMVKernel
import SmartCard
import TLV
import VirtualCard

extension TraceCase {
    /// The decisions and the ends of transactions (EMV 4.4 Book 3, 10.4 to 10.11; Book 4, 6.5.2 and
    /// 12.2).
    static var outcomes: [TraceCase] {
        [
            TraceCase(
                "approved-below-the-floor-limit", "9.99 below a floor limit of 10.00: nothing is amiss, TC.",
                expect: "approved offline"
            ) {
                $0.request.amount = 9_99
                $0.terminal = { for index in $0.applications.indices { $0.applications[index].floorLimit = 10_00 } }
            },
            TraceCase(
                "online-at-the-floor-limit", "10.00 at a floor limit of 10.00 exceeds it (EMV 4.4 Book 3, 10.6.1).",
                expect: "approved online"
            ) {
                $0.terminal = { for index in $0.applications.indices { $0.applications[index].floorLimit = 10_00 } }
            },
            TraceCase(
                "online-by-chance", "Chosen at random, as one in a hundred (EMV 4.4 Book 3, 10.6.2).",
                expect: "approved online"
            ) {
                $0.percentage = 1
                $0.terminal = {
                    for index in $0.applications.indices {
                        $0.applications[index].randomSelection = RandomSelection(
                            targetPercentage: 20, maximumPercentage: 50, threshold: 50_00)
                    }
                }
            },
            TraceCase(
                "online-by-the-merchant", "The merchant forces the transaction online.", expect: "approved online"
            ) {
                $0.request.forcesOnline = true
            },
            TraceCase(
                "online-by-the-card", "The terminal would approve; the card answers with an ARQC.",
                expect: "approved online"
            ) {
                $0.profile.riskRule.goesOnlineAbove = 5_00
            },
            TraceCase(
                "online-by-the-offline-limits", "A new card with consecutive offline limits (EMV 4.4 Book 3, 10.6.3).",
                expect: "approved online"
            ) {
                $0.profile.consecutiveOfflineLimits = 1...2
                $0.profile.initialATC = 9
            },
            TraceCase(
                "online-on-the-exception-file", "The terminal has the number on its exception file.",
                expect: "approved online"
            ) {
                $0.isOnExceptionFile = true
            },
            TraceCase(
                "online-expired", "The application has expired; the issuer wants to be asked.",
                expect: "approved online"
            ) {
                $0.profile.account.expiry = [0x26, 0x10, 0x31]
                $0.profile.interchangeProfile.subtract([.sdaSupported, .ddaSupported, .cdaSupported])
            },
            TraceCase("online-not-yet-effective", "The application is not good yet.", expect: "approved online") {
                $0.profile.account.effectiveDate = [0x27, 0x01, 0x01]
            },
            TraceCase(
                "online-service-not-allowed", "The usage control allows domestic goods alone, and the card is foreign.",
                expect: "approved online"
            ) {
                $0.profile.usageControl = [.domesticGoods, .terminalsOtherThanATMs]
            },
            TraceCase(
                "declined-by-the-issuers-codes", "Expired, which the issuer denies: AAC without asking anybody.",
                expect: "declined offline"
            ) {
                $0.profile.account.expiry = [0x26, 0x10, 0x31]
                $0.profile.actionCodes.denial = .expiredApplication
            },
            TraceCase(
                "declined-by-the-terminals-codes", "On the exception file, which the terminal denies.",
                expect: "declined offline"
            ) {
                $0.isOnExceptionFile = true
                $0.terminal = {
                    for index in $0.applications.indices {
                        $0.applications[index].actionCodes.denial = .cardOnExceptionFile
                    }
                }
            },
            TraceCase(
                "declined-by-the-card", "The card answers AAC to the first GENERATE AC: the amount is too much for it.",
                expect: "declined offline"
            ) {
                $0.profile.riskRule.declinesAbove = 5_00
            },
            TraceCase("declined-by-the-issuer", "Response code 05, do not honour.", expect: "declined online") {
                $0.request.amount = 150_05
            },
            TraceCase("declined-for-lack-of-funds", "Response code 51, insufficient funds.", expect: "declined online")
            {
                $0.request.amount = 150_51
            },
            TraceCase(
                "declined-by-the-card-in-the-end",
                "The issuer approves, the card takes the ARPC for wrong and gives an AAC.",
                expect: "declined online"
            ) {
                $0.request.amount = 150_00
                $0.issuer = .answersWithWrongCryptogram
            },
            TraceCase(
                "declined-without-issuer-authentication",
                "The issuer approves without ARPC, which this card insists on.",
                expect: "declined online"
            ) {
                $0.request.amount = 150_00
                $0.profile.riskRule.requiresIssuerAuthentication = true
                $0.issuer = .answersWithoutCryptogram
            },
            TraceCase(
                "approved-without-issuer-authentication",
                "The issuer approves without ARPC, which this card does not need.",
                expect: "approved online"
            ) {
                $0.request.amount = 150_00
                $0.issuer = .answersWithoutCryptogram
            },
            TraceCase(
                "referral-declined", "Response code 01: the attendant calls, and the issuer says no.",
                expect: "declined online"
            ) {
                $0.request.amount = 150_00
                $0.issuer = .wantsACall
            },
            TraceCase(
                "unable-to-go-online-approved",
                "The issuer cannot be reached; nothing that is amiss declines by default: Y3.",
                expect: "approved offline, unable to go online"
            ) {
                $0.request.amount = 150_00
                $0.profile.actionCodes.default = []
                $0.issuer = .cannotBeReached
            },
            TraceCase(
                "unable-to-go-online-declined",
                "The issuer cannot be reached, and the floor limit declines by default: Z3.",
                expect: "declined offline, unable to go online"
            ) {
                $0.request.amount = 150_00
                $0.issuer = .cannotBeReached
            },
            TraceCase(
                "unable-to-go-online-declined-by-the-card", "The terminal would approve with Y3, the card does not.",
                expect: "declined offline, unable to go online"
            ) {
                $0.request.amount = 150_00
                $0.profile.actionCodes.default = []
                $0.profile.riskRule.approvesWhenUnableToGoOnline = false
                $0.issuer = .cannotBeReached
            },
            TraceCase(
                "arpc-method-1", "A card of Mastercard's style: ARPC by method 1 in EXTERNAL AUTHENTICATE.",
                expect: "approved online"
            ) {
                $0.profile.change(to: .mastercardStyle())
                $0.request.amount = 150_00
            },
            TraceCase(
                "arpc-in-the-second-cryptogram", "A common core card takes the ARPC by CDOL2.",
                expect: "approved online"
            ) {
                $0.profile.change(to: .commonCoreStyle(.tdes))
                $0.request.amount = 150_00
            },
            TraceCase(
                "format-1-with-pdol", "Answers of format 1, and a PDOL that asks for amount and country.",
                expect: "approved online"
            ) {
                $0.profile.interchangeProfile.remove(.cdaSupported)
                $0.profile.responseFormat = .format1
                $0.profile.pdol = DOL(entries: [DOL.Entry(.amountAuthorised, 6), DOL.Entry(.terminalCountryCode, 2)])
                $0.request.amount = 150_00
            },
        ]
    }

    /// Issuer scripts (EMV 4.4 Book 3, 10.10).
    static var scripts: [TraceCase] {
        [
            scripted(
                "script-before", reason: "A script before the last cryptogram: the PIN is unblocked.",
                scripts: [IssuerScript(.beforeFinalCryptogram, [.pinUnblock])]),
            scripted(
                "script-after", reason: "A script after the last cryptogram: a limit is changed.",
                scripts: [IssuerScript(.afterFinalCryptogram, [.putData(.upperConsecutiveOfflineLimit, [0x09])])]
            ) {
                $0.profile.consecutiveOfflineLimits = 1...5
            },
            scripted(
                "script-before-and-after", reason: "A script of each kind.",
                scripts: [
                    IssuerScript(.beforeFinalCryptogram, [.pinUnblock]),
                    IssuerScript(.afterFinalCryptogram, [.applicationUnblock]),
                ]),
            scripted(
                "script-of-two-commands", reason: "Two commands in one script.",
                scripts: [IssuerScript(.afterFinalCryptogram, [.applicationUnblock, .pinUnblock])]),
            scripted(
                "script-with-wrong-mac-before",
                reason: "A wrong MAC before the last cryptogram: SW 6988, recorded in the TVR.",
                scripts: [spoiled(.beforeFinalCryptogram)]),
            scripted(
                "script-with-wrong-mac-after", reason: "A wrong MAC after the last cryptogram.",
                scripts: [spoiled(.afterFinalCryptogram)]),
            scripted(
                "script-blocks-the-application", reason: "The issuer blocks the application after the transaction.",
                scripts: [IssuerScript(.afterFinalCryptogram, [.applicationBlock])]),
            scripted(
                "script-blocks-the-card", reason: "The issuer blocks the card after the transaction.",
                scripts: [IssuerScript(.afterFinalCryptogram, [.cardBlock])]),
        ]
    }

    private static func scripted(
        _ name: String, reason: String, scripts: [IssuerScript], change: (inout TraceCase) -> Void = { _ in }
    ) -> TraceCase {
        TraceCase(name, reason, expect: "approved online") {
            $0.request.amount = 150_00
            $0.scripts = scripts
            change(&$0)
        }
    }

    private static func spoiled(_ moment: IssuerScript.Moment) -> IssuerScript {
        var script = IssuerScript(moment, [.pinUnblock])
        script.spoilsMACs = true
        return script
    }
}

extension CardProfile {
    /// Changes to another style, but keeps keys and list.
    fileprivate mutating func change(to style: CardProfile) {
        let (sizes, list) = (keySizes, cvmList)
        self = style
        keySizes = sizes
        cvmList = list
    }
}
