/// Why a track does not have the expected format. No case repeats its data.
public enum TrackFormatError: Error, Equatable, Sendable {
    /// The track has another code.
    case code
    /// A format code other than the requested one.
    case formatCode
    /// Not 8 to 19 digits with a field separator after them.
    case pan
    case name
    case expiry
    case serviceCode
    case discretionaryData
    /// The use and security data of track 3 are invalid.
    case useAndSecurityData
    /// Not an issuer identification number of a motor vehicle administration.
    case issuer
    case jurisdiction
    case licenseNumber
    case birthDate
    /// Too short for the mandatory fields.
    case tooShort
}

extension TrackFormatError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .code: "the track is written in another code"
        case .formatCode: "the track has another format code"
        case .pan: "there are no 8 to 19 digits of a PAN with a field separator after them"
        case .name: "the name has no end"
        case .expiry: "the expiry date is no four digits"
        case .serviceCode: "the service code is no three digits"
        case .discretionaryData: "the discretionary data hold something else than digits"
        case .useAndSecurityData: "the use and security data are malformed"
        case .issuer: "the issuer is no motor vehicle administration"
        case .jurisdiction: "the jurisdiction is no two letters"
        case .licenseNumber: "the license number is malformed"
        case .birthDate: "the date of birth is no eight digits"
        case .tooShort: "the track is too short"
        }
    }
}
