import Bytes
import CardCryptography
public import EMVKernel
public import SmartCard
import TLV

/// The terminal and the request described in the head of a trace (`docs/trace-format.md`): with it,
/// a replay needs no assumptions.
public struct RecordedTerminal: Sendable {
    public var configuration: TerminalConfiguration
    public var request: TransactionRequest

    public init(configuration: TerminalConfiguration, request: TransactionRequest) {
        self.configuration = configuration
        self.request = request
    }

    /// The description in `trace`; nil if it has no `terminal`.
    public init?(_ trace: APDUTrace) throws(RecordedTerminalError) {
        try self.init(trace, moreKeys: [], memory: nil)
    }

    /// - Parameters:
    ///   - moreKeys: Keys of the terminal after those of the trace.
    ///   - memory: Has the terminal with its keys, if the log before has the same.
    init?(_ trace: APDUTrace, moreKeys: [CAPublicKey], memory: ReplayMemory?) throws(RecordedTerminalError) {
        guard let terminal = trace["terminal"] else { return nil }
        let others = trace.metadata.filter { $0.name == "application" || $0.name == "ca-key" }
        if let memory {
            var head = [terminal]
            head.reserveCapacity(1 + 2 * others.count)
            for line in others { head += [line.name, line.value] }
            configuration = try memory.terminal(head) { () throws(RecordedTerminalError) in
                try Self.configuration(terminal, others, moreKeys)
            }
        } else {
            configuration = try Self.configuration(terminal, others, moreKeys)
        }
        request = try Self.request(trace["transaction"] ?? "")
    }

    private static func configuration(
        _ terminal: String, _ others: [(name: String, value: String)], _ moreKeys: [CAPublicKey]
    ) throws(RecordedTerminalError) -> TerminalConfiguration {
        let words = try RecordedWords("terminal", terminal)
        var configuration = TerminalConfiguration(
            type: TerminalType(rawValue: try words.bytes("type", count: 1)?[0] ?? 0x22),
            capabilities: try words.field("capabilities") ?? [],
            additionalCapabilities: try words.field("additional") ?? [],
            countryCode: UInt16(clamping: try words.number("country", through: 999) ?? 0), applications: [], caKeys: [],
            usesPaymentSystemEnvironment: words.has("directory"),
            cardholderSelectsApplication: words.has("cardholder-selects"),
            languages: words.list("languages")?.compactMap { Language($0) } ?? [])
        configuration.allowsPlaintextOfflinePIN = words.has("plaintext-pin")
        if let length = try words.number("script-length", through: 65535) {
            configuration.maximumScriptLength = Int(clamping: length)
        }
        for (name, value) in others {
            if name == "application" {
                configuration.applications.append(try application(value))
            } else {
                configuration.caKeys.append(try caKey(value))
            }
        }
        configuration.caKeys += moreKeys
        return configuration
    }

    private static func request(_ text: String) throws(RecordedTerminalError) -> TransactionRequest {
        let asked = try RecordedWords("transaction", text)
        let kind = try asked.bytes("type", count: 1)?[0] ?? 0
        guard let kind = TransactionRequest.Kind(rawValue: kind) else { throw asked.problem("type") }
        let request = TransactionRequest(
            kind: kind, amount: try asked.number("amount", through: 999_999_999_999) ?? 0,
            amountOther: try asked.number("other", through: 999_999_999_999) ?? 0,
            currencyCode: UInt16(clamping: try asked.number("currency", through: 999) ?? 0),
            currencyExponent: UInt8(clamping: try asked.number("exponent", through: 9) ?? 2),
            date: try asked.bytes("date", count: 3) ?? [0x26, 1, 1],
            time: try asked.bytes("time", count: 3) ?? [0, 0, 0],
            sequenceCounter: UInt32(clamping: try asked.number("counter", through: 99_999_999) ?? 1),
            forcesOnline: asked.has("forced-online"))
        guard request.amountOther <= request.amount else { throw asked.problem("other") }
        return request
    }

