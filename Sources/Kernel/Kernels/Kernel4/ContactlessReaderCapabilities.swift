import Contactless
import EMVKernel
import TLV

/// What the reader tells the card of itself, in three data objects (EMV Contactless Book C-4, as
/// public dictionaries and readers' manuals show it).
struct ContactlessReaderCapabilities {
    let terminal: TerminalConfiguration
    let configuration: Kernel4Configuration
    /// Whether the amount has reached the CVM required limit.
    let requiresVerification: Bool

    /// Contactless reader capabilities, tag `9F6D`: bits 8 and 7 for Expresspay 3 or later, bit 4
    /// for "CVM required". There is no value for a reader without mag-stripe mode.
    var basic: UInt8 { requiresVerification ? 0xC8 : 0xC0 }

    /// Tag `9F35` as it is sent in GET PROCESSING OPTIONS: the type of the terminal, which has at
    /// most six bits, with those of ``basic``.
    var modifiedTerminalType: UInt8 { terminal.type.rawValue | basic }

    /// Enhanced contactless reader capabilities, tag `9F6E`, 4 bytes. The version of the kernel in
    /// byte 4 is zero: this kernel is not written by one of the book's versions.
    var enhanced: [UInt8] {
        // Byte 1: contacts, EMV with partial online (the card leaves the field before the issuer
        // answers), mobile, another interface after a decline.
        let hasContacts = terminal.capabilities.contains(.contactChip)
        let modes: UInt8 = 0x18 | (hasContacts ? 0x84 : 0)
        let methods = configuration.verificationAboveLimit
        let verification: UInt8 =
            (configuration.supportsMobileVerification ? 0x80 : 0) | (methods.contains(.encipheredOnlinePIN) ? 0x40 : 0)
            | (methods.contains(.signature) ? 0x20 : 0)
        let requests: UInt8 = (terminal.type.isOfflineOnly ? 0x80 : 0) | (requiresVerification ? 0x40 : 0)
        return [modes, verification, requests, 0x00]
    }
}
