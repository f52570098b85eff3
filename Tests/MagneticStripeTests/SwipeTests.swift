import Bytes
import MagneticStripe
import SeededNumbers
import Testing

@Suite struct SwipeTextTests {
    private let one = "B4761739001010119^DOE/JANE^49122010000000000"
    private let two = "4761739001010119=49122010000000000"

    @Test func tracksOneAfterTheOther() {
        for between in ["", "\r\n", "*", " x "] {
            let swipe = Swipe(text: "%\(one)?\(between);\(two)?\(between);011234567890123445==97820?")
            #expect(swipe.track1 == .read(text(one, .alphanumeric), .forward))
            #expect(swipe.track2 == .read(text(two, .numeric), .forward))
            #expect(swipe.track3 == .read(text("011234567890123445==97820", .numeric), .forward))
        }
    }

    @Test func someTracksOnly() {
        let second = Swipe(text: ";\(two)?")
        #expect(second.track1 == .blank)
        #expect(second.track2.text == text(two, .numeric))
        #expect(second.track3 == .blank)
        #expect(Swipe(text: "%\(one)?+011234567890123445==97820?").track3.text?.code == .numeric)
        #expect(Swipe(text: "%\(one)?;\(two)?#\" 78729?").track3.text == text("\" 78729", .alphanumeric))
        #expect(Swipe(text: "%\(one)?;\(two)?% 1 78729?").track3.text == text(" 1 78729", .alphanumeric))
        #expect(!Swipe(text: "").isReadable)
        #expect(!Swipe(text: "hello").isReadable)
        #expect(!Swipe(text: "%?;?").isReadable)
    }

    @Test("A keyboard's shift lock turns the letters round") func lowerCase() {
        #expect(Swipe(text: "%\(one.lowercased())?").track1.text == text(one, .alphanumeric))
    }

    @Test func whatWentWrong() {
        #expect(Swipe(text: "%E?;\(two)?+E?").track1 == .failed(.saidByReader))
        #expect(Swipe(text: "%E?;\(two)?+E?").track2.text == text(two, .numeric))
        #expect(Swipe(text: "%E?;\(two)?+E?").track3 == .failed(.saidByReader))
        #expect(Swipe(text: ";4761").track2 == .failed(.noEndSentinel(characters: 5)))
        #expect(Swipe(text: ";47*1*?").track2 == .failed(.unreadable(position: 3, count: 2)))
        #expect(Swipe(text: ";" + String(repeating: "1", count: 100_000)).track2.error != nil)
    }
}

@Suite struct MagstripeContentTests {
    private let payment = "%B4761739001010119^DOE/JANE^49122010000000000?;4761739001010119=49122010000000000?"
    private let license =
        "%TXAUSTIN^DOE$JOHN^12345 SHERBOURNE ST^?;63601538774194=150819810101?#\" 78729      C               1505130BLKBLK?"

    private func kind(_ text: String) -> String {
        switch Swipe(text: text).content {
        case .payment: "payment"
        case .license: "license"
        case .other: "other"
        }
    }

    @Test("Swipes of payment cards are recognized by their tracks") func paymentCards() throws {
        guard case .payment(let stripe) = Swipe(text: payment).content else {
            Issue.record("no payment card")
            return
        }
        #expect(try shown(#require(stripe.track1).get().pan) == "4761739001010119")
        #expect(try shown(#require(stripe.track2).get().pan) == "4761739001010119")
        #expect(stripe.track3 == nil)
        #expect(stripe.contradictions == [])
    }

    @Test("the tracks of a license are read") func licenses() throws {
        guard case .license(let stripe) = Swipe(text: license).content else {
            Issue.record("no license")
            return
        }
        #expect(try #require(stripe.track1).get().city == "AUSTIN")
        #expect(try #require(stripe.track2).get().issuer == "636015")
        #expect(try #require(stripe.track3).get().postalCode == "78729")
    }

    /// Track 1 alone is recognized by its form.
    @Test("636000 to 636062 and 604425 to 604434 issue licenses; their neighbours are payment cards")
    func tellsThemApart() {
        for (issuer, kind) in [
            ("636000", "license"), ("636062", "license"), ("604425", "license"), ("604434", "license"),
            ("636063", "payment"),
            ("635999", "payment"), ("604424", "payment"), ("604435", "payment"), ("601100", "payment"),
        ] {
            #expect(self.kind(";\(issuer)1234567=260119550512=?") == kind, "\(issuer)")
            #expect(self.kind(";\(issuer)0000000004=4912201?") == kind, "\(issuer)")
        }
        #expect(kind("%B4761739001010119^DOE/JANE^4912201?") == "payment")
        #expect(kind("%BCVANCOUVER^DOE$JANE^1 A ST^?") == "license")
        #expect(kind("%E?;4761739001010119=4912201?") == "payment")
        #expect(kind(";E?+011234567890123445=7247241000000000000303=0404000====1=?") == "payment")
        for other in ["%HOTEL?", ";123?", "", "%E?", "%AB?", ";0000000=?"] {
            #expect(kind(other) == "other", "\(other)")
        }
    }

    /// One malformed track costs the others nothing and says what is wrong.
    @Test func tracksStandForThemselves() throws {
        guard
            case .payment(let stripe) = Swipe(
                text: "%B4761739001010119^DOE/JANE^4X122010?;4761739001010119=4912201?+99?"
            ).content
        else {
            Issue.record("no payment card")
            return
        }
        #expect(throws: TrackFormatError.expiry) { try #require(stripe.track1).get() }
        #expect(try #require(stripe.track2).get().expiry == "4912")
        #expect(throws: TrackFormatError.pan) { try #require(stripe.track3).get() }
    }

    @Test("contradictions between tracks are found") func contradictions() throws {
        let one = try Track1(text("B4761739001010119^DOE/JANE^4912201", .alphanumeric))
        func found(_ two: String) throws -> [SharedTrackField] {
            one.contradictions(to: try Track2(text(two, .numeric)))
        }
        #expect(try found("4761739001010119=4912201") == [])
        #expect(try found("4761739001010119===1") == [])
        #expect(try found("4761739001010010=4911101") == [.pan, .expiry, .serviceCode])
        #expect(try found("4761739001010119=4912101") == [.serviceCode])
    }

    /// Hostile texts: nothing crashes, nothing prints digits.
    @Test func anyTypedTextIsRead() {
        var random = SplitMix(seed: 0x7813)
        let letters = Array("%;?^=/$.+#E 0123456789BTXabc".utf8)
        for _ in 0..<3000 {
            let count = Int.random(in: 0...120, using: &random)
            let typed = String(
                decoding: (0..<count).map { _ in letters[Int.random(in: 0..<letters.count, using: &random)] },
                as: UTF8.self)
            let swipe = Swipe(text: typed)
            var dumped = "\(swipe)"
            dump(swipe, to: &dumped)
            dump(swipe.content, to: &dumped)
            #expect(dumped.firstMatch(of: #/[0-9]{8}/#) == nil)
        }
    }
}
