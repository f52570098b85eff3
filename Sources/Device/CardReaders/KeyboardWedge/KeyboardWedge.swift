package import CardCapture
package import DeviceIO

/// A reader that types its tracks as a keyboard does.
///
/// Only what it types distinguishes it from a keyboard, so it is never discovered: the installer
/// must name its device file.
package final class KeyboardWedge: SwipeSource {
    package static let capabilities: ReaderCapabilities = .magneticStripe

    private let transport: any KeyTransport
    private let layout: KeyboardLayout
    private var text: WedgeText

    /// - Parameter layout: The layout that the reader is configured for.
    package init(_ transport: any KeyTransport, layout: KeyboardLayout = .american) {
        self.transport = transport
        self.layout = layout
        text = WedgeText(layout: layout)
    }

    package func prepare() throws(DeviceError) {
        text = WedgeText(layout: layout)
        for _ in 0..<10_000 {
            do throws(DeviceError) {
                _ = try transport.next(by: .after(.zero))
            } catch .timedOut {
                return
            } catch {
                throw error
            }
        }
    }

    package func nextSwipe() throws(DeviceError) -> CapturedSwipe {
        while true {
            do throws(DeviceError) {
                text.take(try transport.next(by: text.isUnderWay ? .after(text.silence) : .never))
            } catch .timedOut {
                if let swipe = try text.finish() { return swipe }
            } catch {
                throw error
            }
        }
    }
}

package typealias KeyboardWedgeReader = MagstripeDriver<KeyboardWedge>

extension MagstripeDriver where Source == KeyboardWedge {
    /// - Parameters:
    ///   - path: The keyboard's device file, such as a link in `/dev/input/by-id`.
    ///   - layout: The layout that the reader is configured for.
    package init(path: String, layout: KeyboardLayout = .american) throws(DeviceError) {
        try self.init(name: "keyboard wedge", capabilities: KeyboardWedge.capabilities) { cancel throws(DeviceError) in
            KeyboardWedge(try InputDevice(path: path, cancel: cancel), layout: layout)
        }
    }
}

extension ReaderFamily {
    /// Stripe readers that type, and cannot be distinguished from keyboards.
    public static let keyboardWedge = ReaderFamily(
        magstripe: "keyboard wedge", capabilities: KeyboardWedge.capabilities
    ) {
        opening throws(DeviceError) in
        try KeyboardWedgeReader(path: opening.path, layout: opening.layout)
    }
}
