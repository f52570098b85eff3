private import Bytes
public import SmartCard
public import TLV

extension CardImage {
    /// The most applications that are looked at, and the most directory records that are read.
    public static let maximumApplications = 16
    static let maximumDirectoryRecords = 16
    /// As many records as the kernel reads.
    static let maximumRecords = 64

    /// `1PAY.SYS.DDF01` (EMV 4.4 Book 1, 12.2.2).
    static let environmentName = Array("1PAY.SYS.DDF01".utf8)

    /// Reads a card: selection, GET PROCESSING OPTIONS, records, GET DATA and, where the card offers DDA, INTERNAL AUTHENTICATE. It is asked for no cryptogram; its
    /// transaction counter goes up all the same, once for each application, since cards count with GET PROCESSING OPTIONS.
    ///
    /// - Parameters:
    ///   - names: The AIDs that are sought besides those of the directory.
    ///   - terminal: What a PDOL and a DDOL are answered with; what is not in it is sent as zeros.
    /// - Throws: Where the card does not answer any more. A card that refuses is read as far as it goes.
    public mutating func read(_ card: any CardChannel, names: [[UInt8]], terminal: DataElements) async throws(CardChannelError) {
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
            // The card's own name, where only its beginning was asked for.
            let own = ApplicationFile.name(fci.data) ?? name
            guard !applications.contains(where: { $0.name == own }) else { continue }
            // A terminal's AID that the card answers with an error is no application of the card's.
            guard !names.contains(name) || fci.status == .success || fci.status == .selectedFileInvalidated else { continue }
            var application = Application(name: names.contains(name) ? own : name, fci: fci)
            if fci.status == .success { try await application.read(card, terminal) }
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
        // No command carries more (EMV 4.4 Book 3, 5.4).
        guard list.dataLength <= 252 else { return }
        let options = CardImage.Answer(try await card.transmit(.getProcessingOptions(tlv(.commandTemplate, list.concatenate(terminal)))))
        self.options = options
        guard options.status == .success else { return }
        let processing = ProcessingOptions(options.data)
        if let bytes = processing.locator, let locator = ApplicationFileLocator(bytes) {
            try await readRecords(locator, card)
        }
        for counter in CardImage.Counter.allCases {
            counters[counter] = CardImage.Answer(try await card.transmit(.getData(counter.rawValue)))
        }
        if processing.profile?.contains(.ddaSupported) ?? false { try await challenge(card, terminal) }
    }

    private mutating func readRecords(_ locator: ApplicationFileLocator, _ card: any CardChannel) async throws(CardChannelError) {
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

    /// With the card's DDOL, or the default that asks for the unpredictable number alone (EMV 4.4 Book 2, 6.5.1).
    private mutating func challenge(_ card: any CardChannel, _ terminal: DataElements) async throws(CardChannelError) {
        let bytes = elements[.ddol] ?? [0x9F, 0x37, 0x04]
        guard elements.contains(.iccPublicKeyCertificate), let list = try? DOL(parsing: bytes), list.dataLength <= 252 else { return }
        let sent = list.concatenate(terminal)
        challenge = CardImage.Challenge(sent: sent, answer: CardImage.Answer(try await card.transmit(.internalAuthenticate(sent))))
    }
}
