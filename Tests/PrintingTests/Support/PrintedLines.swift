import Printing

/// A printed place: a character and its style.
struct Place: Equatable {
    let character: Character
    let style: SlipStyle
}

extension Slip.Line {
    /// The places that a printer with these code tables shows: a `?` for what is in none of them.
    func places(on profile: PrinterProfile) -> [Place] {
        runs.flatMap { run in
            run.characters.map { character in
                let isKnown =
                    ("\u{20}"..."\u{7E}").contains(character) && character.unicodeScalars.count == 1
                    || profile.codeTables.contains { $0.table.byte(for: character) != nil }
                return Place(character: isKnown ? character : "?", style: run.style)
            }
        }
    }

    var places: [Place] { runs.flatMap { run in run.characters.map { Place(character: $0, style: run.style) } } }
}
