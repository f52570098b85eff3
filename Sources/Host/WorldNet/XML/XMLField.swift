/// The elements that messages of the XML interface consist of, by their published names.
public enum XMLField: String, Sendable, Hashable {
    case orderID = "ORDERID"
    case terminalID = "TERMINALID"
    /// `10.50`; a whole number in currencies without decimals.
    case amount = "AMOUNT"
    /// ``GatewayDate``.
    case dateTime = "DATETIME"
    /// Track 2 with its sentinels.
    case trackData = "TRACKDATA"
    /// A card number, or a token where the card type is `SECURECARD`.
    case cardNumber = "CARDNUMBER"
    case encryptedTrack = "ENCRYPTEDTRACK"
    case keySerialNumber = "KSN"
    case formatID = "FORMATID"
    case cardType = "CARDTYPE"
    /// MMYY.
    case cardExpiry = "CARDEXPIRY"
    case cardholderName = "CARDHOLDERNAME"
    case hash = "HASH"
    /// ISO 4217, three capitals.
    case currency = "CURRENCY"
    /// 1 mail or telephone, 2 Internet, 3 cardholder present.
    case terminalType = "TERMINALTYPE"
    /// 0 not applicable, 4 mail or telephone, 7 over an encrypted channel; others exist.
    case transactionType = "TRANSACTIONTYPE"
    case autoReady = "AUTOREADY"
    case email = "EMAIL"
    case cvv = "CVV"
    case issueNumber = "ISSUENO"
    case address1 = "ADDRESS1"
    case address2 = "ADDRESS2"
    case postCode = "POSTCODE"
    case description = "DESCRIPTION"
    case xid = "XID"
    case cavv = "CAVV"
    case mpiReference = "MPIREF"
    case mobileNumber = "MOBILENUMBER"
    case deviceID = "DEVICEID"
    case phone = "PHONE"
    case city = "CITY"
    case region = "REGION"
    case country = "COUNTRY"
    case ipAddress = "IPADDRESS"
    /// ``SignatureStrokes``.
    case signature = "SIGNATURE"
    case uniqueReference = "UNIQUEREF"
    /// `A` approved, `D` declined, `R` referred, `C` keep the card.
    case responseCode = "RESPONSECODE"
    case responseText = "RESPONSETEXT"
    case approvalCode = "APPROVALCODE"
    /// ISO 8583:1987, field 39.
    case bankResponseCode = "BANKRESPONSECODE"
    case authorizedAmount = "AUTHORIZEDAMOUNT"
    case avsResponse = "AVSRESPONSE"
    case cvvResponse = "CVVRESPONSE"
    case processingTerminal = "PROCESSINGTERMINAL"
    case operatorName = "OPERATOR"
    case reason = "REASON"
    case merchantReference = "MERCHANTREF"
    case cardReference = "CARDREFERENCE"
    case dontCheckSecurity = "DONTCHECKSECURITY"
    case permittedTerminals = "PERMITTEDTERMINALS"
    case errorCode = "ERRORCODE"
    case errorString = "ERRORSTRING"

    // What the bench host has beyond the published interface (docs/gateways.md).

    /// `NOTSEEN`, `PENDING`, `DECIDED` or `REVERSED`.
    case orderState = "CP_STATE"
    /// The order id of a refund or a capture itself.
    case ownOrderID = "CP_ORDERID"
}
