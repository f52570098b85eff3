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
        case .pan: "the PAN is not 8 to 19 digits followed by a field separator"
        case .name: "the name has no end"
        case .expiry: "the expiry date is not four digits"
        case .serviceCode: "the service code is not three digits"
        case .discretionaryData: "the discretionary data are not digits"
        case .useAndSecurityData: "the use and security data are malformed"
        case .issuer: "the issuer is not a motor vehicle administration"
        case .jurisdiction: "the jurisdiction is not two letters"
        case .licenseNumber: "the license number is malformed"
        case .birthDate: "the date of birth is not eight digits"
        case .tooShort: "the track is too short"
        }
    }
}
