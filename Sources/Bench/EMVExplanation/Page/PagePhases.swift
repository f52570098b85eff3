/// The phases as collapsible parts with commands and answers, which contain their bytes, also
/// collapsible.
///
/// The targets of links are within the collapsible parts, so that browsers open them.
struct PagePhases {
    private let explanation: Explanation

    init(_ explanation: Explanation) { self.explanation = explanation }

    func write<Failure>(_ body: (String) throws(Failure) -> Void) throws(Failure) {
        try body(
            """
            <section id="phases">
            <h2>Phase by phase</h2>
            <p class="note">Everything opens, down to the bit. <label class="all"><input type="checkbox" id="open-all" /> Show all of it</label></p>

            """)
        var number = 0
        for (index, phase) in explanation.phases.enumerated() {
            try body(
                """
                <details class="phase">
                <summary>\(Markup.element("h3", text: phase.name))\(extent(phase))</summary>
                <div class="inside" id="p\(index)">
                \(Markup.list("conclusions", phase.conclusions))

                """)
            for step in phase.steps {
                try body(html(step, number) + "\n")
                number += 1
            }
            try body("</div>\n</details>\n")
        }
        try body("</section>\n")
    }

    private func extent(_ phase: Explanation.Phase) -> String {
        let count = phase.steps.count { $0.source.isExchange }
        let commands = count == 0 ? "nothing said to the card" : count == 1 ? "1 command" : "\(count) commands"
        let time = phase.start.flatMap { start in phase.end.map { "\(ExplanationText.milliseconds($0 - start)) ms" } }
        return Markup.element("span", "extent", text: [commands, time].compactMap { $0 }.joined(separator: " · "))
    }

    // MARK: Steps

    private func html(_ step: Explanation.Step, _ number: Int) -> String {
        switch step.event {
        case .exchange(let exchange): return html(exchange, step, number)
        case .unanswered(let exchange): return html(exchange, step, number)
        case .reader(let text): return remark("reader", text)
        case .decision(let text): return remark("kernel", text)
        case .host(let isAnswer, let text): return remark(isAnswer ? "from the host" : "to the host", text)
        case .wire(let text): return remark("wire", text)
        }
    }

    private func remark(_ who: String, _ text: String) -> String {
        Markup.element("p", "remark", Markup.element("b", text: who) + " " + Markup.escaped(text))
    }

    private func html(_ exchange: Explanation.Exchange, _ step: Explanation.Step, _ number: Int) -> String {
        let place = [
            step.line > 0 ? "line \(step.line)" : nil,
            step.start.map { ExplanationText.moment($0, of: explanation.duration) },
        ]
        .compactMap { $0 }
        let status = exchange.answer.map {
            Markup.element("span", $0.isExpected ? "status" : "status failed", text: $0.status)
        }
        return """
            <details class="exchange">
            <summary>\(Markup.element("span", "command", text: exchange.command))\(status ?? Markup.element("span", "status failed", text: "no answer"))\
            \(Markup.element("span", "place", text: place.joined(separator: " · ")))</summary>
            <div class="bytes" id="s\(number)">
            <h4>Command</h4>
            \(parts(exchange.commandParts))
            \(Markup.list("notes", exchange.details))
            \(tree(exchange.sent))
            \(exchange.answer.map(answer) ?? "")
            </div>
            </details>
            """
    }

    private func answer(_ answer: Explanation.Answer) -> String {
        let meaning = answer.meaning.map {
            Markup.element("p", answer.isExpected ? "meaning" : "meaning failed", text: "\(answer.status): \($0)")
        }
        let problem = answer.problem.map { Markup.element("p", "meaning failed", text: $0) }
        return "<h4>Answer</h4>\n\(parts(answer.parts))\n\(meaning ?? "")\(problem ?? "")\(tree(answer.fields))"
    }

    /// The bytes in their parts, each with its name above and its meaning below.
    private func parts(_ parts: [Explanation.Part]) -> String {
        let shown = parts.map { part in
            let meaning = part.meaning.map { Markup.element("small", text: $0) } ?? ""
            return Markup.element(
                "span", part.name == "data" ? "part data" : "part",
                Markup.element("b", text: part.name) + Markup.element("code", spaced(part.bytes)) + meaning)
        }
        return Markup.element("p", "parts", shown.joined(separator: " "))
    }

    /// Byte by byte, so that lines may break between them.
    private func spaced(_ digits: String) -> String {
        var spaced: [UInt8] = []
        spaced.reserveCapacity(digits.utf8.count * 3 / 2)
        for (index, digit) in digits.utf8.enumerated() {
            if index > 0, index.isMultiple(of: 2) { spaced.append(UInt8(ascii: " ")) }
            spaced.append(digit)
        }
        return Markup.escaped(String(decoding: spaced, as: UTF8.self))
    }

    // MARK: Data objects

    private func tree(_ fields: [DataField]) -> String {
        fields.isEmpty
            ? "" : Markup.element("ul", "tlv", fields.map { Markup.element("li", object($0)) }.joined(separator: "\n"))
    }

    private func object(_ field: DataField) -> String {
        let count = field.length == 1 ? "1 byte" : "\(field.length) bytes"
        let head =
            Markup.element("code", "tag", text: field.tag) + " " + Markup.element("span", "name", text: field.name)
            + " "
            + Markup.element("span", "length", text: count)
        let value = field.value.flatMap { $0.isEmpty ? nil : " " + Markup.element("code", "value", spaced($0)) } ?? ""
        return head + value + says(field) + tree(field.fields)
    }

    private func says(_ field: DataField) -> String {
        let set = field.bits.filter(\.isSet)
        guard !field.bits.isEmpty else { return meanings(field.meanings) }
        let rows = set.map { bit in
            Markup.element(
                "li", Markup.element("span", "bit", text: "\(bit.byte).\(bit.bit)") + " " + Markup.escaped(bit.meaning))
        }
        let list = rows.isEmpty ? meanings(field.meanings) : Markup.element("ul", "words", rows.joined())
        let every = field.bits.map { bit in
            Markup.element(
                "li", bit.isSet ? "set" : "clear",
                Markup.element("span", "bit", text: "\(bit.byte).\(bit.bit)")
                    + Markup.element("span", "state", text: bit.isSet ? "1" : "0")
                    + " " + Markup.escaped(bit.meaning))
        }
        return list + "<details class=\"every\"><summary>every bit, byte and number</summary>"
            + Markup.element("ul", "words", every.joined()) + "</details>"
    }

    private func meanings(_ meanings: [String]) -> String {
        guard !meanings.isEmpty else { return "" }
        return Markup.element(
            "ul", "words",
            meanings.map { Markup.element("li", $0.hasPrefix("  ") ? "inner" : nil, text: $0.drop { $0 == " " }) }
                .joined())
    }
}
