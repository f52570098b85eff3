package import CardCryptography
public import Contactless
import EMVKernel
public import TLV

/// The configuration of kernel 8 (EMV Contactless Book C-8, annex A.3).
///
/// Book C-8 was not available: names and values are those of the only open implementation
/// (Digrol/Denom). Where it has no default, the default here approves nothing offline without
/// authentication.
public struct Kernel8Configuration: KernelConfiguration {
    /// The verification methods: CVM capability `9F8207` and `9F8208`, byte 1 of terminal risk
    /// management data.
    public struct CVMCapability: OptionSet, Sendable {
        public let rawValue: UInt8
        public init(rawValue: UInt8) { self.rawValue = rawValue }

        public static let onlinePIN = Self(rawValue: 0x40)
        public static let signature = Self(rawValue: 0x20)
        public static let noCVM = Self(rawValue: 0x08)
        /// The cardholder's own device.
        public static let consumerDevice = Self(rawValue: 0x04)
    }

    /// Data that the terminal stores on the card, in one of ten envelopes (tags `9F8111` to
    /// `9F811A`).
    public struct DataEnvelope: Sendable, Equatable {
        /// 1 to 10.
        public let number: UInt8
        /// At most 243 bytes.
        public let value: [UInt8]

        /// Nil if the number is out of range, or the value too long.
        public init?(number: UInt8, value: [UInt8]) {
            guard (1...10).contains(number), value.count <= 243 else { return nil }
            self.number = number
            self.value = value
        }

        /// The data object.
        var bytes: [UInt8] { tlv(Self.tag(number), value) }
        static func tag(_ number: UInt8) -> Tag { Tag(rawValue: Tag.dataEnvelopes.lowerBound - 1 + UInt32(number)) }
    }

    /// `9F820B`: bits of the TVR that decline. By default failed local authentication, a wrong AID
    /// and a detected relay.
    public var denialActionCode = TerminalVerificationResults(rawValue: 0x04_0000_004C)
    /// `9F820C`: bits of the TVR that go online. By default every bit about a fault of the card,
    /// and the floor limit.
    public var onlineActionCode = TerminalVerificationResults(rawValue: 0x84_F084_804C)
    /// `9F820D`: a greater amount sets its bit of the TVR. In minor units, like all limits below.
    public var floorLimit: UInt64
    /// `9F820E`: a greater amount requires cardholder verification.
    public var cvmRequiredLimit: UInt64
    /// `9F8207`.
    public var verificationAboveLimit: CVMCapability
    /// `9F8208`.
    public var verificationBelowLimit: CVMCapability
    /// `9F820A` bit 5: whether cards are authenticated by their certificates.
    public var authenticatesLocally = true
    /// `9F8209` bit 4: whether the TVR for the issuer says that local authentication failed. The
    /// card's cryptogram does not cover it.
    public var reportsFailedLocalAuthentication = false
    /// `9F821A`: bits of the TVR that the card's own TVR does not change.
    public var reservedResults = TerminalVerificationResults(rawValue: 0x84_0000_80FF)
    /// `9F8220`: for cards without CDOL1; nil ends their transaction.
    public var defaultCDOL1: DOL?
    /// `9F821E`: the offset of the IAD-MAC in the issuer application data.
    public var defaultMACOffset: UInt8 = 24
    /// `9F8209` bit 5, and the time limits of the protocol; nil for a reader without relay
    /// resistance.
    public var relayResistance: RelayResistanceLimits?
    /// `9F8203`: numbers of the data envelopes to read, 1 to 10.
    public var envelopesToRead: [UInt8] = []
    /// The data envelopes to write before GENERATE AC. Not known from the open implementation,
    /// which writes after it alone: for cards that are known to take them.
    public var envelopesToWriteBefore: [DataEnvelope] = []
    /// `BF8104`: the data envelopes to write after GENERATE AC.
    public var envelopesToWrite: [DataEnvelope] = []
    /// `9F821D`: messages that a card may request.
    public var messagesOnRestart: [UserInterfaceRequest.Message] = [.seePhone, .insertCard, .presentCardAgain]
    /// `9F8211`: the display time of the last message, in units of 100 ms.
    public var messageHoldTime: UInt32 = 13
    /// `9F8212`: how long the field is off if the card requests it, in units of 100 ms.
    public var fieldOffTime: UInt8 = 0x0D
    /// Curves of the secure channel.
    package var suites: [EnciphermentSuite] = [.p256, .p521]
    /// Creates the ephemeral key of a transaction.
    package var makeKey: @Sendable (EnciphermentSuite) -> KernelKeyAgreement = { KernelKeyAgreement($0) }

