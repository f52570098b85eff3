import Bytes
import CardCryptography
import Contactless
import EMVKernel
import JSONDocument
import SmartCard
import TLV

/// The values in the exchanges of a session, computed from the kernel's private key.
struct Session {
    let agreement: JSON
    private(set) var messages: [JSON] = []
    private(set) var local = JSON.null

    private var channel: BlindedChannel
    private var records: [UInt8] = []
    private var sent: [UInt8] = []
    private var relay: [UInt8] = []
    private var profile: [UInt8] = []
    private var name: [UInt8] = []

    init(_ exchanges: [APDUTrace.Exchange], agreement key: KernelKeyAgreement) throws {
        guard let options = exchanges.first(where: { $0.command.instruction == .getProcessingOptions }) else {
            throw SessionError("no processing options")
        }
        let objects = try DataElements(parsing: options.response.data)
        guard let (channel, blinded) = key.channel(cardKeyData: objects[.cardKeyData] ?? []) else {
            throw SessionError("no channel")
        }
        self.channel = channel
        let keys = channel.keys
        agreement = .object([
            "kernelKeyData": .hex(key.kernelKeyData), "cardKeyData": .hex(objects[.cardKeyData] ?? []),
            "blindingFactor": .hex(blinded.factor), "sharedX": .hex(keys.sharedX),
            "KD": .hex(keys.derivation.bytes.revealed()),
            "SKC": .hex(keys.confidentiality.bytes.revealed()), "SKI": .hex(keys.integrity.bytes.revealed()),
        ])
        sent = Template.contents(of: options.command.data, tag: .commandTemplate) ?? []
        profile = objects[.applicationInterchangeProfile] ?? []
        for exchange in exchanges { try take(exchange) }
    }

    private mutating func take(_ exchange: APDUTrace.Exchange) throws {
        let answer = exchange.response.data
        switch exchange.command.instruction {
        case .select: name = (try DataElements(parsing: answer))[.dfName] ?? []
        case .exchangeRelayResistanceData: relay = exchange.command.data + answer.dropFirst(2)
        case .readRecord: try takeRecord(answer, file: exchange.command.p2 >> 3)
        case .readData:
            let counter = channel.cardCounter
            guard let object = channel.openReadData(answer) else {
                throw SessionError("a data envelope cannot be opened")
            }
            note(
                "READ DATA", counter, plain: object, enciphered: Array(answer.dropLast(8)),
                code: Array(answer.suffix(8)))
        case .writeData:
            let (kernelCounter, cardCounter) = (channel.kernelCounter, channel.cardCounter)
            guard let object = channel.combineWriteData(exchange.command.data), let code = channel.writeDataCode(object)
            else {
                throw SessionError("the counters are used up")
            }
            note("WRITE DATA", kernelCounter, plain: object, enciphered: exchange.command.data)
            note("WRITE DATA, confirmed", cardCounter, plain: object, code: code)
        case .generateAC: try takeCryptogram(exchange)
        default: break
        }
    }

    private mutating func takeRecord(_ answer: [UInt8], file: UInt8) throws {
        let counter = channel.cardCounter
        guard let enciphered = Template.contents(of: answer, tag: .encipheredRecord),
            let contents = channel.combineCardMessage(enciphered)
        else { throw SessionError("a record cannot be deciphered") }
        if file == 2 { records += contents }
        note("record", counter, plain: contents, enciphered: enciphered)
    }

    private mutating func takeCryptogram(_ exchange: APDUTrace.Exchange) throws {
        let objects = try DataElements(parsing: exchange.response.data)
        let staticData = records + tlv(.dfName, name) + profile
        let hash = SHA256.hash(staticData)
        let signed = CombinedSignature.objects(
            of: exchange.response.data, without: [.applicationCryptogram, .enhancedDataAuthenticationMAC])
        let input = sent + exchange.command.data + relay + signed + hash
        let code = channel.issuerApplicationDataMAC(input)
        var issuerData = objects[.issuerApplicationData] ?? []
        issuerData.replaceSubrange(24..<32, with: code)
        local = .object([
            "staticData": .hex(staticData), "SDAHash": .hex(hash), "input": .hex(input), "IADMAC": .hex(code),
            "issuerApplicationData": .hex(issuerData),
            "applicationCryptogram": .hex(objects[.applicationCryptogram] ?? []),
            "EDAMAC": .hex(
                channel.enhancedDataAuthenticationMAC(
                    cryptogram: objects[.applicationCryptogram] ?? [], issuerApplicationDataMAC: code)),
        ])
    }

    private mutating func note(
        _ what: String, _ counter: UInt16, plain: [UInt8], enciphered: [UInt8]? = nil, code: [UInt8]? = nil
    ) {
        messages.append(
            .object([
                "message": .text(what), "counter": .hex(counter.bigEndianBytes), "plain": .hex(plain),
                "enciphered": .orNull(enciphered) { .hex($0) }, "MAC": .orNull(code) { .hex($0) },
            ]))
    }
}
