internal import ThreeDSecure

/// What the published test cards of Cardinal do.
enum TestCard {
    /// What a lookup or a challenge says.
    struct Result {
        /// Nil in an empty answer.
        var enrolled: Enrollment? = .yes
        var status: TransactionStatus?
        var eci: String?
        var hasValue = false
        var error = 0
        var reason: String?
    }

    struct Behavior {
        let lookup: Result
        /// Nil without a challenge.
        let challenge: Result?

        init(_ lookup: Result, _ challenge: Result? = nil) {
            self.lookup = lookup
            self.challenge = challenge
        }
    }

    private static let good = Result(status: .authenticated, eci: "05", hasValue: true)
    private static let attempt = Result(status: .attempted, eci: "06", hasValue: true)
    private static let challenged = Result(status: .challenge)
    private static let denied = Result(status: .denied, eci: "07")
    private static let unavailable = Result(status: .unavailable, eci: "07")

    /// By card number. Mastercard's have the indicators of that brand.
    static let published: [String: Behavior] = [
        "4000000000001000": Behavior(good),
        "4000000000001018": Behavior(denied),
        "4000000000001026": Behavior(attempt),
        "4000000000001034": Behavior(unavailable),
        "4000000000001042": Behavior(Result(status: .rejected, eci: "07")),
        "4000000000001059": Behavior(Result(enrolled: .unavailable, eci: "07")),
        "4000000000001067": Behavior(Result(enrolled: .unavailable, error: 1001)),
        "4000000000001075": Behavior(Result(enrolled: nil, error: 2001)),
        "4000000000001083": Behavior(Result(enrolled: .bypassed, eci: "07")),
        "4000000000001091": Behavior(challenged, good),
        "4000000000001109": Behavior(challenged, denied),
        "4000000000001117": Behavior(challenged, unavailable),
        "4000000000001125": Behavior(challenged, Result(error: 1000)),
        "4000000000001133": Behavior(challenged, Result(enrolled: .bypassed, eci: "07")),
        "4000000000002701": Behavior(good),
        "4000000000002719": Behavior(attempt),
        "4000000000002925": Behavior(denied),
        "4000000000002503": Behavior(challenged, good),
        "4000000000002370": Behavior(challenged, denied),
        "4000000000002420": Behavior(unavailable),
        "4000000000002644": Behavior(Result(error: 1000)),
        "4000000000002040": Behavior(Result(status: .denied, eci: "07", reason: "01")),
        "5200000000001005": Behavior(good),
        "5200000000002235": Behavior(good),
        "5200000000001021": Behavior(attempt),
        "5200000000002482": Behavior(attempt),
        "5200000000002276": Behavior(denied),
        "5200000000002151": Behavior(challenged, good),
        "5200000000002490": Behavior(challenged, denied),
        "340000000002708": Behavior(good),
        "6011000000002117": Behavior(good),
        "3338000000000296": Behavior(good),
    ]
}
