import CardCryptography
import CardInspection
import SmartCard
import TLV
import VirtualCard

/// 21 November 2026: the cards of the bench expire at the end of 2049.
let today: [UInt8] = [0x26, 0x11, 0x21]

/// What a terminal sends for the lists of a card.
let terminalData: DataElements = {
    var data = DataElements()
    data[.unpredictableNumber] = [1, 2, 3, 4]
    data[.transactionDate] = today
    // TTQ: EMV mode, online PIN, signature, data authentication for online transactions; an online
    // cryptogram is required.
    data[.terminalTransactionQualifiers] = [0x27, 0x80, 0x40, 0x00]
    return data
}()

/// An answer to reset that EMV takes: T=0, `3B 60 00 00` (EMV Contact Interface Specification,
/// basic answer to reset for T=0).
let basicAnswerToReset: [UInt8] = [0x3B, 0x60, 0x00, 0x00]

/// A card that was read, and the keys that it is certified by.
struct ReadCard: Sendable {
    var image: CardImage
    let caKeys: [CAPublicKey]

    init(_ profile: CardProfile, names: [[UInt8]] = [], interface: CardInterface = .contact) async throws {
        let card = try PersonalizedCard.make(profile)
        caKeys = card.caPublicKeys
        image = CardImage(answerToReset: basicAnswerToReset, interface: interface)
        try await image.read(VirtualCard(card, interface: interface), names: names, terminal: terminalData)
    }

    func findings(on date: [UInt8] = today, caKeys: [CAPublicKey]? = nil) -> [CardFinding] {
        image.findings(CardImage.Circumstances(date: date, caKeys: caKeys ?? self.caKeys))
    }

    /// The cards that most tests begin with: their keys take longer than everything else.
    static let visa = Task { try await ReadCard(.visaStyle()) }
    static let curve = Task { try await ReadCard(.ellipticCurveStyle()) }
}

/// Data objects of a template, in their order.
typealias Objects = [(tag: Tag, value: [UInt8])]

extension CardImage.Answer {
    /// The data objects within the outermost template, one level deep.
    var contents: Objects {
        var walker = TLVWalker()
        var objects: Objects = []
        while let node = try? walker.next(in: data.span) {
            if node.depth == 1 { objects.append((node.tag, Array(data[node.value]))) }
        }
        return objects
    }

    /// Puts them into the template that is there.
    mutating func setContents(_ objects: Objects) {
        guard let template = data.first else { return }
        data = tlv(Tag(rawValue: UInt32(template)), objects.flatMap { tlv($0.tag, $0.value) })
    }
}

extension CardImage {
    /// Gives `tag` another value where a record has it; nil takes it away.
    mutating func set(_ tag: Tag, _ value: [UInt8]?) {
        for index in applications[0].records.indices {
            var objects = applications[0].records[index].answer.contents
            guard let place = objects.firstIndex(where: { $0.tag == tag }) else { continue }
            if let value { objects[place].value = value } else { objects.remove(at: place) }
            applications[0].records[index].answer.setContents(objects)
        }
    }

    /// Adds a data object to the first record, which nobody has signed.
    mutating func add(_ tag: Tag, _ value: [UInt8]) {
        applications[0].records[0].answer.setContents(applications[0].records[0].answer.contents + [(tag, value)])
    }

    /// Changes the proprietary template of the FCI.
    mutating func editFCI(_ change: (inout Objects) -> Void) {
        let name = applications[0].fci.contents.first { $0.tag == .dfName }?.value ?? []
        let template = applications[0].fci.contents.first { $0.tag == .fciProprietaryTemplate }?.value ?? []
        var proprietary = Answer(tlv(.fciProprietaryTemplate, template)).contents
        change(&proprietary)
        applications[0].fci.setContents([
            (.dfName, name), (.fciProprietaryTemplate, proprietary.flatMap { tlv($0.tag, $0.value) }),
        ])
    }

    /// Changes the answer to GET PROCESSING OPTIONS, of format 2.
    mutating func setOptions(_ tag: Tag, _ value: [UInt8]?) {
        guard var options = applications[0].options else { return }
        options.setContents(options.contents.compactMap { $0.tag == tag ? value.map { (tag, $0) } : $0 })
        applications[0].options = options
    }

    /// The first record of this file.
    mutating func editRecord(sfi: UInt8 = 1, _ change: (inout [UInt8]) -> Void) {
        guard let index = applications[0].records.firstIndex(where: { $0.place.sfi == sfi }) else { return }
        change(&applications[0].records[index].answer.data)
    }
}
