import CardCryptography
import EMVKernel
public import TLV

extension Kernel2Configuration {
    /// What a terminal reads and writes in the data storage of cards (EMV Contactless Book C-2): a
    /// slot of integrated data storage, which GENERATE AC reads and writes, and the data envelopes
    /// of standalone data storage.
    ///
    /// The book lets kernel and terminal exchange data during the tap (signals DEK and DET). Here
    /// the terminal gives constants, ``writes``, or a function over values, ``answer``. The EMV
    /// tags of a payment's response have what was read, and whether it was written.
    public struct DataStorage: Sendable {
        /// DS requested operator ID, tag `9F5C`, 8 bytes: whose slot is read and written. With nil
        /// or another length there is no integrated data storage.
        public var operatorIdentifier: [UInt8]?
        /// Tags to read, `DF8112`: the balance `9F50` and data envelopes by GET DATA, other tags
        /// from what the tap has read.
        public var tagsToRead: [Tag]
        /// What the terminal writes to every card.
        public var writes: Writes
        /// What the terminal writes to this card, in place of ``writes``. It is called once, after
        /// all else is read and before GENERATE AC, while the card waits in the field.
        ///
        /// Its parameter has what the card has (data to send, `FF8104`): DS ID, application
        /// capabilities, slot availability and management, DS summary 1, DS unpredictable number,
        /// ODS (card), the transaction's unpredictable number and ``tagsToRead``, with an empty
        /// value for each tag that was not readable. The DS ID is the card number and its sequence
        /// number: do not keep it.
        public var answer: (@Sendable (DataElements) -> Writes)?

        /// Reads the slot of the operator, and writes nothing.
        public init(
            operatorIdentifier: [UInt8]? = nil, tagsToRead: [Tag] = [], writes: Writes = Writes(),
            answer: (@Sendable (DataElements) -> Writes)? = nil
        ) {
            self.operatorIdentifier = operatorIdentifier
            self.tagsToRead = tagsToRead
            self.writes = writes
            self.answer = answer
        }

        /// What a terminal writes to a card in one tap.
        public struct Writes: Sendable, Equatable {
            /// Nil to read the slot only.
            public var slot: SlotWrite?
            /// Tags to write before GENERATE AC, `FF8102`.
            public var beforeCryptogram: [EnvelopeWrite]
            /// Tags to write after GENERATE AC, `FF8103`: regardless of the card's decision, but
            /// not if the tap ends without one.
            public var afterCryptogram: [EnvelopeWrite]

            /// Nothing, by default.
            public init(
                slot: SlotWrite? = nil, beforeCryptogram: [EnvelopeWrite] = [], afterCryptogram: [EnvelopeWrite] = []
            ) {
                self.slot = slot
                self.beforeCryptogram = beforeCryptogram
                self.afterCryptogram = afterCryptogram
            }
        }

        /// The value of a data envelope, for PUT DATA.
        public struct EnvelopeWrite: Sendable, Equatable {
            /// The envelopes, `9F70` to `9F79`.
            public static let tags: ClosedRange<UInt32> = 0x9F70...0x9F79
            /// The maximum length of a value, in bytes.
            public static let maximumLength = 192

            /// One of ``tags``. Cards take only `9F75` to `9F79` without secure messaging.
            public let tag: Tag
            /// At most ``maximumLength`` bytes.
            public let value: [UInt8]

            /// Nil if `tag` is not a data envelope, or `value` is too long.
            public init?(_ tag: Tag, _ value: [UInt8]) {
                guard Self.tags.contains(tag.rawValue), value.count <= Self.maximumLength else { return nil }
                self.tag = tag
                self.value = value
            }
        }
    }
}

extension Kernel2Configuration.DataStorage {
    /// What GENERATE AC stores in the operator's slot (integrated data storage).
    public struct SlotWrite: Sendable, Equatable {
        /// DS ODS info, tag `DF62`.
        public struct Info: OptionSet, Sendable {
            public let rawValue: UInt8
            public init(rawValue: UInt8) { self.rawValue = rawValue }

            public static let permanentSlot = Self(rawValue: 0x80)
            public static let volatileSlot = Self(rawValue: 0x40)
            public static let lowVolatility = Self(rawValue: 0x20)
            /// The card declines the payment if it cannot store the data.
            public static let declineOnError = Self(rawValue: 0x08)
        }

        /// DS ODS info for reader, tag `DF810A`: what to do if the card is asked for another
        /// cryptogram than ``SlotWrite/cryptogram``, and after a write that failed.
        public struct Instructions: OptionSet, Sendable {
            public let rawValue: UInt8
            public init(rawValue: UInt8) { self.rawValue = rawValue }

            public static let usableForTC = Self(rawValue: 0x80)
            public static let usableForARQC = Self(rawValue: 0x40)
            public static let usableForAAC = Self(rawValue: 0x20)
            /// Stop if no DS ODS (term): the tap ends rather than without the write.
            public static let stopIfNotWritable = Self(rawValue: 0x04)
            public static let stopIfWriteFailed = Self(rawValue: 0x02)
        }

        /// The kind of slot, and the card's decision without it.
        public var info: Info
        /// DS AC type, tag `DF8108`: the cryptogram for which the data are meant. The kernel then
        /// asks for it rather than for a higher one. A tap that writes ends without it (`0D` in
        /// `DF8115`).
        public var cryptogram: CryptogramType?
        /// A tap that writes ends without them (`0D` in `DF8115`).
        public var instructions: Instructions?
        /// DS input (card), tag `DF60`, 8 bytes.
        public var cardInput: [UInt8]?
        /// DS input (terminal), tag `DF8109`, 8 bytes, of which the card gets a digest.
        public var terminalInput: [UInt8]?
        /// DS ODS (terminal), tag `DF63`, at most 160 bytes: the operator's data set.
        public var operatorData: [UInt8]?

        /// A write of `operatorData`, without it of the slot's kind only.
        public init(
            info: Info, cryptogram: CryptogramType?, instructions: Instructions?, cardInput: [UInt8]? = nil,
            terminalInput: [UInt8]? = nil, operatorData: [UInt8]? = nil
        ) {
            self.info = info
            self.cryptogram = cryptogram
            self.instructions = instructions
            self.cardInput = cardInput
            self.terminalInput = terminalInput
            self.operatorData = operatorData
        }

        /// The data objects for DSDOL; nil if one that must be there is missing, or has another
        /// length.
        var objects: DataElements? {
            guard let cryptogram, let instructions, cardInput?.count ?? 8 == 8, terminalInput?.count ?? 8 == 8,
                operatorData?.count ?? 0 <= 160
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
}
