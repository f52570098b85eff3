import Bytes
import CardCryptography
import Contactless
import EMVKernel
import SmartCard
import TLV

/// Integrated data storage: the operator's slot is read with GET PROCESSING OPTIONS and written
/// with GENERATE AC, under the card's signature (EMV Contactless Book C-2, S1, S3R1, 7.6 and S910).
extension Kernel2 {
    // MARK: Before GENERATE AC

    /// The terminal's operator, and whether its slot is read: the card has data storage of a known
    /// version (S1.17 to S1.20).
    mutating func beginDataStorage() {
        guard let request = storage.request, let identifier = request.operatorIdentifier, identifier.count == 8 else {
            return
        }
        data.terminal[.requestedOperator] = identifier
        data.terminal[.storageVersions] = [0x02]
        if storageVersion != nil, (8...11).contains(data.card[.storageIdentifier]?.count ?? 0) {
            storage.status = .read
        }
    }

    /// Nil for a card without integrated data storage.
    var storageVersion: DataStorageDigest? { DataStorageState.version(data.card[.applicationCapabilities]) }

    /// Stores what the card reports of its slots. Reading goes on if it has a slot of the operator,
    /// or reports which slots are available (S3R1.11 to S3R1.13).
    mutating func takeSlots(_ options: DataElements) throws(Termination) {
        guard storage.status.contains(.read) else { return }
        for tag in DataStorageState.optionsTags {
            guard let value = options[tag] else { continue }
            guard let length = TagDictionary.definition(tag, kernel: Self.number)?.length, length.contains(value.count)
            else {
                throw .invalidData(tag)
            }
            data.card[tag] = value
        }
        let hasSummary = data.card.contains(.storageSummary1)
        let hasSlot = data.card.contains(.storageCardData)
        let reportsSlots = data.card.contains(.slotAvailability) && data.card.contains(.storageUnpredictableNumber)
        if !hasSummary || !hasSlot && !reportsSlots { storage.status.remove(.read) }
    }

    /// DS ID is PAN and PAN sequence number, or 00 without one, with zeros before them to at least
    /// 8 bytes (S456.19).
    func checkStorageIdentifier() throws(Termination) {
        guard storage.status.contains(.read) else { return }
        let sequence = (data.card[.panSequenceNumber] ?? [0x00]).flatMap { [$0 >> 4, $0 & 0x0F] }
        var digits = (data.card.pan ?? SecretBytes([])).withArray { pan in pan.map { $0 & 0x0F } }
        defer { wipe(&digits) }
        digits += sequence
        let identifier = (data.card[.storageIdentifier] ?? []).flatMap { [$0 >> 4, $0 & 0x0F] }
        let zeros = identifier.count - digits.count
        // Not more zeros than for a whole byte, or to 8 bytes.
        guard zeros >= 0, identifier.count == max(16, digits.count + digits.count % 2),
            identifier == [UInt8](repeating: 0, count: zeros) + digits
        else { throw .invalidData(.storageIdentifier) }
    }

    /// Asks the terminal what to write (S456.21 to S456.23).
    mutating func askTerminal() {
        guard let request = storage.request else { return }
        var known = storage.read
        let tags = [.storageIdentifier, .applicationCapabilities] + DataStorageState.optionsTags
        for tag in tags { if let value = data.card[tag] { known[tag] = value } }
        known[.unpredictableNumber] = data.terminal[.unpredictableNumber]
        for tag in request.tagsToRead where !DataStorageState.isReadable(tag) { known[tag] = data[tag] ?? [] }
        storage.writes = request.answer?(known) ?? request.writes
    }

    // MARK: The command (7.6)

    /// Whether GENERATE AC also writes.
    enum StorageCommand {
        case readOnly
        /// Asks for this cryptogram, with the values of DSDOL.
        case write(CryptogramType, [UInt8])
        case stop(ContactlessReason)
    }

