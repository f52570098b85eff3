import EMVKernel
import TLV

/// The card's directory of contactless applications: the answer to SELECT of the PPSE
/// (EMV Contactless Book B, 3.3.2.3, table 3-2).
package struct Directory: Sendable {
    /// The kernel that an entry of the directory requests.
    package enum KernelRequest: Equatable, Sendable {
        /// Any kernel that is configured for the application.
        case any
        case kernel(KernelIdentifier)
    }

    /// One template `61`.
    package struct Entry: Equatable, Sendable {
        /// Tag `4F`, 5 to 16 bytes.
        package let adfName: [UInt8]
        package let kernel: KernelRequest
        /// 1, the highest, to 15; nil if it is absent or 0.
        package let priority: UInt8?
        /// Tag `9F29`.
        package let extendedSelection: [UInt8]?
    }

    /// `2PAY.SYS.DDF01`
    package static let name = Array("2PAY.SYS.DDF01".utf8)

    /// In the card's order. Only invalid entries are skipped.
    package let entries: [Entry]

    /// Empty if `bytes` are not a well-formed template `6F`; data objects behind it are ignored.
    package init(parsing bytes: [UInt8]) {
        var entries: [Entry] = []
        let isWellFormed = Template.visit(bytes, tag: .fciTemplate, ignoringRest: true) { path, node in
            guard path == [.fciProprietaryTemplate, .fciIssuerDiscretionaryData], node.tag == .applicationTemplate
            else { return }
            if let entry = Entry(Array(bytes[node.value])) { entries.append(entry) }
        }
        self.entries = isWellFormed ? entries : []
    }
}

extension Directory.Entry {
    /// Nil for an entry that is malformed, has no ADF name of 5 to 16 bytes, or has an invalid
    /// kernel identifier (EMV Contactless Book B, 3.3.2.5).
    init?(_ contents: [UInt8]) {
        var data = DataElements()
        guard let repeated = try? data.append(parsing: contents, where: { $0.depth == 0 }), repeated.isEmpty,
            let name = data[.adfName], (5...16).contains(name.count),
            let kernel = Directory.KernelRequest(data[.kernelIdentifier], application: name)
        else { return nil }
        adfName = name
        self.kernel = kernel
        let rank = (data[.applicationPriorityIndicator]?.first ?? 0) & 0x0F
        priority = rank == 0 ? nil : rank
        extendedSelection = data[.extendedSelection]
    }
}

extension Directory.KernelRequest {
    /// - Parameter identifier: Tag `9F2A`; nil or empty if it is absent.
    fileprivate init?(_ identifier: [UInt8]?, application: [UInt8]) {
        guard let identifier, let first = identifier.first else {
            self = KernelIdentifier(ofApplication: application).map(Self.kernel) ?? .any
            return
        }
        if first & 0x80 == 0 {
            self = first == 0 ? .any : .kernel(KernelIdentifier(international: first))
        } else {
            guard let domestic = KernelIdentifier(domestic: Array(identifier.prefix(3))) else { return nil }
            self = .kernel(domestic)
        }
    }
}
