"""Statistics of exported transactions, by sqlite3, fractions and datetime.

Arguments: a file with a line `id,currency,amount,state,seconds,utc offset` for each transaction, and queries:
the currency, the first and the last day (yyyy-mm-dd), day, week, month, quarter or year, and all or states, with
commas between. Prints each query, and under it a line for each group: `key state count sum turnover minimum maximum
numerator/denominator average`.
"""
import csv
import datetime
import fractions
import sqlite3
import sys

path, *queries = sys.argv[1:]


def key(day, grouping):
    year, month = int(day[:4]), int(day[5:7])
    if grouping == "day":
        return day.replace("-", "/")
    if grouping == "week":
        week = datetime.date.fromisoformat(day).isocalendar()
        return f"{week[0]:04}/W{week[1]:02}"
    if grouping == "month":
        return f"{year:04}/{month:02}"
    return f"{year:04}/Q{(month - 1) // 3 + 1}" if grouping == "quarter" else f"{year:04}"


def rounded(average):
    half = fractions.Fraction(1, 2)
    return int(average + half) if average >= 0 else -int(-average + half)


database = sqlite3.connect(":memory:")
database.create_function("key", 2, key)
# Amounts as text: sums of sqlite3 have 64 bits, Python's have no limit.
database.execute("CREATE TABLE listed (currency TEXT, amount TEXT, state TEXT, seconds INTEGER)")
with open(path, newline="", encoding="utf-8") as file:
    for _, code, amount, state, seconds, offset in csv.reader(file):
        database.execute("INSERT INTO listed VALUES (?, ?, ?, ?)", (code, amount, state, int(seconds) + int(offset)))
for query in queries:
    currency, first, last, grouping, nesting = query.split(",")
    groups = {}
    for name, state, amount in database.execute(
        "SELECT key(date(seconds, 'unixepoch'), ?), state, amount FROM listed"
        " WHERE currency = ? AND date(seconds, 'unixepoch') BETWEEN ? AND ?",
        (grouping, currency, first, last),
    ):
        groups.setdefault((name, state if nesting == "states" else "all"), []).append((state, int(amount)))
    print(query)
    for (name, state), rows in sorted(groups.items()):
        amounts = [amount for _, amount in rows]
        average = fractions.Fraction(sum(amounts), len(amounts))
        turnover = sum(amount for state, amount in rows if state == "approved")
        print(
            name, state, len(amounts), sum(amounts), turnover, min(amounts), max(amounts),
            f"{average.numerator}/{average.denominator}", rounded(average),
        )
