import CardCryptography
import TLV

/// A slot of integrated data storage: its content, and a summary that changes with each write.
struct StorageSlot: Equatable {
    var operatorIdentifier: [UInt8]?
    var data: [UInt8]
    var isPermanent: Bool
    var isLocked: Bool
    /// DS digest H of the last write of a permanent slot, 8 bytes; nil for a slot without one.
    var digest: [UInt8]?
    /// DS summary, 8 or 16 bytes.
    var summary: [UInt8]

    init(_ slot: MastercardContactlessProfile.DataStorage.Slot, summary: [UInt8]) {
        operatorIdentifier = slot.operatorIdentifier
        data = slot.data
        isPermanent = slot.isPermanent
        isLocked = slot.isLocked
        self.summary = summary
    }

    /// DS slot management control, tag `9F6F`.
    var management: UInt8 { (isPermanent ? 0x80 : 0x40) | (isLocked ? 0x10 : 0x00) }

    /// Whether an operator may take it without being its operator.
    var isFree: Bool { operatorIdentifier == nil && !isLocked }
    var isReplaceable: Bool { operatorIdentifier != nil && !isPermanent && !isLocked }
}

/// The integrated data storage of a card.
struct StorageSlots: Equatable {
    private let identifier: [UInt8]
    private let version: DataStorageDigest
    private(set) var slots: [StorageSlot]

    /// - Parameter identifier: DS ID.
    init(
        _ profile: MastercardContactlessProfile.DataStorage,
        _ version: MastercardContactlessProfile.DataStorage.Version,
        identifier: [UInt8]
    ) {
        self.identifier = identifier
        self.version = version == .one ? .version1 : .version2
        slots = []
        for (index, slot) in profile.slots.enumerated() {
            let state = [UInt8(clamping: index)] + (slot.operatorIdentifier ?? []) + slot.data
            slots.append(StorageSlot(slot, summary: summary(identifier + state)))
        }
    }

    private var summaryLength: Int { version == .version1 ? 8 : 16 }
    private func summary(_ state: [UInt8]) -> [UInt8] { Array(SHA256.hash(state).prefix(summaryLength)) }

    /// The operator's slot, else one that it may take.
    func index(for operatorIdentifier: [UInt8]) -> Int? {
        slots.firstIndex { $0.operatorIdentifier == operatorIdentifier } ?? slots.firstIndex(where: \.isFree)
            ?? slots.firstIndex(where: \.isReplaceable)
    }

    /// The state that the operator is shown before and after its write; without a slot always the
    /// same.
    func summary(for operatorIdentifier: [UInt8]) -> [UInt8] {
        index(for: operatorIdentifier).map { slots[$0].summary } ?? summary(identifier)
    }

    /// The data objects in the answer to GET PROCESSING OPTIONS.
    func report(for operatorIdentifier: [UInt8], unpredictableNumber: [UInt8]) -> [(tag: Tag, value: [UInt8])] {
        let summary = summary(for: operatorIdentifier)
        if let slot = slots.first(where: { $0.operatorIdentifier == operatorIdentifier }) {
            return [(0x9F6F, [slot.management]), (0x9F7D, summary), (0x9F7F, unpredictableNumber), (0x9F54, slot.data)]
        }
        let isFree = slots.contains(where: \.isFree)
        let available: UInt8 = (isFree ? 0x80 : 0) | (isFree || slots.contains(where: \.isReplaceable) ? 0x40 : 0)
        return [(0x9F5F, [available]), (0x9F7D, summary), (0x9F7F, unpredictableNumber)]
    }

    /// Writes the values of DSDOL.
    ///
    /// - Returns: Whether they were stored.
    mutating func write(_ values: DataElements, _ bytes: [UInt8], by operatorIdentifier: [UInt8]) -> Bool {
        guard let index = index(for: operatorIdentifier), !slots[index].isLocked, let info = values[0xDF62]?.first
        else { return false }
        var slot = slots[index]
        let isOwn = slot.operatorIdentifier == operatorIdentifier
        let (wantsPermanent, wantsVolatile) = (info & 0x80 != 0, info & 0x40 != 0)
        guard wantsPermanent != wantsVolatile, isOwn || slot.isFree || wantsVolatile else { return false }
        if isOwn, let digest = slot.digest {
            let shown = try? version.compute(
                input: values[0xDF60] ?? [], identifier: identifier, operatorIdentifier: operatorIdentifier)
            guard shown == digest else { return false }
        }
        slot.operatorIdentifier = operatorIdentifier
        slot.isPermanent = wantsPermanent
        slot.data = values[0xDF63] ?? []
        // Zeros stand for no digest.
        slot.digest = wantsPermanent ? values[0xDF61].flatMap { $0.contains { $0 != 0 } ? $0 : nil } : nil
        slot.summary = summary(slot.summary + bytes)
        slots[index] = slot
        return true
    }
}
