public import MagneticStripe

/// One swipe as a reader hands it on: tracks in the clear, or enciphered with what is to be known of the keys, or both where some tracks are protected
/// and others are not.
public struct CapturedSwipe: Sendable {
    /// The tracks that came in the clear; those that did not are blank.
    public var tracks: Swipe
    /// The encrypted tracks; nil if the reader encrypted no track.
    public var encrypted: EncryptedTracks?

    /// A swipe as the driver read it; all tracks are blank by default.
    public init(tracks: Swipe = Swipe(), encrypted: EncryptedTracks? = nil) {
        self.tracks = tracks
        self.encrypted = encrypted
    }

    /// Whether there is anything that a payment could be made with.
    public var isReadable: Bool { tracks.isReadable || encrypted?.isEmpty == false }
}
