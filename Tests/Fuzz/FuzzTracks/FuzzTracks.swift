import CFuzzer
import Modules

@c(FuzzTracks_main)
public func start(_ count: CInt, _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?) -> CInt {
    run_fuzzer(count, arguments) { fuzz($0, $1) }
}

/// The first byte says what the rest is: typed tracks, bits, intervals between flux transitions,
/// samples. They are read or say why not, and what is read prints nothing of itself.
private func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = [UInt8](UnsafeBufferPointer(start: start, count: count))
    guard let kind = bytes.first else { return 0 }
    let rest = bytes.dropFirst()
    var swipe = Swipe()
    switch kind % 4 {
    case 0: swipe = Swipe(text: String(decoding: rest, as: UTF8.self))
    case 1: for track in TrackNumber.allCases { swipe[track] = TrackDecoder(track).read(TrackBits(packed: rest)) }
    case 2:
        var time = 0.0
        let times = rest.map { step in
            time += Double(step)
            return time
        }
        for track in TrackNumber.allCases { swipe[track] = TrackDecoder(track).read(transitions: times) }
    default:
        let samples = rest.map { Int16(Int8(bitPattern: $0)) << 8 }
        for track in TrackNumber.allCases { swipe[track] = TrackDecoder(track).read(samples: samples) }
    }
    for track in TrackNumber.allCases { writeAgain(swipe[track], track) }
    _ = swipe.content
    precondition("\(swipe)".utf8.count < 400)
    return 0
}

/// What was read can be written, and is read again. Track 3 may be made so that it reads in both
/// codes.
private func writeAgain(_ reading: TrackReading, _ track: TrackNumber) {
    guard track != .three, let text = reading.text, let bits = try? TrackBits(writing: text, on: track) else { return }
    precondition(TrackDecoder(track).read(bits) == .read(text, .forward))
    precondition(TrackDecoder(track).read(bits.reversed).text != nil)
}
