import BenchCards
import BenchHost
import Bytes
import CardBench
import CardCapture
import CardCryptography
import CardProfiles
import CardReaders
import Console
import Contactless
import DeviceIO
import EMVKernel
import FoundationEssentials
import Kernels
import PaymentTerminal
import SmartCard
import Synchronization
import TLV
import TerminalFiles
import TerminalJournal
import VirtualCard

/// A lane of a shop on the bench: a terminal between a virtual reader and the bench host.
struct BenchLane {
    let terminal: Terminal
    let log: LaneLog
    let profile: CardProfile
    /// How the lane takes taps.
    let taps: EntryPointConfiguration
    /// The terminal's, the local one first.
    var languages: [Language] { taps.terminal.languages }
    /// Whether the virtual card has a published test number and enciphers its records (kernel 8),
    /// in which digits look like card numbers by chance.
    var hasEncipheredTestCard: Bool {
        guard case .kernel8 = profile.contactless else { return false }
        return TestCardNumbers.contains(profile.account.pan)
    }
    /// The issuer's test key for the cryptograms of the virtual card, in hexadecimal digits.
    var issuerMasterKey: String { profile.issuerMasterKeys.applicationCryptogram.bytes.revealed().hex }
    private let host: LaneHost

    /// - Parameters:
    ///   - opening: Opens the host when the card is known: a wrong card leaves no vault behind.
    ///   - folder: Where the virtual card keeps its counter.
    ///   - place: The reader with the card; nil for a virtual reader.
    ///   - settings: The terminal's configuration file; nil for a terminal of the bench.
    ///   - interface: How the card is presented.
    ///   - callsIssuer: Whether the cashier can call the issuer.
    ///   - languages: The terminal's, the local one first.
    ///   - tapPlace: A contactless reader in addition to the contacts of `place`.
    init(
        at opening: (CardProfile) async throws -> LaneHost, folder: URL, card: BenchCard,
        in place: ReaderPlace? = nil,
        settings: TerminalFile? = nil, interface: CardInterface = .contact, tapPlace: ReaderPlace? = nil,
        callsIssuer: Bool = false,
        languages: [Language] = [],
        log: LaneLog
    ) async throws {
        let file = try card.load()
        let host = try await opening(file.profile)
        self.host = host
        let state = CardCounter(folder: folder)
        var profile = file.profile
        let (counter, isUsedUp) = profile.initialATC.addingReportingOverflow(try state.take())
        guard !isUsedUp else {
            throw InputError("the card's counter is used up: give it a lower initialATC, or start a new vault")
        }
        profile.initialATC = counter
        if interface == .contactless { profile = try card.tapped(profile) }
        self.profile = profile
        let opened: OpenedReader
        let caKeys: [CAPublicKey]
        var field: (any CardSlot)?
        var timing = ContactlessReader.Timing.system
        /// The contacts of the card that is tapped.
        var contacts: (VirtualReader, any CardChannel)?
        if let place {
            opened = try await place.open(interface == .contactless ? .contactless : .contact)
            if case .chip(let slot) = try await tapPlace?.open(.contactless) { field = slot }
            caKeys = place.caKeys
        } else {
            let personalized = try PersonalizedCard.make(profile)
            let clock = VirtualReaderClock()
            timing = clock.timing
            func held(to interface: CardInterface) -> any CardChannel {
                FaultyCard(VirtualCard(personalized, interface: interface), file.faults) { await clock.wait($0) }
            }
            opened = .chip(
                VirtualReader(card: held(to: interface), interface: interface == .contactless ? .contactless : .contact)
            )
            // A recording has one conversation, so its card is not inserted after a tap.
            if interface == .contactless, log.recording == nil {
                contacts = (VirtualReader(waitsForCard: true), held(to: .contact))
            }
            caKeys = personalized.caPublicKeys
        }
        self.log = log
        var shop = settings?.terminal ?? .bench
        shop.callsIssuer = callsIssuer
        shop.paymentLog = log.folder ?? shop.paymentLog
        terminal = Terminal(
            configuration: shop, host: log.recording.map { RecordedHost(host: host.host, recording: $0) } ?? host.host,
            journal: host.journal)
        var configuration = settings?.kernel ?? Self.kernelConfiguration
        configuration.caKeys += caKeys
        if !languages.isEmpty { configuration.languages = languages }
        switch card {
        case .style(.visa), .style(.mastercard): break
        case .style(.kernel8), .file: if settings == nil { configuration.accept(profile) }
        }
        var combinations =
            settings?.contactless
            ?? Self.combinations(profile, relayResistance: place == nil ? RelayResistanceLimits() : nil)
        if let keys = log.recording?.channelKeys { combinations = combinations.map(keys.recording) }
        taps = EntryPointConfiguration(terminal: configuration, combinations: combinations)
        if interface == .contactless || tapPlace != nil, taps.combinations.isEmpty {
            throw InputError("the terminal's file accepts no taps: add \"contactless\" (docs/terminal-file.md)")
        }
        let reader: any CardReader
        if let (slot, card) = contacts {
            reader = try Self.reader(.chip(slot), field: opened.slot, interface: .contact, taps, timing, log: log)
            Self.insert(card, into: slot, whenAskedBy: reader.events)
        } else {
            reader = try Self.reader(opened, field: field, interface: interface, taps, timing, log: log)
        }
        try await terminal.connect(reader)
    }