    private static func application(_ text: String) throws(RecordedTerminalError) -> ApplicationConfiguration {
        let words = try RecordedWords("application", text)
        guard let aid = try words.bytes("aid"), (5...16).contains(aid.count) else { throw words.problem("aid") }
        var versions: [UInt16] = []
        for version in words.list("versions") ?? [] {
            guard version.utf8.count == 4, let number = UInt16(version, radix: 16) else {
                throw words.problem("versions")
            }
            versions.append(number)
        }
        let random = words.list("random")?.map { UInt32($0) } ?? [0, 0, 0]
        guard random.count == 3, let target = random[0], let maximum = random[1], let threshold = random[2],
            max(target, maximum) <= 99
        else {
            throw words.problem("random")
        }
        var application = ApplicationConfiguration(
            aid: aid, matchesPartially: !words.has("whole-name"), versions: versions,
            actionCodes: ActionCodes(
                denial: try words.field("denial") ?? [], online: try words.field("online") ?? [],
                default: try words.field("default") ?? []),
            floorLimit: UInt32(clamping: try words.number("floor-limit", through: UInt64(UInt32.max)) ?? 0),
            randomSelection: RandomSelection(
                targetPercentage: Int(target), maximumPercentage: Int(maximum), threshold: threshold),
            defaultTDOL: try words.bytes("tdol"), riskManagementData: try words.bytes("risk-data"))
        if let list = try words.bytes("ddol") { application.defaultDDOL = list }
        application.capabilities = try words.field("capabilities")
        return application
    }

    private static func caKey(_ text: String) throws(RecordedTerminalError) -> CAPublicKey {
        let words = try RecordedWords("ca-key", text)
        guard let rid = try words.bytes("rid", count: 5), let index = try words.bytes("index", count: 1)?[0] else {
            throw words.problem("rid")
        }
        if let x = try words.bytes("x") {
            guard let suite = try words.bytes("suite", count: 1).flatMap({ SignatureSuite(rawValue: $0[0]) }),
                let key = try? ECPublicKey(suite.curve, x: x)
            else { throw words.problem("x") }
            return CAPublicKey(rid: rid, index: index, key: .ellipticCurve(key, suite), isTest: true)
        }
        guard let modulus = try words.bytes("modulus"), let exponent = try words.bytes("exponent"),
            let key = try? RSAPublicKey(modulus: modulus, exponent: exponent)
        else { throw words.problem("modulus") }
        return CAPublicKey(rid: rid, index: index, key: key, isTest: true)
    }

    // MARK: Writing

    /// For the head of a trace.
    public var metadata: [(name: String, value: String)] {
        var terminal = [
            "type=\([configuration.type.rawValue].hex)", "capabilities=\(configuration.capabilities)",
            "additional=\(configuration.additionalCapabilities)", "country=\(configuration.countryCode)",
        ]
        if configuration.usesPaymentSystemEnvironment { terminal.append("directory") }
        if configuration.cardholderSelectsApplication { terminal.append("cardholder-selects") }
        if configuration.allowsPlaintextOfflinePIN { terminal.append("plaintext-pin") }
        if !configuration.languages.isEmpty {
            terminal.append("languages=" + configuration.languages.map(\.code).joined(separator: ","))
        }
        if configuration.maximumScriptLength != 128 {
            terminal.append("script-length=\(min(configuration.maximumScriptLength, 65535))")
        }
        var asked = [
            "type=\([request.kind.rawValue].hex)", "amount=\(request.amount)", "other=\(request.amountOther)",
            "currency=\(request.currencyCode)", "exponent=\(request.currencyExponent)", "date=\(request.date.hex)",
            "time=\(request.time.hex)", "counter=\(request.sequenceCounter)",
        ]
        if request.forcesOnline { asked.append("forced-online") }
        return [("terminal", terminal.joined(separator: " ")), ("transaction", asked.joined(separator: " "))]
            + configuration.applications.map { ("application", Self.words($0)) }
            + configuration.caKeys.map { ("ca-key", Self.words($0)) }
    }

