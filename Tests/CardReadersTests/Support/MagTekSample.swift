import Bytes
import CardCapture
import CardCryptography
import CardReaders
import MagneticStripe

/// The card of the examples in MagTek's manual D99875475 (MagneSafe V5 communication reference,
/// appendix D), swiped at security level 3 under the key of ANSI X9.24-1:2009, annex A.4.
enum MagTekSample {
    static let ksn = "FFFF9876543210E00008"
    /// SHA-256 of the three tracks as the manual prints them, without sentinels: the manual's cards
    /// are not test cards, so their numbers do not stand here.
    static let digests: [TrackNumber: String] = [
        .one: "D9CCEDAF558752B189B0CDA4DA52A3AA6C684CACF5DB24F3C71688E26F2A320D",
        .two: "77B4443FF3568616CBFE267234279D60CA950147D0E699A76BE8E5261B305536",
        .three: "C5AB11ECACE1560CCB94EF47562F7DD4B283E3C28BA9E81815CC4123926272AC",
    ]
    /// SHA-256 of the card number on tracks 1 and 2.
    static let panDigest = "6EBDBB30A453B53CB69D63B65C9B742731D095D0DD00852BE01869C1B1E6D94D"
    /// Tracks of published test cards, as long as the manual's.
    static let clearTracks: [TrackNumber: String] = [
        .one: "B4761739001010119^HOGAN/PAUL      ^08043210000000725000000", .two: "4761739001010119=080432100000007250",
        .three: "5413330089010434=000000000000",
    ]
    static let ciphertexts: [TrackNumber: String] = [
        .one:
            "C25C1D1197D31CAA87285D59A892047426D9182EC11353C051ADD6D0F072A6CB3436560B3071FC1FD11D9F7E74886742D9BEE0CFD1EA1064C213BB55278B2F12",
        .two: "724C5DB7D6F901C7F0FEAE7908801093B3DBFE51CCF6D483E789D7D2C007D539499BAADCC8D16CA2",
        .three: "E31234A91059A0FBFE627954EE21868AEE3979540B67FCC40F61CECA54152D1E",
    ]
    static let masked: [TrackNumber: String] = [
        .one: "%B5452000000007189^HOGAN/PAUL      ^08040000000000000000000?",
        .two: ";5452000000007189=080400000000000000?",
        .three: ";5163000050000445=000000000000?",
    ]

    static func baseKey() throws -> TDESKey {
        try TDESKey(SecretBytes([UInt8](hex: "0123456789ABCDEFFEDCBA9876543210")))
    }

    static func encrypted() throws -> EncryptedTracks {
        EncryptedTracks(
            cipher: .tdes, keyUse: .pinVariant, ksn: try [UInt8](hex: ksn),
            ciphertexts: try ciphertexts.mapValues { try [UInt8](hex: $0) })
    }

    /// The report, field by field where the manual's table of the report has it (D99875475,
    /// appendix D, HID at security level 3).
    static func report(status: UInt16 = 0x0006, failedTracks: Set<TrackNumber> = [], clear: Bool = false) throws
        -> [UInt8]
    {
        var report = [UInt8](repeating: 0, count: 887)
        func put(_ bytes: some Collection<UInt8>, _ offset: Int) {
            report.replaceSubrange(offset..<(offset + bytes.count), with: bytes)
        }
        let sentinels: [TrackNumber: String] = [.one: "%", .two: ";", .three: "+"]
        for track in TrackNumber.allCases {
            let index = track.rawValue - 1
            let text = (sentinels[track] ?? "") + (clearTracks[track] ?? "") + "?"
            guard !failedTracks.contains(track) else {
                report[index] = 1
                continue
            }
            let field = clear ? Array(text.utf8) : try [UInt8](hex: ciphertexts[track] ?? "")
            report[3 + index] = UInt8(field.count)
            put(field, 7 + 112 * index)
            let shown = Array((masked[track] ?? "").utf8)
            report[505 + index] = UInt8(shown.count)
            put(shown, 508 + 112 * index)
            report[852 + index] = UInt8(text.utf8.count)
        }
        put([UInt8(status >> 8), UInt8(status & 0xFF)], 493)
        if !clear { put(try [UInt8](hex: ksn), 495) }
        put(Array("B000795".utf8), 477)
        put(try [UInt8](hex: "21685F158B5C6BE0"), 844)
        return report
    }
}
