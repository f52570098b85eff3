import CardCryptography
import TLV

/// What the issuer's commands change on a card that has left the bench. It survives a power-down.
struct PostIssuanceState {
    /// The reference PIN.
    var pin: PIN?
    /// Indices of the profile's applications.
    var blockedApplications: Set<Int>
    /// All applications, for ever (EMV 4.4 Book 3, 6.5.3).
    var isCardBlocked: Bool
    /// The application elementary files, each record whole.
    var records: [UInt8: [[UInt8]]]
    /// What PUT DATA changes and GET DATA tells.
    var dataElements: [Tag: [UInt8]] = [:]
    var scripts = ScriptHistory()
    /// The tap that asked the issuer, whose answer may come with the next one.
    var pendingUpdate: CardTransaction?
    /// The last cryptogram in a field, for a reader that did not hear it: the unpredictable number, and the answer.
    var lastCryptogram: (unpredictableNumber: [UInt8], answer: [UInt8])?
    /// The owner has unlocked the device.
    var isDeviceUnlocked = false

    /// What a card of Mastercard's kernel may still spend offline, in minor units.
    var offlineBalance: UInt64?

    /// Data envelopes of kernel 8, by their numbers from 1 to 10.
    var envelopes: [UInt8: [UInt8]] = [:]

    init(_ card: PersonalizedCard) {
        if case .kernel8(let contactless) = card.profile.contactless { envelopes = contactless.envelopes }
        if case .mastercard(let contactless) = card.profile.contactless { offlineBalance = contactless.offlineBalance }
        pin = card.profile.pin
        isCardBlocked = card.profile.isBlocked
        blockedApplications = Set(card.profile.applications.indices.filter { card.profile.applications[$0].isBlocked })
        records = card.files.records
        if let limits = card.profile.consecutiveOfflineLimits {
            dataElements = [.lowerConsecutiveOfflineLimit: [limits.lowerBound], .upperConsecutiveOfflineLimit: [limits.upperBound]]
        }
    }
}

/// The issuer's commands that the card has to tell of in its card verification results: from the first GENERATE AC on to the issuer that shows, with a
/// right answer to that cryptogram, that it has read them.
struct ScriptHistory {
    struct Count: Equatable {
        /// Commands carried out, to 15.
        var succeeded: UInt8 = 0
        var hasFailed = false

        var isEmpty: Bool { self == Count() }
    }

    /// In a cryptogram that the issuer may have seen.
    private var told = Count()
    private var untold = Count()

    var count: Count { Count(succeeded: min(15, told.succeeded + untold.succeeded), hasFailed: told.hasFailed || untold.hasFailed) }

    mutating func succeeded() { untold.succeeded = min(15, untold.succeeded + 1) }
    mutating func failed() { untold.hasFailed = true }

    /// The first cryptogram of a transaction is made.
    mutating func tell() {
        told = count
        untold = Count()
    }

    /// The issuer answered.
    mutating func forgetTold() { told = Count() }
}
