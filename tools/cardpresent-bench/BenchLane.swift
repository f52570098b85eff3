import BenchHost
import BenchSetup
import Bytes
import CardCapture
import CardCryptography
import CardProfiles
import CardReaders
import Console
import EMVKernel
import FoundationEssentials
import PaymentTerminal
import SmartCard
import Synchronization
import TLV
import TerminalJournal
import VirtualCard

/// A lane of a shop on the bench: a terminal between a virtual reader and the bench host.
struct BenchLane {
    let terminal: Terminal
    let log: LaneLog
    let profile: CardProfile
    private let host: BenchHost
    private let journal: SQLiteJournal

    /// - Parameters:
    ///   - folder: Of the vault.
    ///   - place: Of a card in a reader; nil takes a virtual one.
    init(folder: URL, vaultKey: SecretBytes, card: BenchCard, in place: ReaderPlace? = nil, log: LaneLog) async throws {
        let file = try card.load()
        let state = CardCounter(folder: folder)
        // The vault comes first: it makes the folder, and refuses what must not be touched.
        let host = try BenchHost(folder: folder.path(percentEncoded: false), vaultKey: vaultKey, issuer: BenchIssuer.make([file.profile]))
        let journal = try await SQLiteJournal.open(folder: folder.path(percentEncoded: false), key: JournalKey.bytes(vaultKey))
        self.host = host
        self.journal = journal
        var profile = file.profile
        let (counter, isUsedUp) = profile.initialATC.addingReportingOverflow(try state.take())
        guard !isUsedUp else { throw InputError("the card's counter is used up: give it a lesser initialATC, or start a new vault") }
        profile.initialATC = counter
        self.profile = profile
        let slot: any CardSlot
        let caKeys: [CAPublicKey]
        if let place {
            slot = try await place.open()
            caKeys = place.caKeys
        } else {
            let personalised = try PersonalisedCard.make(profile)
            slot = VirtualReader(
                card: FaultyCard(VirtualCard(personalised), file.faults) { try? await Task.sleep(for: .milliseconds($0)) })
            caKeys = personalised.caPublicKeys
        }
        self.log = log
        var configuration = Self.kernelConfiguration(caKeys: caKeys)
        if case .file = card { configuration.take(profile) }
        let kernel = ContactKernel(configuration)
        let pad = try Self.pinPad()
        let reader = ChipReader(
            slot: log.recording.map { RecordedSlot(slot: slot, recording: $0) } ?? slot, kernel: kernel,
            cardholder: BenchCardholder(pinPad: pad), environment: BenchEnvironment(),
            now: { LaneClock.localTime() }, observer: log.observer)
        terminal = Terminal(
            configuration: Terminal.Configuration(
                merchantName: "CARDPRESENT BENCH", terminalID: "BENCH001", currency: .euro, mode: .test),
            host: log.recording.map { RecordedHost(host: host, recording: $0) } ?? host, journal: journal, clock: { LaneClock.timestamp() })
        try await terminal.connect(reader)
    }

    /// Lets go of the vault, for the next lane: what still runs of this one may hold it a while longer.
    func close() throws {
        try journal.close()
        try host.close()
    }

    // MARK: The parts

    private static func pinPad() throws -> VirtualPINPad {
        guard let pin = BenchIssuer.pin, let serial = KeySerialNumber(try [UInt8](hex: "FFFF9876543210E00000")) else {
            throw InputError("the PIN pad has no PIN")
        }
        let key = try TDESDUKPT.initialKey(baseDerivationKey: BenchIssuer.baseDerivationKey(), serialNumber: serial)
        return VirtualPINPad(.enters(pin), initialKey: key, serialNumber: serial)
    }

    /// An attended terminal in Germany that takes Visa and Mastercard, with the action codes that the schemes publish for terminals.
    private static func kernelConfiguration(caKeys: [CAPublicKey]) -> TerminalConfiguration {
        func codes(_ denial: UInt64, _ online: UInt64, _ default: UInt64) -> ActionCodes {
            ActionCodes(denial: .init(rawValue: denial), online: .init(rawValue: online), default: .init(rawValue: `default`))
        }
        var merchant = TerminalConfiguration.Merchant()
        merchant.identifier = "BENCH"
        merchant.terminalIdentification = "BENCH001"
        merchant.nameAndLocation = "CARDPRESENT BENCH"
        merchant.interfaceDeviceSerialNumber = "VIRTUAL1"
        merchant.categoryCode = 5999
        return TerminalConfiguration(
            capabilities: [.contactChip, .encipheredOnlinePIN, .signature, .noCVM, .sda, .dda, .cda],
            additionalCapabilities: [
                .goods, .services, .numericKeys, .commandKeys, .printAttendant, .printCardholder, .displayAttendant, .displayCardholder,
                .codeTable1,
            ],
            countryCode: 276,
            applications: [
                ApplicationConfiguration(
                    aid: [0xA0, 0x00, 0x00, 0x00, 0x03, 0x10, 0x10], versions: [0x0096, 0x008C],
                    actionCodes: codes(0x00_1000_0000, 0xDC_4004_F800, 0xDC_4000_A800)),
                ApplicationConfiguration(
                    aid: [0xA0, 0x00, 0x00, 0x00, 0x04, 0x10, 0x10], versions: [0x0002],
                    actionCodes: codes(0x00_0000_0000, 0xFC_50B8_F800, 0xFC_50B8_A000)),
            ],
            caKeys: caKeys, merchant: merchant)
    }
}

extension TerminalConfiguration {
    /// Takes the applications of `profile`, with the issuer's action codes alone, and everything that a card may ask of a PIN pad.
    fileprivate mutating func take(_ profile: CardProfile) {
        capabilities.formUnion([.encipheredOfflinePINByRSA, .encipheredOfflinePINByECC, .xda])
        for application in profile.applications where !applications.contains(where: { application.aid.starts(with: $0.aid) }) {
            applications.append(ApplicationConfiguration(aid: application.aid, versions: [profile.versionNumber]))
        }
    }
}

/// The cardholder at the bench: takes the first application and leaves the PIN to the pad.
private struct BenchCardholder: Cardholder {
    let pinPad: (any PINPad)?
    func chooseApplication(_ candidates: [Candidate]) async -> Int? { 0 }
}

private struct BenchEnvironment: EMVEnvironment {
    func unpredictableNumber() -> [UInt8] { SecureRandom.bytes(4) }
    func randomPercentage() -> Int { Int.random(in: 1...99) }
}

/// The counter that a virtual card has come to, kept beside the vault because the issuer in the vault remembers it.
struct CardCounter {
    private let path: String

    init(folder: URL) { path = folder.appending(path: "virtual-card.atc").path(percentEncoded: false) }

    /// The counter to begin with; the next one begins where no transaction of this run can have come.
    func take() throws(InputError) -> UInt16 {
        var last: UInt16 = 0
        if FileManager.default.fileExists(atPath: path) {
            guard let found = UInt16(try InputFile.text(path).prefix { $0 != "\n" }) else {
                throw InputError("\(path): not the counter of a card: start a new vault")
            }
            last = found
        }
        guard last <= UInt16.max - 16 else { throw InputError("\(path): the card's counter is used up: start a new vault") }
        try OutputFile.replace(path, with: "\(last + 16)\n")
        return last
    }
}
