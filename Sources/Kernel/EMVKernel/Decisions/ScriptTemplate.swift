package import SmartCard
import TLV

/// One script of the issuer: template 71 or 72, an identifier, and commands for the card (EMV 4.4
/// Book 3, 10.10 and annex E).
package struct ScriptTemplate {
    package let isBeforeFinalCryptogram: Bool
    /// Tag `9F18`; zeros if the script has no identifier.
    package let identifier: [UInt8]
    /// Nil for an entry that is not a command.
    package let commands: [CommandAPDU?]

    /// Nil if the bytes are not a script template, or have no commands.
    package init?(_ bytes: [UInt8]) {
        let isFirst = bytes.first == 0x71
        guard
            let contents = Template.contents(of: bytes, tag: isFirst ? .issuerScriptTemplate1 : .issuerScriptTemplate2)
        else {
            return nil
        }
        isBeforeFinalCryptogram = isFirst
        var identifier: [UInt8]?
        var commands: [CommandAPDU?] = []
        var walker = TLVWalker()
        do {
            while let node = try walker.next(in: contents.span) {
                switch node.tag {
                case .issuerScriptIdentifier where node.value.count == 4: identifier = Array(contents[node.value])
                case .command: commands.append(CommandAPDU(Array(contents[node.value])))
                default: break
                }
            }
        } catch {
            return nil
        }
        guard !commands.isEmpty else { return nil }
        self.identifier = identifier ?? [0, 0, 0, 0]
        self.commands = commands
    }

    /// Tag `9F18` of a script that is not performed, as far as it can be read; zeros otherwise.
    package static func identifier(of bytes: [UInt8]) -> [UInt8] {
        var walker = TLVWalker()
        while let node = try? walker.next(in: bytes.span) {
            if node.tag == .issuerScriptIdentifier, node.value.count == 4 { return Array(bytes[node.value]) }
        }
        return [0, 0, 0, 0]
    }
}
