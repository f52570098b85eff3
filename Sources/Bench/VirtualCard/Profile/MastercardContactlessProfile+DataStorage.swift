import Bytes
import TLV

extension MastercardContactlessProfile {
    /// The data storage of a card (EMV Contactless Book C-2): slots that GENERATE AC writes, and
    /// data envelopes that PUT DATA writes.
    ///
    /// The book of the card was not available. When a write is accepted, and how summaries are
    /// made, is our own: a card refuses to write a locked slot, a permanent slot whose operator
    /// does not show the input of its last digest, and a slot that it does not have.
    public struct DataStorage: Sendable, Equatable {
        /// Byte 1 of tag `9F5D`.
        public enum Version: UInt8, Sendable, CaseIterable { case one = 1, two = 2 }

        public struct Slot: Sendable, Equatable {
            /// Tag `9F5C` of its operator, 8 bytes; nil for a free slot.
            public var operatorIdentifier: [UInt8]?
            /// The operator's data set, tag `9F54`, at most 160 bytes.
            public var data: [UInt8] = []
            /// A slot of another operator is taken only if it is not permanent.
            public var isPermanent = false
            public var isLocked = false

            public init() {}
        }

        /// Integrated data storage; nil for a card with data envelopes only.
        public var version: Version? = .one
        public var slots: [Slot] = [Slot()]
        /// SDS scheme indicator, byte 3 of tag `9F5D`, 0 to 8: the size of the data envelopes; 0
        /// for a card without them.
        public var scheme: UInt8 = 0
        /// The contents of the data envelopes `9F70` to `9F79`, by number from 1. Missing ones
        /// cannot be read; those from 6 on can be written.
        public var envelopes: [UInt8: [UInt8]] = [:]

        public init() {}

        /// The size of a data envelope in bytes.
        func envelopeSize(_ number: UInt8) -> Int {
            switch scheme {
            case 1...7: [32, 48, 64, 96, 128, 160, 192][Int(scheme) - 1]
            case 8: number == 9 ? 64 : 32
            default: 0
            }
        }
    }

    /// Tag `9F38`: with data storage, the operator is asked for.
    var effectivePDOL: DOL? {
        pdol ?? (dataStorage?.version == nil ? nil : DOL(entries: [DOL.Entry(.requestedOperator, 8)]))
    }
}

extension CardProfile {
    /// DS ID, tag `9F5E`: PAN and PAN sequence number, with zeros before them to at least 8 bytes.
    var storageIdentifier: [UInt8] {
        let sequence = account.panSequenceNumber ?? 0
        var digits = account.pan.revealed().map { $0 & 0x0F } + [sequence / 10 % 10, sequence % 10]
        digits = [UInt8](repeating: 0, count: max(16 - digits.count, digits.count % 2)) + digits
        return stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
    }
}

extension DOL {
    /// DSDOL: DS input (card), digest, info and the operator's data set, which may be shorter.
    static let storage = DOL(entries: [Entry(0xDF60, 8), Entry(0xDF61, 8), Entry(0xDF62, 1), Entry(0xDF63, 160)])
}
