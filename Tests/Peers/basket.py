"""What baskets come to, by exact fractions: basket.py FILE, one basket's JSON document a line.

Prints a JSON list: of each basket what is charged, goods, serviceCharge and tip (null without such items), and by rising rate
[rate, net, tax], in minor units; or the name of the fault. Written from the text in docs/basket.md.
"""
import json
import sys
from decimal import Decimal
from fractions import Fraction
from math import floor

EXPONENT = {"EUR": 2, "JPY": 0, "KWD": 3}


def half_up(value):
    return floor(value + Fraction(1, 2))


def largest_remainder(amount, weights):
    whole = sum(weights)
    if amount == 0:
        return [0] * len(weights)
    exact = [Fraction(amount * weight, whole) for weight in weights]
    parts = [floor(share) for share in exact]
    while sum(parts) < amount:
        rests = [share - part for share, part in zip(exact, parts)]
        best = max(range(len(parts)), key=lambda index: (rests[index], -index))
        parts[best] += 1
    return parts


def totals(basket):
    scale = 10 ** EXPONENT[basket["currency"]]
    if not basket["items"]:
        return "empty"
    named = {tax["rate"] for tax in basket["taxes"]}
    kinds = ("NORMAL", "SERVICE_CHARGE", "TIP")
    sums = {}
    for item in basket["items"]:
        minor = Decimal(item["price"]) * scale
        assert minor == int(minor)
        sums.setdefault(item["taxRate"], dict.fromkeys(kinds, 0))[item["type"]] += int(minor) * item["quantity"]
    rates = sorted(sums)
    discount = int(Decimal(basket.get("discount", "0")) * scale)
    goods = [sums[rate]["NORMAL"] for rate in rates]
    if discount > sum(goods):
        return "discountAboveItems"
    for rate, share in zip(rates, largest_remainder(discount, goods)):
        sums[rate]["NORMAL"] -= share
    charged = dict.fromkeys(kinds, 0)
    lines = []
    for rate in rates:
        part = [sums[rate][kind] for kind in kinds]
        if basket["prices"] == "gross":
            tax = half_up(Fraction(sum(part) * rate, 10000 + rate))
            net = sum(part) - tax
        else:
            net = sum(part)
            tax = half_up(Fraction(net * rate, 10000))
            part = [own + share for own, share in zip(part, largest_remainder(tax, part))]
        for kind, own in zip(kinds, part):
            charged[kind] += own
        if rate in named:
            lines.append([rate, net, tax])
    total = sum(charged.values())
    if total >= 10 ** 12:
        return "tooLarge"
    if total == 0:
        return "nothingToCharge"
    if charged["NORMAL"] == 0:
        return "nothingBesideExtras"
    present = {item["type"] for item in basket["items"]}
    return {
        "total": total, "goods": charged["NORMAL"], "rates": lines,
        "serviceCharge": charged["SERVICE_CHARGE"] if "SERVICE_CHARGE" in present else None,
        "tip": charged["TIP"] if "TIP" in present else None,
    }


print(json.dumps([totals(json.loads(line)) for line in open(sys.argv[1], encoding="utf-8")]))
