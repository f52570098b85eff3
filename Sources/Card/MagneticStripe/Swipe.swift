private import Bytes

/// The results of the three tracks of one swipe.
public struct Swipe: Sendable {
    public var track1: TrackReading
    public var track2: TrackReading
    public var track3: TrackReading

    public init(track1: TrackReading = .blank, track2: TrackReading = .blank, track3: TrackReading = .blank) {
        self.track1 = track1
        self.track2 = track2
        self.track3 = track3
    }

    public subscript(track: TrackNumber) -> TrackReading {
        get {
            switch track {
            case .one: track1
            case .two: track2
            case .three: track3
            }
        }
        set {
            switch track {
            case .one: track1 = newValue
            case .two: track2 = newValue
            case .three: track3 = newValue
            }
        }
    }

    /// Whether any track was read.
    public var isReadable: Bool { TrackNumber.allCases.contains { self[$0].text != nil } }
}

extension Swipe: CustomStringConvertible, CustomReflectable {
    public var description: String {
        TrackNumber.allCases.map { track in
            switch self[track] {
            case .blank: "track \(track.rawValue) blank"
            case .read: "track \(track.rawValue) read"
            case .failed(let error): "track \(track.rawValue): \(error)"
            }
        }.joined(separator: "; ")
    }
    public var customMirror: Mirror { Mirror(self, children: []) }
}
