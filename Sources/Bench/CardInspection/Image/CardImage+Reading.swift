private import Bytes
public import SmartCard
public import TLV

extension CardImage {
    /// The maximum number of applications, and of directory records that are read.
    public static let maximumApplications = 16
    static let maximumDirectoryRecords = 16
    /// The same maximum number of records as in the kernel.
    static let maximumRecords = 64

    /// `1PAY.SYS.DDF01` (EMV 4.4 Book 1, 12.2.2).
    static let environmentName = Array("1PAY.SYS.DDF01".utf8)
    /// `2PAY.SYS.DDF01` (EMV Contactless Book B, 3.3.2).
    static let contactlessEnvironmentName = Array("2PAY.SYS.DDF01".utf8)

    /// Reads a card: selection, GET PROCESSING OPTIONS, records, GET DATA and, if the card offers
    /// DDA, INTERNAL AUTHENTICATE. No cryptogram is requested. The transaction counter still
    /// increases, once for each application, because cards count with GET PROCESSING OPTIONS.
    ///
    /// In a reader's field neither GET DATA nor INTERNAL AUTHENTICATE is sent, and of an
    /// application of kernel 8 nothing is read after SELECT, because it answers within a secure
    /// channel only. Applications whose kernel asks for the cryptogram with GET PROCESSING OPTIONS,
    /// Visa's above all, return one.
    ///
    /// - Parameters:
    ///   - names: The AIDs to select in addition to those of the directory.
    ///   - terminal: The data for PDOL and DDOL; missing data are sent as zeros.
    /// - Throws: An error if the card stops answering. A card that refuses commands is read as far
    ///   as possible.
    public mutating func read(_ card: any CardChannel, names: [[UInt8]], terminal: DataElements)
        async throws(CardChannelError)
    {
        guard interface == .contact else { return try await readField(card, names: names, terminal: terminal) }
        let environment = Answer(try await card.transmit(.select(Self.environmentName)))
        self.environment = environment
        if environment.status == .success, let sfi = DirectoryFile.identifier(environment.data) {
            try await readDirectory(sfi, card)
        }
        var sought = directory.flatMap { DirectoryFile.names($0.answer.data) }
        for name in names where !sought.contains(where: { $0.starts(with: name) }) { sought.append(name) }
        for name in sought.prefix(64) where applications.count < Self.maximumApplications {
            let fci = Answer(try await card.transmit(.select(name)))
            guard fci.status != .fileNotFound else {
                if names.contains(name) { continue }
                applications.append(Application(name: name, fci: fci))
                continue
            }
            // The card's complete name, if only its beginning was selected.
            let own = ApplicationFile.name(fci.data) ?? name
            guard !applications.contains(where: { $0.name == own }) else { continue }
            // If the card answers a terminal's AID with an error, it does not have that
            // application.
            guard !names.contains(name) || fci.status == .success || fci.status == .selectedFileInvalidated else {
                continue
            }
            var application = Application(name: names.contains(name) ? own : name, fci: fci)
            if fci.status == .success { try await application.read(card, terminal) }
            applications.append(application)
        }
    }

    /// Reads the applications of the directory, then those of `names` that it does not contain.
    private mutating func readField(_ card: any CardChannel, names: [[UInt8]], terminal: DataElements)
        async throws(CardChannelError)
    {
        let environment = Answer(try await card.transmit(.select(Self.contactlessEnvironmentName)))
        self.environment = environment
        let listed = environment.status == .success ? DirectoryFile.names(environment.data) : []
        for name in (listed + names).prefix(64) where applications.count < Self.maximumApplications {
            guard !applications.contains(where: { $0.name == name }) else { continue }
            let fci = Answer(try await card.transmit(.select(name)))
            guard fci.status == .success || listed.contains(name) else { continue }
            var application = Application(name: name, fci: fci, interface: .contactless)
            if fci.status == .success, !application.hasSecureChannel { try await application.read(card, terminal) }
            applications.append(application)
        }
    }

    private mutating func readDirectory(_ sfi: UInt8, _ card: any CardChannel) async throws(CardChannelError) {
        // fits: a constant
        for number in 1...UInt8(Self.maximumDirectoryRecords) {
            let answer = Answer(try await card.transmit(.readRecord(number, sfi: sfi)))
            guard answer.status != .recordNotFound else { return }
            directory.append(Record(RecordNumber(sfi: sfi, number: number), answer))
            guard answer.status == .success else { return }
        }
    }
}

extension CardImage.Application {
    fileprivate mutating func read(_ card: any CardChannel, _ terminal: DataElements) async throws(CardChannelError) {
        let list: DOL
        do throws(TLVError) {
            list = try ApplicationFile.options(fci.data)
        } catch {
            return
        }
        // The maximum of a command (EMV 4.4 Book 3, 5.4).
        guard list.dataLength <= 252 else { return }
        let options = CardImage.Answer(
            try await card.transmit(.getProcessingOptions(tlv(.commandTemplate, list.concatenate(terminal)))))
        self.options = options
        guard options.status == .success else { return }
        let processing = ProcessingOptions(options.data)
        if let bytes = processing.locator, let locator = ApplicationFileLocator(bytes) {
            try await readRecords(locator, card)
        }
        guard interface == .contact else { return }
        for counter in CardImage.Counter.allCases {
            counters[counter] = CardImage.Answer(try await card.transmit(.getData(counter.rawValue)))
        }
        if processing.profile?.contains(.ddaSupported) ?? false { try await challenge(card, terminal) }
    }

    private mutating func readRecords(_ locator: ApplicationFileLocator, _ card: any CardChannel)
        async throws(CardChannelError)
    {
        for entry in locator.entries {
            for number in entry.records {
                guard records.count < CardImage.maximumRecords else { return }
                let answer = CardImage.Answer(try await card.transmit(.readRecord(number, sfi: entry.sfi)))
                records.append(
                    CardImage.Record(
                        RecordNumber(sfi: entry.sfi, number: number), answer,
                        isAuthenticated: number - entry.records.lowerBound < entry.authenticatedCount))
            }
        }
    }

    /// With the card's DDOL, or the default with only the unpredictable number (EMV 4.4 Book 2,
    /// 6.5.1).
    private mutating func challenge(_ card: any CardChannel, _ terminal: DataElements) async throws(CardChannelError) {
        let bytes = elements[.ddol] ?? [0x9F, 0x37, 0x04]
        guard elements.contains(.iccPublicKeyCertificate), let list = try? DOL(parsing: bytes), list.dataLength <= 252
        else { return }
        let sent = list.concatenate(terminal)
        challenge = CardImage.Challenge(
            sent: sent, answer: CardImage.Answer(try await card.transmit(.internalAuthenticate(sent))))
    }
}
