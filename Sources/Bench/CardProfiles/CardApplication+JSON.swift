import Bytes
import JSONDocument
import TLV
import VirtualCard

extension CardApplication {
    init(_ place: Place) throws(DocumentError) {
        let members = try place.members([
            "aid", "label", "preferredName", "codeTable", "priority", "confirmation", "blocked",
        ])
        self.init(aid: try members.required("aid").bytes(5...16), label: try members.required("label").text(1...16))
        try members.takeOrNull("preferredName", &preferredName) { place throws(DocumentError) in try place.text(1...16)
        }
        try members.take("codeTable", &codeTable) { place throws(DocumentError) in
            guard let table = CodeTable(rawValue: try place.number(1...10)) else {
                throw place.wrong(ProfileFault.codeTable)
            }
            return table
        }
        try members.takeOrNull("priority", &priority) { place throws(DocumentError) in try place.number(1...15) }
        try members.take("confirmation", &needsConfirmation) { place throws(DocumentError) in try place.flag() }
        try members.take("blocked", &isBlocked) { place throws(DocumentError) in try place.flag() }
        if let preferredName, codeTable.bytes(preferredName) == nil, let name = members["preferredName"] {
            throw name.wrong(ProfileFault.characterNotInTable(codeTable))
        }
    }

    var json: JSON {
        .object([
            "aid": .hex(aid), "label": .text(label), "preferredName": .orNull(preferredName) { .text($0) },
            "codeTable": .number(codeTable.rawValue), "priority": .orNull(priority) { .number($0) },
            "confirmation": .flag(needsConfirmation), "blocked": .flag(isBlocked),
        ])
    }
}