    private static func words(_ application: ApplicationConfiguration) -> String {
        let random = application.randomSelection
        var words = [
            "aid=\(application.aid.hex)", "versions=" + application.versions.map(\.hex).joined(separator: ","),
            "denial=\(application.actionCodes.denial)", "online=\(application.actionCodes.online)",
            "default=\(application.actionCodes.default)", "floor-limit=\(application.floorLimit)",
            "random=\(random.targetPercentage),\(random.maximumPercentage),\(random.threshold)",
            "ddol=\(application.defaultDDOL.hex)",
        ]
        if !application.matchesPartially { words.append("whole-name") }
        if let list = application.defaultTDOL { words.append("tdol=\(list.hex)") }
        if let data = application.riskManagementData { words.append("risk-data=\(data.hex)") }
        if let capabilities = application.capabilities { words.append("capabilities=\(capabilities)") }
        return words.joined(separator: " ")
    }

    private static func words(_ key: CAPublicKey) -> String {
        let name = "rid=\(key.rid.hex) index=\([key.index].hex)"
        return switch key.key {
        case .rsa(let key): "\(name) exponent=\(key.exponent.hex) modulus=\(key.modulus.hex)"
        case .ellipticCurve(let key, let suite): "\(name) suite=\([suite.rawValue].hex) x=\(key.x.hex)"
        }
    }
}

/// An invalid line in the head of a trace.
public struct RecordedTerminalError: Error, Equatable, Sendable, CustomStringConvertible {
    public let metadata: String
    public let word: String

    public var description: String { "\(word) in the metadata \"\(metadata)\" is missing or invalid" }
}

/// Metadata of the form `name=value name=value word`, on bytes.
private struct RecordedWords {
    private let metadata: String
    private let text: [UInt8]
    /// Each word's name, and the range of its value in `text`. So few that a scan is faster than
    /// hashing.
    private var words: [(name: String, value: Range<Int>)] = []

    init(_ metadata: String, _ text: String) throws(RecordedTerminalError) {
        self.metadata = metadata
        self.text = Array(text.utf8)
        words.reserveCapacity(8)
        var rest = self.text[...]
        while let start = rest.firstIndex(where: { $0 != UInt8(ascii: " ") }) {
            let word = rest[start...].prefix { $0 != UInt8(ascii: " ") }
            rest = rest[word.endIndex...]
            let equals = word.firstIndex(of: UInt8(ascii: "=")) ?? word.endIndex
            let name = string(start..<equals)
            guard value(name) == nil else { throw problem(name) }
            words.append((name, min(equals + 1, word.endIndex)..<word.endIndex))
        }
    }

    func problem(_ word: String) -> RecordedTerminalError { RecordedTerminalError(metadata: metadata, word: word) }

    func has(_ word: String) -> Bool { value(word) != nil }

    /// The range of the value of `word`; empty without a value; nil if the word is absent.
    private func value(_ word: String) -> Range<Int>? {
        words.first { $0.name == word }?.value
    }

    private func string(_ range: Range<Int>) -> String { String(decoding: text[range], as: UTF8.self) }

    /// The parts of a value, separated by commas.
    func list(_ word: String) -> [String]? {
        value(word).map { text[$0].split(separator: UInt8(ascii: ",")).map { String(decoding: $0, as: UTF8.self) } }
    }

    func bytes(_ word: String, count: Int? = nil) throws(RecordedTerminalError) -> [UInt8]? {
        guard let digits = value(word) else { return nil }
        guard let bytes = [UInt8](hexDigits: text.span.extracting(digits)), !bytes.isEmpty,
            count == nil || bytes.count == count
        else {
            throw problem(word)
        }
        return bytes
    }

    func field<Field: BitField>(_ word: String) throws(RecordedTerminalError) -> Field? {
        guard let bytes = try bytes(word) else { return nil }
        guard let field = Field(bytes) else { throw problem(word) }
        return field
    }

    func number(_ word: String, through most: UInt64) throws(RecordedTerminalError) -> UInt64? {
        guard let digits = value(word) else { return nil }
        guard let number = UInt64(string(digits)), number <= most else { throw problem(word) }
        return number
    }
}
