import CardCryptography
package import TLV

/// What a terminal wants of the data storage of a card in one tap (EMV Contactless Book C-2): the
/// slots of integrated data storage, which GENERATE AC reads and writes, and the data envelopes of
/// standalone data storage.
///
/// The book lets kernel and terminal exchange data during the tap (signals DEK and DET). Here the
/// terminal gives a function over values for its part of that exchange, ``answer``.
package struct DataStorageRequest: Sendable {
    /// DSVN Term, tag `DF810D`: its first byte is the highest version that the terminal supports,
    /// `02`; empty for a terminal without integrated data storage.
    package var versions: [UInt8]
    /// DS requested operator ID, tag `9F5C`, 8 bytes: whose slot is read and written. With another
    /// length there is no integrated data storage.
    package var operatorIdentifier: [UInt8]?
    /// Tags to read, `DF8112`: the balance `9F50` and data envelopes by GET DATA, other tags from
    /// what the tap has read.
    package var tagsToRead: [Tag]
    /// What the terminal writes, after all else is read. It is called once, before GENERATE AC.
    ///
    /// Its parameter has what the card has (data to send, `FF8104`): DS ID, application
    /// capabilities, slot availability and management, DS summary 1, DS unpredictable number, ODS
    /// (card), the transaction's unpredictable number and ``tagsToRead``, with an empty value for
    /// each tag that was not readable.
    package var answer: @Sendable (DataElements) -> DataStorageWrites

    package init(
        versions: [UInt8] = [0x02], operatorIdentifier: [UInt8]? = nil, tagsToRead: [Tag] = [],
        answer: @escaping @Sendable (DataElements) -> DataStorageWrites = { _ in DataStorageWrites() }
    ) {
        self.versions = versions
        self.operatorIdentifier = operatorIdentifier
        self.tagsToRead = tagsToRead
        self.answer = answer
    }
}

/// What a terminal writes to a card in one tap.
package struct DataStorageWrites: Sendable, Equatable {
    /// Nil to read the slot only.
    package var integrated: IntegratedWrite?
    /// Tags to write before GENERATE AC, `FF8102`.
    package var beforeCryptogram: [EnvelopeWrite]
    /// Tags to write after GENERATE AC, `FF8103`: regardless of the card's decision, but not if the
    /// tap ends without one.
    package var afterCryptogram: [EnvelopeWrite]

    package init(integrated: IntegratedWrite? = nil, beforeCryptogram: [EnvelopeWrite] = [], afterCryptogram: [EnvelopeWrite] = []) {
        self.integrated = integrated
        self.beforeCryptogram = beforeCryptogram
        self.afterCryptogram = afterCryptogram
    }
}

/// The value of a data envelope, for PUT DATA.
package struct EnvelopeWrite: Sendable, Equatable {
    /// `9F70` to `9F79`. Cards take only `9F75` to `9F79` without secure messaging.
    package let tag: Tag
    /// At most 192 bytes.
    package let value: [UInt8]

    /// Nil if `tag` is no data envelope, or `value` is too long.
    package init?(_ tag: Tag, _ value: [UInt8]) {
        guard Tag.mastercardEnvelopes.contains(tag.rawValue), value.count <= 192 else { return nil }
        self.tag = tag
        self.value = value
    }
}

/// What GENERATE AC stores in the operator's slot (integrated data storage).
package struct IntegratedWrite: Sendable, Equatable {
    /// DS ODS info, tag `DF62`.
    package struct Info: OptionSet, Sendable {
        package let rawValue: UInt8
        package init(rawValue: UInt8) { self.rawValue = rawValue }

        package static let permanentSlot = Self(rawValue: 0x80)
        package static let volatileSlot = Self(rawValue: 0x40)
        package static let lowVolatility = Self(rawValue: 0x20)
        /// The card declines the payment if it cannot store the data.
        package static let declineOnError = Self(rawValue: 0x08)
    }

    /// DS ODS info for reader, tag `DF810A`: what to do if the card is asked for another cryptogram
    /// than ``cryptogram``, and after a write that failed.
    package struct Instructions: OptionSet, Sendable {
        package let rawValue: UInt8
        package init(rawValue: UInt8) { self.rawValue = rawValue }

        package static let usableForTC = Self(rawValue: 0x80)
        package static let usableForARQC = Self(rawValue: 0x40)
        package static let usableForAAC = Self(rawValue: 0x20)
        /// Stop if no DS ODS (term): the tap ends rather than without the write.
        package static let stopIfNotWritable = Self(rawValue: 0x04)
        package static let stopIfWriteFailed = Self(rawValue: 0x02)
    }

    package var info: Info
    /// DS AC type, tag `DF8108`: the cryptogram for which the data are meant. The kernel then asks
    /// for it rather than for a higher one.
    package var cryptogram: CryptogramType?
    package var instructions: Instructions?
    /// DS input (card), tag `DF60`, 8 bytes.
    package var cardInput: [UInt8]?
    /// DS input (terminal), tag `DF8109`, 8 bytes, of which the card gets a digest.
    package var terminalInput: [UInt8]?
    /// DS ODS (terminal), tag `DF63`, at most 160 bytes: the operator's data set.
    package var operatorData: [UInt8]?

    package init(
        info: Info, cryptogram: CryptogramType?, instructions: Instructions?, cardInput: [UInt8]? = nil, terminalInput: [UInt8]? = nil,
        operatorData: [UInt8]? = nil
    ) {
        self.info = info
        self.cryptogram = cryptogram
        self.instructions = instructions
        self.cardInput = cardInput
        self.terminalInput = terminalInput
        self.operatorData = operatorData
    }

    /// The data objects for DSDOL; nil if one that must be there is missing, or has another length.
    var objects: DataElements? {
        guard let cryptogram, let instructions, cardInput?.count ?? 8 == 8, terminalInput?.count ?? 8 == 8, operatorData?.count ?? 0 <= 160
        else { return nil }
        var objects = DataElements()
        objects[.storageInfo] = [info.rawValue]
        objects[.storageCryptogramType] = [cryptogram.rawValue]
        objects[.storageInstructions] = [instructions.rawValue]
        objects[.storageCardInput] = cardInput
        objects[.storageTerminalInput] = terminalInput
        objects[.storageTerminalData] = operatorData
        return objects
    }
}
