private import Bytes
internal import TLV

extension CardProfile {
    /// Finds what would make a card that cannot work.
    func validate() throws(PersonalisationError) {
        guard !applications.isEmpty else { throw .noApplication }
        guard ellipticCurve == nil || applications.count == 1 else { throw .severalApplications }
        guard applications.allSatisfy({ (5...16).contains($0.aid.count) }) else { throw .applicationIdentifier }
        let isNumber = account.pan.withBytes { digits in digits.indices.allSatisfy { (0x30...0x39).contains(digits[$0]) } }
        guard (12...19).contains(account.pan.count), isNumber else { throw .pan }
        guard account.expiry.count == 3 else { throw .fieldLength(.applicationExpirationDate) }
        guard account.effectiveDate?.count ?? 3 == 3 else { throw .fieldLength(.applicationEffectiveDate) }
        guard (2...26).contains(account.cardholderName.utf8.count) else { throw .fieldLength(.cardholderName) }
        for entry in DOL.cryptogramInput.entries where !cdol1.entries.contains(entry) {
            throw .missing(entry.tag, fromList: .cdol1)
        }
    }
}
