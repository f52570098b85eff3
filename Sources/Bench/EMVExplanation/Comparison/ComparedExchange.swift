import TLV

/// A command and its answer as a list of paths with values, for comparison with another exchange.
struct ComparedExchange {
    let command: String
    /// The key for matching: the text of the command, and for GENERATE AC only the instruction,
    /// because the requested type may differ.
    let key: String
    let line: Int
    /// In the order of the log.
    private let places: [Place]

    private struct Place {
        /// `sent 9F37`, `answer 70/5A`, and for a repeated one `answer 70/5A (2)`.
        let path: String
        let name: String
        let tag: String?
        let shown: String
        /// The value for the comparison.
        let exact: String
        let meanings: [String]
    }

    /// The commands of a log.
    ///
    /// - Parameter exact: The same log with only PINs hidden.
    static func all(of explanation: Explanation, exact: Explanation) -> [ComparedExchange] {
        zip(explanation.phases.flatMap(\.steps), exact.phases.flatMap(\.steps)).compactMap { ComparedExchange($0, $1) }
    }

    private init?(_ step: Explanation.Step, _ exactStep: Explanation.Step) {
        guard let shown = Self.exchange(step.event), let exact = Self.exchange(exactStep.event) else { return nil }
        command = shown.command
        let instruction = shown.commandParts.first { $0.name == "INS" }
        let isCryptogram = instruction?.bytes == "AE"
        key = isCryptogram ? "AE" : exact.command
        line = step.line
        var places = Self.places(shown.sent, exact.sent, "sent")
        if let answer = shown.answer, let exactAnswer = exact.answer {
            let meanings = [answer.statusWords, answer.meaning].compactMap { $0 }
            places.append(
                Place(
                    path: "status", name: "status", tag: nil, shown: answer.status, exact: exactAnswer.status,
                    meanings: meanings))
            places += Self.places(answer.fields, exactAnswer.fields, "answer")
            if answer.fields.isEmpty, answer.parts.count > 1 {
                places.append(
                    Place(
                        path: "data", name: "data of the answer", tag: nil, shown: answer.parts[0].bytes,
                        exact: exactAnswer.parts.first?.bytes ?? "", meanings: []))
            }
        } else {
            places.append(Place(path: "status", name: "status", tag: nil, shown: "no answer", exact: "", meanings: []))
        }
        // Data without a list: a record's number is in the command itself.
        if shown.sent.isEmpty, let data = shown.commandParts.first(where: { $0.name == "data" }) {
            let exactData = exact.commandParts.first { $0.name == "data" }
            places.insert(
                Place(
                    path: "command", name: "data of the command", tag: nil, shown: data.bytes,
                    exact: exactData?.bytes ?? data.bytes,
                    meanings: []), at: 0)
        }
        if isCryptogram {
            places.insert(
                Place(path: "asked", name: "what is asked for", tag: nil, shown: command, exact: command, meanings: []),
                at: 0)
        }
        self.places = places
    }

    private static func exchange(_ event: Explanation.Event) -> Explanation.Exchange? {
        switch event {
        case .exchange(let exchange), .unanswered(let exchange): exchange
        case .reader, .decision, .host, .wire: nil
        }
    }

    private static func places(_ shown: [DataField], _ exact: [DataField], _ prefix: String) -> [Place] {
        var places: [Place] = []
        var counts: [String: Int] = [:]
        func add(_ shown: [DataField], exact: [DataField], path: String, separator: String) {
            for (field, exactField) in zip(shown, exact) {
                let path = path + separator + field.tag
                guard let value = field.value else {
                    add(field.fields, exact: exactField.fields, path: path, separator: "/")
                    continue
                }
                counts[path, default: 0] += 1
                let number = counts[path].flatMap { $0 > 1 ? " (\($0))" : nil } ?? ""
                places.append(
                    Place(
                        path: path + number, name: "\(prefix) \(field.tag) \(field.name)\(number)", tag: field.tag,
                        shown: value,
                        exact: exactField.value ?? value, meanings: field.meanings))
            }
        }
        add(shown, exact: exact, path: prefix, separator: " ")
        return places
    }

    /// The differences from `other`, in the order of this log; data only in `other` come last.
    func differences(from other: ComparedExchange) -> [ExplanationComparison.Difference] {
        let others = Dictionary(other.places.map { ($0.path, $0) }, uniquingKeysWith: { first, _ in first })
        let own = Set(places.map(\.path))
        let changed = places.compactMap { place -> ExplanationComparison.Difference? in
            let match = others[place.path]
            guard match?.exact != place.exact else { return nil }
            return difference(place, match)
        }
        return changed + other.places.filter { !own.contains($0.path) }.map { difference(nil, $0) }
    }

    private func difference(_ left: Place?, _ right: Place?) -> ExplanationComparison.Difference {
        let name = (left ?? right)?.name ?? ""
        let isHidden = left?.shown == right?.shown
        let tag = (left ?? right)?.tag.flatMap { Tag(hex: $0) }
        return ExplanationComparison.Difference(
            isHidden ? name + ", in hidden digits" : name, of: command, (left?.shown, right?.shown),
            meanings: (left?.meanings ?? [], right?.meanings ?? []),
            variesAlways: left != nil && right != nil && tag.map(Self.varyingTags.contains) ?? false)
    }

    /// Data that are new in each transaction (EMV 4.4 Book 3, annex A): numbers, counters, dates,
    /// and values computed from them.
    static let varyingTags: Set<Tag> = [
        .unpredictableNumber, .applicationTransactionCounter, .applicationCryptogram, .signedDynamicApplicationData,
        .transactionDate, .transactionTime, .transactionSequenceCounter, .issuerAuthenticationData, .iccDynamicNumber,
        .lastOnlineATCRegister,
    ]
}
