package import CardCapture
package import DeviceIO
import MagneticStripe

/// A reader that types its tracks as a keyboard does.
///
/// Nothing tells it from a keyboard but what it types, so it is never looked for: whoever installs it names its device file.
package final class KeyboardWedge: SwipeSource {
    package static let capabilities: ReaderCapabilities = .magneticStripe

    private let transport: any KeyTransport
    private let layout: KeyboardLayout
    private var text: WedgeText

    /// A reader types faster than this from key to key, and may type no Enter at the end.
    static let silence = Duration.milliseconds(500)

    /// - Parameter layout: That the reader was set up for.
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
            let swipe: Swipe?
            do throws(DeviceError) {
                swipe = text.take(try transport.next(by: text.isUnderWay ? .after(Self.silence) : .never))
            } catch .timedOut {
                swipe = text.finish()
            } catch {
                throw error
            }
            if let swipe { return CapturedSwipe(tracks: swipe) }
        }
    }
}

package typealias KeyboardWedgeReader = MagstripeDriver<KeyboardWedge>

extension MagstripeDriver where Source == KeyboardWedge {
    /// - Parameters:
    ///   - path: Of the keyboard, such as a link of `/dev/input/by-id`.
    ///   - layout: That the reader was set up for.
    package init(path: String, layout: KeyboardLayout = .american) throws(DeviceError) {
        try self.init(name: "keyboard wedge", capabilities: KeyboardWedge.capabilities) { cancel throws(DeviceError) in
            KeyboardWedge(try InputDevice(path: path, cancel: cancel), layout: layout)
        }
    }
}
