"""Says what is wrong with a page: not well formed as XML, an element that is never closed, an id that is there twice, a link that leads nowhere or
elsewhere, a script, something fetched. Prints nothing for a page that is well."""
import html.parser
import sys
import xml.etree.ElementTree

text = open(sys.argv[1], encoding="utf-8").read()
problems = []

try:
    xml.etree.ElementTree.fromstring(text.removeprefix("<!DOCTYPE html>").strip())
except xml.etree.ElementTree.ParseError as error:
    problems.append(f"XML: {error}")


class Reader(html.parser.HTMLParser):
    void = {"meta", "br", "input", "img", "link"}

    def __init__(self):
        super().__init__()
        self.open, self.ids, self.targets = [], [], []

    def handle_starttag(self, tag, attributes):
        if tag in {"script", "img", "link", "iframe", "object", "embed", "form", "base"}:
            problems.append(f"a {tag} {attributes}")
        if tag not in self.void:
            self.open.append(tag)
        for name, value in attributes:
            if name == "id":
                self.ids.append(value)
            if name == "href":
                self.targets.append(value)
            if name.startswith("on") or name in {"src", "srcset", "action", "data"}:
                problems.append(f"{tag} has {name}={value}")

    def handle_startendtag(self, tag, attributes):
        self.handle_starttag(tag, attributes)
        if tag not in self.void:
            self.open.pop()

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            problems.append(f"</{tag}> closes nothing")


reader = Reader()
reader.feed(text)
reader.close()
problems += [f"{tag} is never closed" for tag in reader.open]
problems += sorted({f"the id {name} is there twice" for name in reader.ids if reader.ids.count(name) > 1})
problems += [f"{target} leads nowhere" for target in reader.targets if target[:1] != "#" or target[1:] not in reader.ids]
style = text[text.index("<style>"):text.index("</style>")]
problems += [f"the style has {word}" for word in ("url(", "@import", "http") if word in style]
print("\n".join(problems), end="")