    /// GAC.3 to GAC.11 and GAC.40 to GAC.44.
    ///
    /// - Parameter type: The cryptogram by terminal action analysis. The terminal's data may lower
    ///   it, and never raise it.
    mutating func storageCommand(_ type: CryptogramType) throws(Termination) -> StorageCommand {
        guard let write = storage.writes.slot, let bytes = data.card[.dsdol], !bytes.isEmpty else { return .readOnly }
        guard let objects = write.objects, let requested = write.cryptogram, let instructions = write.instructions
        else {
            return .stop(.dataStorageData)
        }
        let isUsable =
            type == .aac && instructions.contains(.usableForAAC)
            || type == .arqc && instructions.contains(.usableForARQC)
        guard requested <= type || isUsable else {
            return instructions.contains(.stopIfNotWritable) ? .stop(.dataStorageCryptogram) : .readOnly
        }
        guard let list = try? DOL(parsing: bytes) else { throw .invalidData(.dsdol) }
        data.terminal.update(with: objects)
        data.terminal[.storageDigest] = list.contains(.storageDigest) ? try digest(write) : nil
        return .write(min(requested, type), list.concatenateUnpadded(data))
    }

    /// DS digest H: zeros without DS input (terminal). A permanent slot that becomes volatile
    /// belongs to no operator.
    private func digest(_ write: Kernel2Configuration.DataStorage.SlotWrite) throws(Termination) -> [UInt8] {
        guard let input = write.terminalInput, let version = storageVersion else {
            return [UInt8](repeating: 0, count: 8)
        }
        let isPermanent = data.card[.slotManagement]?.first.map { $0 & 0x80 != 0 } ?? false
        let releasesSlot = isPermanent && write.info.contains(.volatileSlot)
        do throws(CryptogramError) {
            return try version.compute(
                input: input, identifier: data.card[.storageIdentifier] ?? [],
                operatorIdentifier: releasesSlot
                    ? [UInt8](repeating: 0, count: 8) : data.terminal[.requestedOperator] ?? [])
        } catch {
            throw .invalidData(.storageIdentifier)
        }
    }

    // MARK: The card's answer (S910.8 to S910.19, S11.47 to S11.61)

    /// Compares the summaries that the card signed with the one that it reported.
    ///
    /// - Parameter replaced: A torn transaction that the card could not recover.
    /// - Returns: Why the tap ends; nil if it goes on.
    mutating func takeSummaries(_ signed: SignedCryptogram, replacing replaced: TornTransaction?) throws(Termination)
        -> ContactlessReason?
    {
        guard storage.status.contains(.read) else { return nil }
        data.card[.storageSummary2] = signed.summaryBefore
        data.card[.storageSummary3] = signed.summaryAfter
        let reported = data.card[.storageSummary1]
        // The write of the torn transaction was performed after all: the slot is no longer the one
        // that the terminal read.
        if let replaced, replaced.hasWritten, replaced.terminal[.storageSummary1] != reported {
            return .dataStorageRead
        }
        guard let before = signed.summaryBefore else { throw .missingData(.storageSummary2) }
        guard before == reported else { return .dataStorageRead }
        storage.summaryStatus.insert(.successfulRead)
        guard storage.status.contains(.write) else { return nil }
        guard let after = signed.summaryAfter else { throw .missingData(.storageSummary3) }
        guard after == before else {
            storage.summaryStatus.insert(.successfulWrite)
            return nil
        }
        let byte = data.terminal[.storageInstructions]?.first ?? 0
        let instructions = Kernel2Configuration.DataStorage.SlotWrite.Instructions(rawValue: byte)
        return instructions.contains(.stopIfWriteFailed) ? .dataStorageWrite : nil
    }

    // MARK: Data for the terminal

    /// DS summary 3, and the status of reading and writing.
    var storageDiscretionaryData: DataElements {
        var elements = storageResults
        guard elements.count > 0 else { return elements }
        elements[.storageSummary3] = data.card[.storageSummary3]
        return elements
    }

    /// Nothing for a terminal without data storage.
    var storageResults: DataElements {
        var elements = DataElements()
        guard storage.request != nil || !storage.status.isEmpty else { return elements }
        elements[.storageSummaryStatus] = [storage.summaryStatus.rawValue]
        elements[.preWriteStatus] = [storage.hasWrittenBefore ? 0x80 : 0x00]
        elements[.postWriteStatus] = [storage.hasWrittenAfter ? 0x80 : 0x00]
        return elements
    }
}

extension TornTransaction {
    /// Whether its GENERATE AC wrote to the operator's slot.
    var hasWritten: Bool {
        DataStorageState.Status(rawValue: terminal[.storageStatus]?.first ?? 0).contains(.write)
    }
}
