/// What can go wrong, or goes another way than a person at the counter expects.
package enum Fault: String, CaseIterable, Codable, Sendable {
    // The line
    case refused, partition, requestLost, answerLost, answerLate, doubled, slow, unavailable, notGenuine, strayStatus,
        silentForOne,
        otherAmount
    // The disk
    case readFails, writeFails, writeShort, diskFull, syncLost, powerCut, lyingDisk
    // The process
    case death, restart, cancelledTask, cancelCall, clockJump, keyRotation, fileReader, restore, markLost, damagedRow,
        rot, deafHostClient
    // The reader and the card
    case cardRemoved, noCard, readerFails, readerHangs, readerLate, cardDeclines, readerSlow

    // What a host may do (HostCorners.swift)
    case pendingOrder, listLags, ownRefusal, batchCloses, referral, foreignOrder, oddRecord, shortPages
    // What only a gateway does (OddAnswers.swift)
    case oddAmount, oddCode, oddError, unauthorizedBetween, oddReversal, repeatRefused
    // What card and people do (ModelReader.swift, People.swift)
    case cardAlone, otherCard, refusedCard, tap, tornTap, signature, signatureRefused, signatureMissing, mismatch,
        verificationMissing
    case callRefused, callMissing, callCancelled
    // The process and its clock
    case clockByYears, days, secondTerminal, folderLost, secureCard
    // What was asked of the world last
    case announcement, declineAdvice, issuerData, clientToken
    // What an application may do at any time, and what another terminal does at the same host
    case registersCard, addressAgain, purge, closed, otherTerminal
    // The contactless kernels in place of the contact one (KernelReader.swift)
    case contactless
    // A reader that asks the host twice about one card (ModelReader.swift)
    case asksTwice
    // What a mistake in the code needed to be seen, and what none of the others brought about
    case awayAtFirst, repetitionRefused, codeLate, partly, keyReused, alteredAnswer, othersAnswer, undoneSinceCopy,
        storedUnflushed
    case voided, reversalAway, nothingToUndo, storedSinceCopy, inquiryRefused

    /// Those of the corners of the world: they have draws of their own, so that the draws of the
    /// others stay as they are.
    package static let corners = Array(allCases.drop { $0 != .pendingOrder })

    package var isCorner: Bool { Self.cornerSet.contains(self) }
    private static let cornerSet = Set(corners)
}

/// Which faults exist in a run at all, and how often each comes: a run with a few of them goes
/// deeper than one with all.
struct Swarm {
    /// In 256.
    private var rates: [Fault: UInt64] = [:]

    /// No fault.
    init() {}

    init(_ draw: (StaticString, UInt64) -> UInt64) {
        guard draw("any faults", 20) > 0 else { return }
        for fault in Fault.allCases where fault != .lyingDisk && !fault.isCorner {
            guard draw("fault exists", 5) >= 3 else { continue }
            rates[fault] = [4, 16, 64][Int(draw("fault rate", 3))]
        }
    }

    /// Three quarters of the runs have corners. Half of these have about one in three of them; the
    /// others have one that comes most of the time, and about one in eight of the rest: what many
    /// corners strike at once hides what one of them shows.
    mutating func addCorners(_ draw: (StaticString, UInt64) -> UInt64) {
        guard draw("any corners", 4) > 0 else { return }
        let one = draw("one corner", 2) == 1 ? Fault.corners[Int(draw("which", UInt64(Fault.corners.count)))] : nil
        for fault in Fault.corners {
            if fault == one {
                rates[fault] = 192
            } else if one == nil ? draw("corner exists", 3) == 2 : draw("corner exists", 8) == 7 {
                rates[fault] = [32, 96, 192][Int(draw("corner rate", 3))]
            }
        }
        // Without what comes before them these never come.
        if exists(.signatureRefused) || exists(.signatureMissing) || exists(.mismatch) || exists(.verificationMissing) {
            rates[.signature] = 192
        }
        if exists(.callRefused) || exists(.callMissing) || exists(.callCancelled) { rates[.referral] = 128 }
        if exists(.tornTap) { rates[.tap] = 192 }
        // A payment is repeated where it was stored, and the host does not say what it has of it.
        if exists(.repetitionRefused) {
            (rates[.repetitionRefused], rates[.awayAtFirst], rates[.ownRefusal]) = (256, 192, 96)
        }
        if exists(.storedUnflushed) || exists(.voided) || exists(.storedSinceCopy) { rates[.awayAtFirst] = 192 }
        if exists(.repeatRefused) { (rates[.repeatRefused], rates[.answerLost]) = (256, 64) }
        // A card that declines afterwards, at a reader that says that it approved.
        if exists(.cardAlone) { rates[.cardDeclines] = max(rate(.cardDeclines), 160) }
        if exists(.codeLate) { (rates[.codeLate], rates[.referral]) = (192, 192) }
        if exists(.inquiryRefused) { rates[.inquiryRefused] = 192 }
        // Each alone: of a message that both strike little is left.
        if exists(.unauthorizedBetween), !exists(.oddError) { rates[.unauthorizedBetween] = 192 }
        if exists(.oddError), !exists(.unauthorizedBetween) { rates[.oddError] = 192 }
        // What stands is a part where the answer was lost, too.
        if exists(.partly), exists(.batchCloses) {
            (rates[.partly], rates[.batchCloses], rates[.answerLost]) = (192, 192, 64)
        }
        if exists(.partly), exists(.oddAmount) { (rates[.partly], rates[.oddAmount]) = (192, 192) }
        // An amount that cannot be read matters where it is not the one that was asked for.
        if exists(.oddAmount) { rates[.otherAmount] = max(rate(.otherAmount), rate(.oddAmount) / 2) }
    }

    /// Whether there are corners that only a gateway has.
    var hasGatewayCorners: Bool {
        [
            Fault.oddAmount, .oddCode, .oddError, .unauthorizedBetween, .oddReversal, .repeatRefused, .clientToken,
            .alteredAnswer, .othersAnswer,
        ].contains { exists($0) }
    }

    func rate(_ fault: Fault) -> UInt64 { rates[fault] ?? 0 }
    func exists(_ fault: Fault) -> Bool { rates[fault] != nil }
    mutating func set(_ fault: Fault, _ rate: UInt64) { rates[fault] = rate == 0 ? nil : rate }
    var kinds: [Fault] { Fault.allCases.filter { exists($0) } }
}