    /// A lane as the command line asks for it.
    init(
        _ bench: BenchOptions, settings: TerminalFile?, interface: CardInterface = .contact, wire: WireRecorder? = nil,
        tapPlace: ReaderPlace? = nil, callsIssuer: Bool = false, languages: [Language] = [], log: LaneLog
    ) async throws {
        try await self.init(
            at: { card in
                try await bench.shop.open(for: settings, cards: [card], swipeKeys: try bench.swipeKeys())
            }, folder: bench.shop.counterFolder, card: bench.card, in: try ReaderPlace(bench, wire: wire),
            settings: settings,
            interface: interface, tapPlace: tapPlace, callsIssuer: callsIssuer, languages: languages, log: log)
    }

    /// Simulates the cardholder: inserts the card after a tap has asked for the contacts.
    private static func insert(_ card: any CardChannel, into slot: VirtualReader, whenAskedBy events: ReaderEvents) {
        let stream = events.stream()
        Task {
            for await event in stream {
                guard event == .instruction(.insertCard) else { continue }
                return await slot.insert(card)
            }
        }
    }

    private static func reader(
        _ opened: OpenedReader, field: (any CardSlot)?, interface: CardInterface, _ taps: EntryPointConfiguration,
        _ timing: ContactlessReader.Timing, log: LaneLog
    ) throws -> any CardReader {
        let cardholder = BenchCardholder(pinPad: try BenchPINPad.make())
        func recorded(_ slot: any CardSlot) -> any CardSlot {
            log.recording.map { RecordedSlot(slot: slot, recording: $0) } ?? slot
        }
        func chip(_ slot: any CardSlot) -> ChipReader {
            ChipReader(
                slot: recorded(slot), kernel: ContactKernel(taps.terminal), cardholder: cardholder,
                observer: log.observer)
        }
        func contactless(_ slot: any CardSlot) -> ContactlessReader {
            ContactlessReader(
                slot: recorded(slot), configuration: taps, cardholder: cardholder, timing: timing,
                observe: log.observer.exchange)
        }
        switch (opened, field) {
        case (.chip(let slot), let field?):
            return MultiInterfaceReader(contactless: contactless(field), chip: chip(slot))
        case (.chipAndMagstripe(let slot, let magstripe), let field?):
            return MultiInterfaceReader(contactless: contactless(field), chip: chip(slot), stripe: magstripe)
        case (_, _?): throw InputError("the reader has no contacts that are driven here: leave out --tap-reader")
        case (_, nil): break
        }
        switch opened {
        case .chip(let slot) where interface == .contactless: return contactless(slot)
        case .chip(let slot): return chip(slot)
        case .reader(let reader) where interface == .contactless && reader.capabilities.contains(.contactlessChip):
            return reader
        case _ where interface == .contactless:
            throw InputError("the reader has no field for contactless cards that is driven here: sell without --tap")
        case .magstripe(let slot): return MagstripeReader(slot: slot, languages: taps.terminal.languages)
        case .chipAndMagstripe(let slot, let magstripe):
            return MultiInterfaceReader(chip: chip(slot), stripe: magstripe)
        case .reader(let reader): return reader
        }
    }

