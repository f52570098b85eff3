import JSONDocument
import TLV
import VirtualCard

extension CardFileLayout {
    init(_ place: Place) throws(DocumentError) {
        self.init(
            try place.list { place throws(DocumentError) in
                let members = try place.members(["sfi", "records", "authenticated"])
                var authenticated = 0
                try members.take("authenticated", &authenticated) { place throws(DocumentError) in
                    try place.number(0...255)
                }
                let records = try members.required("records").list { place throws(DocumentError) in
                    try place.list { place throws(DocumentError) in try place.tag() }
                }
                return File(sfi: try members.required("sfi").number(1...30), records, authenticated: authenticated)
            })
    }

    var json: JSON {
        .list(
            files.map { file in
                .object([
                    "sfi": .number(file.sfi), "authenticated": .number(file.authenticatedCount),
                    "records": .list(file.records.map { .list($0.map { .text($0.description) }) }),
                ])
            })
    }
}
