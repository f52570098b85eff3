internal import SmartCard
internal import TLV

extension CardImage.Application {
    /// The data objects of the records that were read, with their places. Files 11 to 30 belong to
    /// the payment system or the issuer (EMV 4.4 Book 3, 7.1).
    ///
    /// In a reader's field the answer to GET PROCESSING OPTIONS may have any of them too.
    var located: [LocatedObject] {
        answeredWithOptions + recorded
    }

    private var answeredWithOptions: [LocatedObject] {
        guard interface == .contactless, let options, options.status == .success else { return [] }
        let answer = ParsedAnswer(options.data)
        return answer.outermost == [.responseTemplate2] ? answer.objects : []
    }

    private var recorded: [LocatedObject] {
        records.filter { $0.place.sfi <= 10 && $0.answer.status == .success }.flatMap {
            ParsedAnswer($0.answer.data, record: $0.place).objects
        }
    }

    /// The card's data objects by tag, those of records before the answer to GET PROCESSING
    /// OPTIONS; the PDOL comes from the FCI. The first of several values is used.
    var elements: DataElements {
        var elements = DataElements()
        for object in located where !object.value.isEmpty && !elements.contains(object.tag) {
            elements.append(object.tag, object.value)
        }
        if let options, options.status == .success {
            let processing = ProcessingOptions(options.data)
            if let profile = processing.profileBytes { elements[.applicationInterchangeProfile] = profile }
            if let locator = processing.locator { elements[.applicationFileLocator] = locator }
        }
        if let pdol = ParsedAnswer(fci.data).objects.first(where: { $0.tag == .pdol }) { elements[.pdol] = pdol.value }
        return elements
    }

    /// The first place of the data object.
    func place(of tag: Tag) -> CardFinding.Place {
        CardFinding.Place(application: name, record: located.first { $0.tag == tag }?.record, tag: tag)
    }
}