    public init(
        floorLimit: UInt64, cvmRequiredLimit: UInt64,
        verificationAboveLimit: CVMCapability = [.signature, .consumerDevice],
        verificationBelowLimit: CVMCapability = [.noCVM, .consumerDevice]
    ) {
        self.floorLimit = floorLimit
        self.cvmRequiredLimit = cvmRequiredLimit
        self.verificationAboveLimit = verificationAboveLimit
        self.verificationBelowLimit = verificationBelowLimit
    }

    public var identifier: KernelIdentifier { .kernel8 }

    /// A card of kernel 8 has a card qualifier `9F2C` whose version is not zero.
    public func accepts(_ application: ApplicationInformation) -> Bool {
        guard application.name != nil, let qualifier = application.data[.cardQualifier] else { return false }
        return qualifier.count == 7 && qualifier[0] != 0
    }

    public func kernel(for activation: KernelActivation) -> any ContactlessKernel { Kernel8(self, activation) }
}

extension TerminalVerificationResults {
    /// Bits of the TVR for kernel 8 (EMV Contactless Book C-8, A.1.131); they have other meanings
    /// for contact terminals.
    package static let localAuthenticationFailed = Self(byte: 1, bit: 3)
    package static let kernel8Format = Self(byte: 5, bit: 8)
    package static let aidMismatch = Self(byte: 5, bit: 7)
}

extension ApplicationInterchangeProfile {
    /// AIP of kernel 8 (EMV Contactless Book C-8, annex A).
    static let localAuthenticationSupported = Self(byte: 1, bit: 1)
    static let offlineCapable = Self(byte: 2, bit: 4)
    static let copiesMACToCardsOffset = Self(byte: 2, bit: 3)
    static let copiesMACToDefaultOffset = Self(byte: 2, bit: 2)
}

extension Combination {
    /// An application whose cards request kernel 8, at an attended reader with signature and
    /// verification on the consumer's device, and online PIN where `hasPINPad`.
    ///
    /// - Parameters:
    ///   - aid: 5 to 16 bytes. Kernel 8 is not specific to a payment system.
    ///   - limits: The acquirer's limits. A floor limit of zero sends every payment online. Absent
    ///     limits count as zero; an absent transaction limit means no limit.
    ///   - relayResistance: For a reader with known transmission times to the card; nil disables
    ///     the protocol.
    public static func kernel8(
        aid: [UInt8], limits: TransactionLimits, hasPINPad: Bool = false, relayResistance: RelayResistanceLimits? = nil
    ) -> Combination {
        // Entry Point's CVM required limit applies from its amount on, the kernel's to greater
        // amounts (Book B, 3.1.1; Book C-8).
        let cvmRequiredLimit = limits.cvmRequiredLimit ?? 0
        var kernel = Kernel8Configuration(
            floorLimit: limits.floorLimit ?? limits.terminalFloorLimit.map(UInt64.init) ?? 0,
            cvmRequiredLimit: cvmRequiredLimit > 0 ? cvmRequiredLimit - 1 : 0)
        if hasPINPad { kernel.verificationAboveLimit.insert(.onlinePIN) }
        kernel.relayResistance = relayResistance
        return Combination(aid: aid, limits: limits, kernel: kernel)
    }
}
