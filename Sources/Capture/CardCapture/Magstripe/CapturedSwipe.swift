public import MagneticStripe

/// One swipe as a reader returns it: tracks in the clear, or encrypted tracks with the data that
/// identify the key, or both if the reader encrypts only some tracks.
public struct CapturedSwipe: Sendable {
    /// The tracks in the clear; the others are blank.
    public var tracks: Swipe
    /// The encrypted tracks; nil if the reader encrypted no track.
    public var encrypted: EncryptedTracks?

    /// A swipe as the driver read it; all tracks are blank by default.
    public init(tracks: Swipe = Swipe(), encrypted: EncryptedTracks? = nil) {
        self.tracks = tracks
        self.encrypted = encrypted
    }

    /// Whether any track can be used for a payment.
    public var isReadable: Bool { tracks.isReadable || encrypted?.isEmpty == false }
}
