public import CardCryptography
internal import SmartCard
internal import TLV

extension CardImage {
    /// The circumstances of an inspection.
    public struct Circumstances: Sendable {
        /// YYMMDD in format `n`.
        public var date: [UInt8]
        /// The authorities' keys for the card's certificates.
        public var caKeys: [CAPublicKey]
        /// How many days in advance an expiry is reported.
        public var notice: Int

        public init(date: [UInt8], caKeys: [CAPublicKey] = [], notice: Int = 60) {
            self.date = date
            self.caKeys = caKeys
            self.notice = notice
        }
    }

    /// All findings about the card, in the order of a transaction.
    public func findings(_ circumstances: Circumstances) -> [CardFinding] {
        guard interface == .contact else { return contactlessFindings(circumstances) }
        var findings = answerToResetFindings + directoryFindings
        for application in applications {
            let inspection = ApplicationInspection(application, circumstances)
            findings += application.selectionFindings
            guard application.fci.status == .success else { continue }
            findings += application.optionFindings
            guard application.options?.status == .success else { continue }
            findings +=
                inspection.recordFindings + inspection.objectFindings + inspection.dateFindings
                + inspection.accountFindings
            findings +=
                inspection.verificationFindings + inspection.actionCodeFindings + inspection.listFindings
                + inspection.counterFindings
            findings += inspection.authenticationFindings
        }
        return findings
    }
}

/// The inspection of one application, with its data objects.
struct ApplicationInspection {
    let application: CardImage.Application
    let circumstances: CardImage.Circumstances
    let located: [LocatedObject]
    let elements: DataElements
    let profile: ApplicationInterchangeProfile

    init(_ application: CardImage.Application, _ circumstances: CardImage.Circumstances) {
        self.application = application
        self.circumstances = circumstances
        located = application.located
        elements = application.elements
        profile = elements[.applicationInterchangeProfile].flatMap(ApplicationInterchangeProfile.init) ?? []
    }

    /// The definition of a tag at the card's interface; nil if it is not in the dictionary.
    func definition(_ tag: Tag, count: Int) -> TagDefinition? {
        guard application.interface == .contactless else { return TagDictionary[tag] }
        let context = ValueContext(rid: Array(application.name.prefix(5)), interface: .contactless)
        return TagDictionary.definition(tag, context, count: count)
    }

    var today: CertificateDate? { CertificateDate(yymmdd: circumstances.date) }

    /// A finding about a data object.
    func finding(
        _ kind: CardFinding.Kind, severity: CardFinding.Severity, tag: Tag, summary: String, source: String
    ) -> CardFinding {
        CardFinding(kind, severity: severity, place: application.place(of: tag), summary: summary, source: source)
    }
}
