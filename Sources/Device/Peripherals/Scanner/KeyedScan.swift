package import CardReaders
package import DeviceIO

/// Scans that are typed as by a keyboard. Scanners type as on a US keyboard unless they are set to
/// another one; what the computer is set to does not matter.
package struct KeyedScan: Sendable {
    private static let tab: UInt16 = 15
    private static let controls: Set<UInt16> = [29, 97]

    private var keymap: Keymap
    private var text: ScanText
    private var held: Set<UInt16> = []

    package init(_ format: ScanFormat, layout: KeyboardLayout = .american) {
        keymap = Keymap(layout)
        text = ScanText(format)
    }

    package var silence: Duration? { text.silence }
    package mutating func fallSilent() -> ScannerEvent? { text.fallSilent() }

    package mutating func take(_ event: KeyEvent) -> ScannerEvent? {
        switch event {
        case .pressed(let key) where Self.controls.contains(key): held.insert(key)
        case .released(let key) where Self.controls.contains(key): held.remove(key)
        case .pressed(Self.tab): return text.finish()
        case .pressed(let key): return take(keymap.press(key))
        case .released(let key): return take(keymap.release(key))
        case .repeated: break
        case .lost:
            keymap.releaseAll()
            held = []
            if text.isUnderWay { text.lose() }
        }
        return nil
    }

    private mutating func take(_ effect: Keymap.Effect) -> ScannerEvent? {
        switch effect {
        case .character(let character):
            // With Ctrl, ] is GS, which separates the fields of a GS1 code.
            text.append(held.isEmpty ? character : character & 0x1F)
            return nil
        case .end: return text.finish()
        case .nothing: return nil
        }
    }
}
