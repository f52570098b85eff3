/// Processing restrictions (EMV 4.4 Book 3, 10.4).
extension ContactTransaction {
    mutating func applyProcessingRestrictions(_ application: ApplicationConfiguration) throws(Termination) {
        let found = try ProcessingRestrictions.evaluate(
            data.card, request: request, versions: application.versions, configuration: configuration)
        tvr.formUnion(found)
        observe?(.processingRestrictions(found))
    }
}
