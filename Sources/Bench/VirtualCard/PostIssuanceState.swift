import CardCryptography
import TLV

/// The state that changes after personalization, for example by the issuer's commands. It survives
/// a loss of power.
struct PostIssuanceState {
    /// The reference PIN.
    var pin: PIN?
    /// Indices of the profile's applications.
    var blockedApplications: Set<Int>
    /// Whether all applications are permanently blocked (EMV 4.4 Book 3, 6.5.3).
    var isCardBlocked: Bool
    /// The application elementary files, with complete records.
    var records: [UInt8: [[UInt8]]]
    /// The data objects that PUT DATA changes and GET DATA returns.
    var dataElements: [Tag: [UInt8]] = [:]
    var scripts = ScriptHistory()
    /// The tap that went online; the issuer's answer may come with the next tap.
    var pendingUpdate: CardTransaction?
    /// The last contactless cryptogram, for a reader that did not receive it: the unpredictable
    /// number, and the answer.
    var lastCryptogram: (unpredictableNumber: [UInt8], answer: [UInt8])?
    /// Whether the owner has unlocked the device.
    var isDeviceUnlocked = false

    /// The remaining offline balance of a card of Mastercard's kernel, in minor units.
    var offlineBalance: UInt64?

    /// Data envelopes of kernels 2 and 8, by their numbers from 1 to 10.
    var envelopes: [UInt8: [UInt8]] = [:]

    /// Integrated data storage of a card of Mastercard's kernel.
    var slots: StorageSlots?

    init(_ card: PersonalizedCard) {
        if case .kernel8(let contactless) = card.profile.contactless { envelopes = contactless.envelopes }
        if case .mastercard(let contactless) = card.profile.contactless {
            offlineBalance = contactless.offlineBalance
            envelopes = contactless.dataStorage?.envelopes ?? [:]
            if let storage = contactless.dataStorage, let version = storage.version {
                slots = StorageSlots(storage, version, identifier: card.profile.storageIdentifier)
            }
        }
        pin = card.profile.pin
        isCardBlocked = card.profile.isBlocked
        blockedApplications = Set(card.profile.applications.indices.filter { card.profile.applications[$0].isBlocked })
        records = card.files.records
        if let limits = card.profile.consecutiveOfflineLimits {
            dataElements = [
                .lowerConsecutiveOfflineLimit: [limits.lowerBound], .upperConsecutiveOfflineLimit: [limits.upperBound],
            ]
        }
    }
}

/// The issuer's commands that the card must report in its card verification results: from the first
/// GENERATE AC until the issuer shows, by a correct answer to that cryptogram, that it has received
/// the report.
struct ScriptHistory {
    struct Count: Equatable {
        /// The number of executed commands, up to 15.
        var succeeded: UInt8 = 0
        var hasFailed = false

        var isEmpty: Bool { self == Count() }
    }

    /// Reported in a cryptogram that the issuer may have received.
    private var reported = Count()
    private var unreported = Count()

    var count: Count {
        Count(
            succeeded: min(15, reported.succeeded + unreported.succeeded),
            hasFailed: reported.hasFailed || unreported.hasFailed)
    }

    mutating func succeeded() { unreported.succeeded = min(15, unreported.succeeded + 1) }
    mutating func failed() { unreported.hasFailed = true }

    /// Called for the first cryptogram of a transaction.
    mutating func tell() {
        reported = count
        unreported = Count()
    }

    /// Called when the issuer has answered.
    mutating func forgetReported() { reported = Count() }
}