    /// Makes a payment, and shows meanwhile what the cardholder sees.
    func showing(
        on screen: TapScreen?, _ payment: (Terminal) async throws -> PaymentResponse
    ) async throws -> PaymentResponse {
        guard let screen else { return try await withTerminal(payment) }
        let events = terminal.eventStream()
        async let shown: Void = screen.follow(events)
        let response: PaymentResponse
        do {
            response = try await withTerminal(payment)
        } catch {
            await shown
            throw error
        }
        await shown
        return response
    }

    /// Does something with the terminal, as ``LaneHost/with(_:_:)``.
    func withTerminal<Result>(_ body: (Terminal) async throws -> Result) async throws -> Result {
        try await host.with(terminal, body)
    }

    /// Closes journal and vault for the next lane.
    func close() throws { try host.close() }

    // MARK: The parts

    /// Taps up to 250 euro; from 50 euro on the cardholder is verified, above 25 euro the payment
    /// goes online.
    static let limits = TransactionLimits(transactionLimit: 250_01, floorLimit: 25_00, cvmRequiredLimit: 50_00)

    /// - Parameters:
    ///   - profile: The profile of the card, whose applications kernel 8 accepts.
    ///   - relayResistance: Nil for a real reader: its timing is unknown, so relay resistance is
    ///     disabled.
    static func combinations(
        _ profile: CardProfile, limits: TransactionLimits = limits, hasPINPad: Bool = true,
        relayResistance: RelayResistanceLimits?
    ) -> [Combination] {
        var combinations: [Combination] = [
            .visa(limits: limits, hasPINPad: hasPINPad),
            .mastercard(limits: limits, hasPINPad: hasPINPad, relayResistance: relayResistance),
            .americanExpress(limits: limits, hasPINPad: hasPINPad), .unionPay(limits: limits, hasPINPad: hasPINPad),
        ]
        if case .kernel8 = profile.contactless {
            combinations += profile.applications.map {
                .kernel8(aid: $0.aid, limits: limits, hasPINPad: hasPINPad, relayResistance: relayResistance)
            }
        }
        return combinations
    }

    /// An attended terminal in Germany that accepts Visa and Mastercard.
    private static let kernelConfiguration: TerminalConfiguration = {
        var configuration = TerminalConfiguration.attended(
            countryCode: 276, applications: [.visa, .mastercard], caKeys: [], hasPINPad: true)
        configuration.merchant.identifier = "BENCH"
        configuration.merchant.terminalIdentification = "BENCH001"
        configuration.merchant.nameAndLocation = "CARDPRESENT BENCH"
        configuration.merchant.interfaceDeviceSerialNumber = "VIRTUAL1"
        configuration.merchant.categoryCode = 5999
        return configuration
    }()
}

/// The cardholder at the bench: chooses the first application and leaves the PIN to the PIN pad.
private struct BenchCardholder: Cardholder {
    let pinPad: (any PINPad)?
    func chooseApplication(_ candidates: [Candidate]) async -> Int? { 0 }
}

/// The transaction counter of a virtual card, stored next to the vault because the issuer in the
/// vault remembers it.
struct CardCounter {
    private let path: String

    init(folder: URL) { path = folder.appending(path: "virtual-card.atc").path(percentEncoded: false) }

    /// The initial counter. The next run begins above all counters of this run.
    func take() throws(InputError) -> UInt16 {
        var last: UInt16 = 0
        if FileManager.default.fileExists(atPath: path) {
            guard let found = UInt16(try InputFile.text(path).prefix { $0 != "\n" }) else {
                throw InputError("\(path): not the counter of a card: start a new vault")
            }
            last = found
        }
        guard last <= UInt16.max - 16 else {
            throw InputError("\(path): the card's counter is used up: start a new vault")
        }
        try OutputFile.replace(path, with: "\(last + 16)\n")
        return last
    }
}
